# SPDX-License-Identifier: MIT
"""CUDA graphs in the native API: captured, described, changed and launched."""

import gc
import time
import weakref

import numpy as np
import pytest

import treadle
from treadle import cuda

SOURCE = """
extern "C" __global__ void add(int *values, int summand) { values[threadIdx.x] += summand; }
extern "C" __global__ void decide(cudaGraphConditionalHandle go_on, const int *values, int limit)
{
    cudaGraphSetConditional(go_on, values[0] < limit);
}
"""
SHAPE = {"grid": (1,), "block": (4,)}


class Setting:
    """What each test uses."""

    def __init__(self, context):
        module = cuda.Module(treadle.compile_cuda(SOURCE, context.device.target).image)
        self.add = module.function("add")
        self.decide = module.function("decide")
        self.stream = cuda.Stream(cuda.StreamFlags.non_blocking)

    def memory(self, value=0):
        memory = cuda.DeviceMemory(16)
        memory.copy_from(np.full(4, value, np.int32))
        return memory

    def run(self, executable):
        executable.launch(self.stream)
        self.stream.synchronize()


def first(memory):
    host = np.empty(4, np.int32)
    memory.copy_to(host)
    return host[0]


@pytest.fixture
def setting():
    with cuda.Context.make_current(cuda.default_device()) as context:
        made = Setting(context)
        yield made
        del made
        gc.collect()


def test_a_captured_graph_is_launched_again_and_again(setting):
    memory = setting.memory()
    capture = cuda.Capture(setting.stream)
    assert capture.status == cuda.CaptureStatus.active
    for _ in range(20):
        setting.add(memory, np.int32(1), **SHAPE, stream=setting.stream)
    graph = capture.end()
    assert capture.status == cuda.CaptureStatus.none
    assert len(graph.nodes) == 20 and len(graph.edges) == 19
    assert first(memory) == 0
    executable = graph.instantiate()
    for _ in range(3):
        setting.run(executable)
    assert first(memory) == 60


def test_nodes_are_described_one_by_one(setting):
    memory, copy = setting.memory(), setting.memory()
    called = []
    graph = cuda.Graph()
    filled = graph.add_fill(memory, 7, 4)
    added = graph.add_kernel(setting.add, memory, np.int32(5), **SHAPE, after=filled)
    told = graph.add_host(lambda: called.append(1), after=added)
    copied = graph.add_copy(copy, memory, 16, after=[added, told])
    end = graph.add_empty(after=copied)
    assert [node.type.name for node in graph.nodes] == ["fill", "kernel", "host", "copy", "empty"]
    assert graph.roots == [filled]
    assert copied.dependencies == [added, told] or copied.dependencies == [told, added]
    assert end.dependents == []
    executable = graph.instantiate()
    setting.run(executable)
    assert first(copy) == 12
    assert called == [1]
    executable.set_kernel(added, setting.add, memory, np.int32(50), **SHAPE)
    executable.set_fill(filled, memory, 100, 4)
    executable.set_host(told, lambda: called.append(2))
    setting.run(executable)
    assert first(copy) == 150
    assert called == [1, 2]
    executable.set_enabled(filled, False)
    assert not executable.is_enabled(filled)
    setting.run(executable)
    assert first(copy) == 200


def test_an_updated_graph_runs_with_the_other_ones_parameters(setting):
    memory = setting.memory()

    def make(summand):
        graph = cuda.Graph()
        graph.add_kernel(setting.add, memory, np.int32(summand), **SHAPE)
        return graph

    executable = make(1).instantiate()
    executable.update(make(10))
    setting.run(executable)
    assert first(memory) == 10
    different = make(1)
    different.add_empty()
    with pytest.raises(treadle.InvalidArgument, match="cannot become this graph"):
        executable.update(different)


def test_a_loop_runs_until_a_kernel_says_so(setting):
    memory = setting.memory()
    graph = cuda.Graph()
    condition = graph.add_condition(1)
    loop = graph.add_while(condition)
    body = loop.bodies[0]
    added = body.add_kernel(setting.add, memory, np.int32(1), **SHAPE)
    go_on = np.uint64(condition.value)
    body.add_kernel(setting.decide, go_on, memory, np.int32(10), grid=(1,), block=(1,), after=added)
    setting.run(graph.instantiate())
    assert first(memory) == 10


def test_a_body_may_be_captured(setting):
    memory = setting.memory()
    graph = cuda.Graph()
    condition = graph.add_condition(1)
    branch = graph.add_if(condition)
    capture = cuda.Capture.into(branch.bodies[0], setting.stream)
    setting.add(memory, np.int32(3), **SHAPE, stream=setting.stream)
    capture.end()
    setting.run(graph.instantiate())
    assert first(memory) == 3


def test_arguments_live_as_long_as_the_node(setting):
    memory, summand = setting.memory(), np.int32(4)
    graph = cuda.Graph()
    node = graph.add_kernel(setting.add, memory, summand, **SHAPE)
    executable = graph.instantiate()
    watch = weakref.ref(memory)
    del memory
    gc.collect()
    assert watch() is not None
    setting.run(executable)
    assert first(watch()) == 4
    other = setting.memory()
    executable.set_kernel(node, setting.add, other, summand, **SHAPE)
    del graph, node
    gc.collect()
    assert watch() is None
    setting.run(executable)
    assert first(other) == 4


class Kept:
    """Something that can be watched."""


def test_what_is_kept_goes_with_the_last_executable(setting):
    graph = cuda.Graph()
    kept = Kept()
    watch = weakref.ref(kept)
    graph.keep(kept)
    graph.add_empty()
    del kept
    executable = graph.instantiate()
    del graph
    setting.run(executable)
    assert watch() is not None
    del executable
    for _ in range(2000):  # it goes on a thread of Treadle's
        if watch() is None:
            break
        time.sleep(0.001)
    assert watch() is None


def test_bad_input_is_refused_with_what_was_expected(setting):
    memory = setting.memory()
    graph = cuda.Graph()
    with pytest.raises(treadle.InvalidArgument, match="parameter 1"):
        graph.add_kernel(setting.add, memory, np.int64(5), **SHAPE)
    with pytest.raises(TypeError, match="function is a Function of a module, not int"):
        graph.add_kernel(5, memory, **SHAPE)
    with pytest.raises(TypeError, match="after is None, a GraphNode or a list of them, not int"):
        graph.add_empty(after=5)
    with pytest.raises(TypeError, match="grid"):
        graph.add_kernel(setting.add, memory, np.int32(5), grid=(1.5,), block=(4,))
    with pytest.raises(OverflowError, match="size_bytes"):
        graph.add_copy(memory, memory, -4)
    with pytest.raises(TypeError, match="cannot be called"):
        graph.add_host(5)
    with pytest.raises(treadle.InvalidArgument, match="element_bytes is 3"):
        graph.add_fill(memory, 1, 4, element_bytes=3)
    assert graph.nodes == []


def test_a_capture_that_was_made_invalid_says_what_to_do(setting):
    capture = cuda.Capture(setting.stream)
    with pytest.raises(treadle.DeviceError, match="CAPTURE|captur"):
        cuda.DeviceMemory(16)
    with pytest.raises(treadle.DeviceError, match="was not allowed"):
        capture.end()
    with pytest.raises(treadle.InvalidState):
        capture.end()
    setting.stream.synchronize()
