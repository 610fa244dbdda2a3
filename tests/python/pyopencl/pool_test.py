# SPDX-License-Identifier: MIT
"""Allocators and pools of pyopencl.tools, one statement of the spec each."""

import gc
import weakref

import numpy as np
import pyopencl as cl
import pyopencl._cl as _cl
import pytest
from pyopencl.tools import (
    AllocatorBase,
    DeferredAllocator,
    ImmediateAllocator,
    MemoryPool,
    PooledBuffer,
)

mf = cl.mem_flags


@pytest.fixture(params=["deferred", "immediate"])
def allocator(request, context, queue):
    return DeferredAllocator(context) if request.param == "deferred" else ImmediateAllocator(queue)


@pytest.fixture
def pool(queue):
    yield MemoryPool(ImmediateAllocator(queue))
    gc.collect()


def state(pool):
    return (pool.held_blocks, pool.active_blocks, pool.managed_bytes, pool.active_bytes)


# --- allocators ----------------------------------------------------------------------------------


def test_an_allocator_makes_buffers(allocator, context):
    buffer = allocator(np.int64(100))
    assert isinstance(buffer, cl.Buffer)
    assert (buffer.size, buffer.flags, buffer.context) == (100, mf.READ_WRITE, context)
    assert isinstance(allocator, AllocatorBase)


def test_no_bytes_are_none(allocator):
    assert allocator(0) is None


def test_allocators_have_flags(context, queue):
    for made in (
        DeferredAllocator(context, mf.READ_ONLY),
        DeferredAllocator(queue=context, mem_flags=mf.READ_ONLY),
        ImmediateAllocator(queue, mf.READ_ONLY),
        ImmediateAllocator(queue=queue, mem_flags=mf.READ_ONLY),
    ):
        assert made(10).flags == mf.READ_ONLY


@pytest.mark.parametrize("flag", [mf.USE_HOST_PTR, mf.COPY_HOST_PTR])
def test_allocators_have_no_memory_of_the_host(flag, context, queue):
    with pytest.raises(cl.LogicError, match="HOST_PTR"):
        DeferredAllocator(context, mf.READ_WRITE | flag)
    with pytest.raises(cl.LogicError, match="HOST_PTR"):
        ImmediateAllocator(queue, mf.READ_WRITE | flag)


def test_allocators_are_of_two_kinds_only():
    with pytest.raises(TypeError):
        AllocatorBase()


def test_sizes_are_integers(allocator):
    with pytest.raises(OverflowError, match="size"):
        allocator(-1)
    with pytest.raises(TypeError, match="size must be an integer"):
        allocator(1.5)


# --- pools ---------------------------------------------------------------------------------------


def test_a_released_block_is_given_out_again(pool):
    first = pool.allocate(1000)
    assert isinstance(first, PooledBuffer) and not isinstance(first, cl.MemoryObject)
    handle = first.int_ptr
    first.release()
    assert state(pool) == (1, 0, 1023, 0)
    second = pool(1020)
    assert second.int_ptr == handle
    assert second.size == 1023
    assert state(pool) == (0, 1, 1023, 1020)


def test_what_is_no_longer_referred_to_is_released(pool):
    pool.allocate(64)
    assert state(pool) == (1, 0, 67, 0)


def test_the_size_can_be_named(pool):
    assert pool.allocate(size=64).size == pool(size=64).size == 67
    with pytest.raises(TypeError, match="has no argument bytes"):
        pool.allocate(bytes=64)


def test_a_block_is_released_once(pool):
    buffer = pool.allocate(64)
    buffer.release()
    with pytest.raises(cl.LogicError, match="freed"):
        buffer.release()
    with pytest.raises(cl.LogicError, match="freed"):
        _ = buffer.size


def test_pooled_buffers_are_memory(pool, queue, build):
    kernel = build("__kernel void add(__global int *a) { a[get_global_id(0)] += 5; }").add
    data = np.arange(32, dtype=np.int32)
    buffer = pool.allocate(data.nbytes)
    buffer.bind_to_queue(queue)
    cl.enqueue_copy(queue, buffer, data)
    kernel(queue, (32,), None, buffer)
    back = np.empty_like(data)
    cl.enqueue_copy(queue, back, buffer)
    buffer.unbind_from_queue()
    assert (back == data + 5).all()


def test_a_pooled_buffer_takes_attributes_and_a_pool_does_not(pool):
    buffer = pool.allocate(10)
    buffer.note = "mine"
    with pytest.raises(AttributeError):
        pool.note = "mine"


def test_blocks_outlive_the_pool_object(queue):
    pool = MemoryPool(ImmediateAllocator(queue))
    buffer = pool.allocate(64)
    del pool
    gc.collect()
    cl.enqueue_copy(queue, buffer, np.zeros(64, np.int8))
    buffer.release()


def test_held_blocks_go_back_on_request(pool):
    kept = pool.allocate(64)
    pool.allocate(100)
    pool.free_held()
    assert state(pool) == (0, 1, 67, 64)
    pool.stop_holding()
    kept.release()
    assert state(pool) == (0, 0, 0, 0)


def test_a_deferred_allocator_is_warned_of(context):
    with pytest.warns(UserWarning, match="ImmediateAllocator"):
        pool = MemoryPool(DeferredAllocator(context))
    assert pool.allocate(10).size == 10


def test_more_than_the_device_allows_is_the_platforms_error(pool, device):
    with pytest.raises(cl.Error, match="INVALID_BUFFER_SIZE|out of memory"):
        pool.allocate(2**60)
    assert pool.active_blocks == 0


def test_a_pool_tells_what_it_does(pool, capfd):
    pool._set_trace(True)
    for _ in range(2):
        pool.allocate(1000)
    pool._set_trace(False)
    pool.allocate(1000)
    lines = capfd.readouterr().out.splitlines()
    assert lines == [
        "[pool] 1000 bytes, bin 159: a new block",
        "[pool] 1000 bytes, bin 159: a held block",
    ]


def test_arguments_of_a_call(pool):
    assert pool(size=10).size == 10
    for arguments, keywords in [((), {}), ((1, 2), {}), ((1,), {"flags": 0})]:
        with pytest.raises(TypeError):
            pool(*arguments, **keywords)
    with pytest.raises(OverflowError, match="size"):
        pool(-1)


def test_a_pool_can_be_subclassed(queue):
    class Counting(MemoryPool):
        pass

    pool = Counting(ImmediateAllocator(queue))
    pool.note = "a subclass has attributes"
    reference = weakref.ref(pool)
    assert pool(10).size == 10
    del pool
    assert reference() is None


# --- bins ----------------------------------------------------------------------------------------


def test_bins_have_the_numbers_programs_compare(pool):
    for size, bin_number, block in [(100, 105, 103), (1000, 159, 1023), (0, 0, 1)]:
        assert pool.bin_number(size) == bin_number
        assert pool.alloc_size(bin_number) == block


@pytest.mark.parametrize("bits", [0, 1, 4, 7])
def test_bins_of_other_widths_hold_their_sizes(bits):
    pool = _cl._TestMemoryPool(leading_bits_in_bin_id=bits)
    for size in range(1, 2000):
        bin_number = pool.bin_number(size)
        block = pool.alloc_size(bin_number)
        assert block >= size
        assert pool.bin_number(block) == bin_number


def test_large_sizes_do_not_overflow():
    pool = _cl._TestMemoryPool()
    for power in range(30, 35):
        for delta in range(-5, 6):
            assert pool.allocate(2**power + delta) is None
            assert pool.alloc_size(pool.bin_number(2**power + delta)) >= 2**power + delta


def test_too_fine_bins_are_refused(queue):
    with pytest.raises(cl.LogicError, match="leading_bits is 11"):
        MemoryPool(ImmediateAllocator(queue), leading_bits_in_bin_id=11)


def test_arrays_of_a_pool_may_live_until_the_end(run_python):
    program = """if True:
        import numpy as np
        import treadle.pyopencl as cl
        import treadle.pyopencl.array as cl_array
        queue = cl.CommandQueue(cl.create_some_context(interactive=False))
        pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue))
        x = cl_array.to_device(queue, np.ones(10, np.float32), allocator=pool)
        y = x + 1
        z = (y * 2).base_data
        print(y.get().sum())
    """
    done = run_python("-c", program)
    assert (done.stdout, done.stderr) == ("20.0\n", "")
