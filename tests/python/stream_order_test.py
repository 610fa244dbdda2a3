# SPDX-License-Identifier: MIT
"""What streams order beside kernels and copies: allocations, calls of the host, words of memory."""

import gc
import time

import numpy as np
import pytest

import treadle
from treadle import cuda

SOURCE = (
    'extern "C" __global__ void add(int *values, int summand) { values[threadIdx.x] += summand; }'
)
SHAPE = {"grid": (1,), "block": (4,)}


@pytest.fixture
def stream():
    with cuda.Context.make_current(cuda.default_device()):
        made = cuda.Stream(cuda.StreamFlags.non_blocking)
        yield made
        made.synchronize()
        del made
        gc.collect()


@pytest.fixture
def add(stream):
    target = cuda.default_device().target
    return cuda.Module(treadle.compile_cuda(SOURCE, target).image).function("add")


def filled(value):
    memory = cuda.DeviceMemory(16)
    memory.copy_from(np.full(4, value, np.int32))
    return memory


def first(memory, stream=None):
    host = np.empty(4, np.int32)
    memory.copy_to(host, stream=stream)
    if stream is not None:
        stream.synchronize()
    return host[0]


def test_memory_comes_and_goes_in_the_order_of_a_stream(stream, add):
    pool = cuda.MemoryPool()
    memory = pool.allocate(1 << 20, stream)
    assert pool.used_bytes == 1 << 20 <= pool.reserved_bytes
    memory.copy_from(np.full(4, 3, np.int32), stream=stream)
    add(memory, np.int32(4), **SHAPE, stream=stream)
    assert first(memory, stream) == 7
    cuda.free_async(memory, stream)
    assert memory.is_freed
    with pytest.raises(treadle.InvalidState):
        cuda.free_async(memory, stream)
    stream.synchronize()
    assert pool.used_bytes == 0
    assert pool.most_used_bytes == 1 << 20
    pool.trim()
    pool.reset_most()
    assert pool.most_used_bytes == 0


def test_a_pool_is_set_and_made_current(stream):
    before = cuda.MemoryPool.current_of()
    assert before == cuda.MemoryPool.default_of(cuda.default_device())
    pool = cuda.MemoryPool(cuda.default_device(), max_bytes=4 << 20)
    pool.release_threshold = 1 << 20
    assert pool.release_threshold == 1 << 20
    assert pool.reuse == cuda.PoolReuse()
    pool.reuse = cuda.PoolReuse(opportunistic=False)
    assert not pool.reuse.opportunistic and pool.reuse.follow_events
    pool.make_current()
    try:
        assert cuda.MemoryPool.current_of() == pool != before
        memory = cuda.allocate_async(4096, stream)
        assert pool.used_bytes == 4096
        cuda.free_async(memory, stream)
        with pytest.raises(treadle.OutOfMemory):
            cuda.allocate_async(1 << 30, stream)
    finally:
        before.make_current()
    with pytest.raises(OverflowError, match="size_bytes"):
        pool.allocate(-1, stream)


def test_python_is_called_in_the_order_of_a_stream(stream, add):
    memory, host, seen = filled(1), cuda.HostMemory(16), []
    values = np.frombuffer(host, np.int32)
    add(memory, np.int32(4), **SHAPE, stream=stream)
    memory.copy_to(host, stream=stream)
    cuda.call_host(stream, lambda: seen.append(values[0]))
    stream.synchronize()
    assert seen == [5]
    with pytest.raises(TypeError, match="function is to be called"):
        cuda.call_host(stream, 5)


def test_streams_wait_for_words_that_others_write(stream, add):
    flag, result = filled(0), filled(1)
    writer = cuda.Stream(cuda.StreamFlags.non_blocking)
    cuda.wait_value32(stream, flag, 5, cuda.WaitCondition.equal)
    add(result, np.int32(6), **SHAPE, stream=stream)
    assert not stream.is_done
    cuda.write_value32(writer, flag, 5)
    stream.synchronize()
    assert first(result) == 7
    kind = cuda.MemoryOperation.Kind
    operations = [
        cuda.MemoryOperation(kind.write64, flag, 1 << 40),
        cuda.MemoryOperation(kind.wait64, flag, 1 << 40),
        cuda.MemoryOperation(kind.write32, flag, 9),
    ]
    cuda.run_operations(stream, operations)
    stream.synchronize()
    assert first(flag) == 9
    with pytest.raises(treadle.InvalidArgument, match="multiple of 8"):
        cuda.write_value64(stream, int(flag) + 4, 1)
    with pytest.raises(OverflowError, match="value"):
        cuda.write_value32(stream, flag, 1 << 32)


def test_all_of_it_becomes_nodes_of_a_graph(stream, add):
    memory, calls = filled(0), []
    capture = cuda.Capture(stream)
    scratch = cuda.allocate_async(16, stream)
    cuda.free_async(scratch, stream)
    add(memory, np.int32(2), **SHAPE, stream=stream)
    cuda.write_value32(stream, memory, 30)
    cuda.call_host(stream, lambda: calls.append(1))
    graph = capture.end()
    types = [node.type.name for node in graph.nodes]
    assert types == ["allocate", "free", "kernel", "memory_operations", "host"]
    executable = graph.instantiate()
    executable.launch(stream)
    executable.launch(stream)
    stream.synchronize()
    assert first(memory) == 30
    assert calls == [1, 1]


def test_a_launch_takes_attributes(stream, add):
    memory = filled(1)
    event = cuda.Event(cuda.EventFlags.disable_timing)
    window = cuda.AccessWindow(memory, 16, hit_ratio=0.5, misses=cuda.CacheLines.streaming)
    attributes = cuda.LaunchAttributes(priority=0, started=event, access_window=window)
    add(memory, np.int32(1), **SHAPE, stream=stream, attributes=attributes)
    event.synchronize()
    cuda.set_access_window(stream, window)
    add(memory, np.int32(1), **SHAPE, stream=stream, attributes=None)
    stream.synchronize()
    assert first(memory) == 3
    graph = cuda.Graph()
    graph.add_kernel(
        add, memory, np.int32(1), **SHAPE, attributes=cuda.LaunchAttributes(priority=0)
    )
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert first(memory) == 4
    pairs = cuda.LaunchAttributes(cluster=(2,), cluster_scheduling=cuda.ClusterScheduling.spread)
    assert pairs.cluster == (2, 1, 1) and pairs.preferred_cluster is None
    with pytest.raises(treadle.InvalidArgument, match="grid is 3x1x1"):
        add(memory, np.int32(1), grid=(3,), block=(4,), stream=stream, attributes=pairs)
    with pytest.raises(TypeError, match="attributes is a LaunchAttributes"):
        add(memory, np.int32(1), **SHAPE, attributes={"cluster": 2})


@pytest.mark.parametrize("kind", [cuda.DeviceMemory, cuda.HostMemory, cuda.allocate_async])
def test_memory_goes_while_python_is_to_be_called(stream, kind):
    memory, flag, calls = kind(64), filled(0), []
    cuda.wait_value32(stream, flag, 0, cuda.WaitCondition.equal)
    cuda.call_host(stream, lambda: (time.sleep(0.02), calls.append(1)))
    del memory
    stream.synchronize()
    assert calls == [1]


def test_an_interpreter_ends_with_functions_on_their_way(run_python):
    program = """
from treadle import cuda
with cuda.Context.make_current(cuda.default_device()):
    stream = cuda.Stream(cuda.StreamFlags.non_blocking)
    for i in range(300):
        cuda.call_host(stream, lambda: print(end=""))
    stream.synchronize()
print("done")
"""
    for _ in range(2):
        result = run_python("-c", program)
        assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr
