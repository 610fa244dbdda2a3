# SPDX-License-Identifier: MIT
"""Methods of treadle.cuda that no other test calls, each for what it does, on every device."""

import os

import numpy as np
import pytest

import treadle
import treadle.cuda as cuda

TEXT = """
extern "C" __global__ void add(int *values, int summand) { values[threadIdx.x] += summand; }
extern "C" __global__ void choose(cudaGraphConditionalHandle which, unsigned number)
{
    cudaGraphSetConditional(which, number);
}
"""
SHAPE = {"grid": (1,), "block": (4,)}
on_the_cpu = cuda.default_device().driver.provider == cuda.Provider.cpu


@pytest.fixture
def context():
    with cuda.Context.make_current(cuda.default_device()) as current:
        yield current


@pytest.fixture
def module(context):
    return cuda.Module(treadle.compile_cuda(TEXT, context.device.target).image)


@pytest.fixture
def add(module):
    return module.function("add")


def memory_of(value):
    memory = cuda.DeviceMemory(16)
    memory.copy_from(np.full(4, value, np.int32))
    return memory


def values(memory):
    host = np.empty(4, np.int32)
    memory.copy_to(host)
    return host.tolist()


def launched(executable):
    stream = cuda.Stream(cuda.StreamFlags.non_blocking)
    executable.upload(stream)
    executable.launch(stream)
    stream.synchronize()


def adding(add, memory, summand):
    graph = cuda.Graph()
    graph.add_kernel(add, memory, np.int32(summand), **SHAPE)
    return graph


def test_graphs_hold_graphs_whose_nodes_are_replaced(add):
    memory = memory_of(0)
    graph = cuda.Graph()
    child = graph.add_child(adding(add, memory, 3))
    after = graph.add_kernel(add, memory, np.int32(10), **SHAPE, after=child)
    assert child.child.nodes[0].type == cuda.GraphNodeType.kernel
    with pytest.raises(treadle.DeviceError, match="only a child node"):
        _ = after.child
    executable = graph.instantiate()
    launched(executable)
    assert values(memory) == [13] * 4
    executable.set_child(child, adding(add, memory, 100))
    launched(executable)
    assert values(memory) == [123] * 4


def test_a_switch_runs_the_body_of_the_number(add, module):
    memory = memory_of(0)
    graph = cuda.Graph()
    which = graph.add_condition(5)
    first = graph.add_kernel(
        module.function("choose"), np.uint64(which.value), np.uint32(1), **SHAPE
    )
    switch = graph.add_switch(which, 3, after=first)
    assert len(switch.bodies) == 3 and switch.node.type == cuda.GraphNodeType.conditional
    for number, body in enumerate(switch.bodies):
        body.add_kernel(add, memory, np.int32(10**number), **SHAPE)
    executable = graph.instantiate()
    launched(executable)
    assert values(memory) == [10] * 4
    for number, expected in ((0, 11), (2, 111), (7, 111)):
        executable.set_kernel(
            first, module.function("choose"), np.uint64(which.value), np.uint32(number), **SHAPE
        )
        launched(executable)
        assert values(memory) == [expected] * 4


def test_edges_come_and_go(add):
    memory = memory_of(1)
    graph = cuda.Graph()
    one = graph.add_kernel(add, memory, np.int32(1), **SHAPE)
    two = graph.add_fill(memory, 7, 4)
    graph.connect(one, two)
    assert graph.edges == [(one, two)] and two.dependencies == [one]
    with pytest.raises(treadle.DeviceError):
        graph.connect(one, two)
    graph.disconnect(one, two)
    assert graph.edges == []
    with pytest.raises(treadle.DeviceError):
        graph.disconnect(one, two)
    graph.connect(two, one)
    launched(graph.instantiate())
    assert values(memory) == [8] * 4


def test_nodes_are_found_in_clones_and_drawn(add, tmp_path):
    graph = adding(add, memory_of(0), 1)
    clone = graph.clone()
    assert clone != graph
    assert clone.find(graph.nodes[0]) == clone.nodes[0] != graph.nodes[0]
    with pytest.raises(treadle.DeviceError):
        graph.find(clone.nodes[0])
    drawing = tmp_path / "graph.dot"
    graph.write_dot(drawing, verbose=True)
    text = drawing.read_text()
    assert "digraph" in text and "add" in text
    with pytest.raises(treadle.Error):
        graph.write_dot(tmp_path / "nowhere" / "graph.dot")


def test_nodes_wait_for_events_and_record_them(add):
    memory = memory_of(0)
    stream = cuda.Stream(cuda.StreamFlags.non_blocking)
    first, second, told = (cuda.Event() for _ in range(3))
    graph = cuda.Graph()
    wait = graph.add_wait(first)
    added = graph.add_kernel(add, memory, np.int32(5), **SHAPE, after=wait)
    record = graph.add_record(first, after=added)
    assert (wait.type, record.type) == (cuda.GraphNodeType.wait, cuda.GraphNodeType.record)
    wait.set_event(second)
    record.set_event(second)
    second.record(stream)
    executable = graph.instantiate()
    executable.set_event(record, told)
    launched(executable)
    told.synchronize()
    assert told.is_done and values(memory) == [5] * 4
    with pytest.raises(treadle.Error):
        added.set_event(told)


def test_copies_of_an_executable_graph_are_replaced():
    with cuda.Context.make_current(cuda.default_device()):
        source, other, target = memory_of(1), memory_of(2), memory_of(0)
        graph = cuda.Graph()
        copy = graph.add_copy(target, source, 16)
        executable = graph.instantiate()
        launched(executable)
        assert values(target) == [1] * 4
        executable.set_copy(copy, target, other, 8)
        launched(executable)
        assert values(target) == [2, 2, 1, 1]


def test_a_capture_shows_its_graph_and_takes_nodes(add):
    memory = memory_of(0)
    stream = cuda.Stream(cuda.StreamFlags.non_blocking)
    capture = cuda.Capture(stream)
    add(memory, np.int32(1), **SHAPE, stream=stream)
    graph = capture.graph
    (captured,) = capture.last
    assert captured in graph.nodes
    filled = graph.add_fill(memory, 40, 4, after=captured)
    capture.set_last(filled)
    assert capture.last == [filled]
    add(memory, np.int32(2), **SHAPE, stream=stream)
    done = capture.end()
    assert len(done.nodes) == 3 and len(done.edges) == 2
    launched(done.instantiate())
    assert values(memory) == [42] * 4


def test_nodes_that_are_no_semaphores_have_none(add):
    graph = adding(add, memory_of(0), 1)
    with pytest.raises(treadle.Error):
        graph.semaphores(graph.nodes[0])


def test_libraries_are_linked_by_name(context, tmp_path):
    linker = cuda.Linker()
    with pytest.raises(treadle.Error, match="nosuchlibrary"):
        linker.add_library("nosuchlibrary", tmp_path)
    if not on_the_cpu:
        return
    linker = cuda.Linker()
    image = treadle.compile_cuda(TEXT, context.device.target, flags=["-rdc=true"]).image
    linker.add(image.code, cuda.LinkInput.ptx, "text")
    linker.add_library("cudadevrt")  # part of the CPU device
    memory = memory_of(1)
    cuda.Module(linker.link()).function("add")(memory, np.int32(4), **SHAPE)
    assert values(memory) == [5] * 4


def test_nvml_knows_gpus_only():
    device = cuda.default_device()
    identity = cuda.nvml_identity(device)
    if on_the_cpu:
        assert identity is None
    elif identity is not None:
        assert identity.name == device.name and identity.uuid.startswith(("GPU-", "MIG-"))
        assert identity.bus_id.lower().endswith(device.pci_bus_id.lower()[-7:])
        assert identity.index >= 0


def refused_or_done(call, *arguments):
    """The CPU device refuses it by name; a GPU's driver may be old, or say why not."""
    try:
        return call(*arguments)
    except treadle.NotSupported as error:
        assert "cu" in str(error)
    except treadle.DeviceError:
        assert not on_the_cpu
    return None


def test_checkpoints_are_taken_or_refused_by_name(context):
    here = cuda.CheckpointedProcess(os.getpid())
    assert here.process == os.getpid()
    state = refused_or_done(lambda: here.state)
    assert state in (None, cuda.CheckpointState.running)
    with pytest.raises(treadle.InvalidArgument):
        cuda.CheckpointedProcess(0)
    with pytest.raises(treadle.InvalidArgument, match="16 are needed"):
        here.restore([(b"short", b"short")])
    for call in (here.checkpoint, here.restore, here.unlock):
        with pytest.raises((treadle.NotSupported, treadle.DeviceError)):
            call()  # a process that is not locked, or no driver that can
    if on_the_cpu:
        for call in (here.lock, lambda: here.restore_thread):
            with pytest.raises(treadle.NotSupported, match="cuCheckpointProcess"):
                call()


def test_coredumps_are_set_or_refused_by_name(context, tmp_path):
    for dumps in (cuda.Coredumps.of_process(), cuda.Coredumps.of(context)):
        for name in ("on_exception", "triggers_host", "user_trigger", "file", "pipe", "omissions"):
            told = refused_or_done(lambda dumps=dumps, name=name: getattr(dumps, name))
            assert (told is None) == on_the_cpu or not on_the_cpu
        if on_the_cpu:
            for name, value in (
                ("on_exception", True),
                ("triggers_host", False),
                ("user_trigger", True),
                ("file", str(tmp_path / "core")),
                ("pipe", str(tmp_path / "pipe")),
                ("omissions", cuda.CoredumpOmissions.images),
            ):
                with pytest.raises(treadle.NotSupported, match="cuCoredumpSetAttribute"):
                    setattr(dumps, name, value)
