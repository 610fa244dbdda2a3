# SPDX-License-Identifier: MIT
"""The pools of pycuda.tools, one statement of spec and promise each."""

import gc
import io
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.tools import (
    DebugMemoryPool,
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
)

# size -> (bin, bytes of its blocks), as PyCUDA's users have them
BINS = {
    0: (0, 1),
    1: (0, 1),
    2: (16, 2),
    3: (24, 3),
    7: (44, 7),
    8: (48, 8),
    9: (50, 9),
    16: (64, 16),
    17: (65, 17),
    32: (80, 33),
    33: (80, 33),
    64: (96, 67),
    100: (105, 103),
    128: (112, 135),
    1000: (159, 1023),
    1024: (160, 1087),
    2**20: (320, 1114111),
    2**31 - 1: (495, 2**31 - 1),
}


@pytest.fixture
def pool(context):
    yield DeviceMemoryPool()
    gc.collect()


@pytest.fixture(params=[DeviceMemoryPool, PageLockedMemoryPool])
def any_pool(request, context):
    return request.param()


def state(pool):
    return (pool.held_blocks, pool.active_blocks, pool.managed_bytes, pool.active_bytes)


# --- bins ----------------------------------------------------------------------------------------


def test_bins_have_the_numbers_programs_compare(any_pool):
    for size, (bin_number, block) in BINS.items():
        assert any_pool.bin_number(size) == bin_number, size
        assert any_pool.alloc_size(bin_number) == block, size


def test_a_block_holds_each_size_of_its_bin_and_belongs_there(any_pool):
    rng = np.random.default_rng(5)
    for bits in range(40):
        for size in rng.integers(2**bits, 2 ** (bits + 1), 20):
            bin_number = any_pool.bin_number(size)
            block = any_pool.alloc_size(bin_number)
            assert block >= size
            assert any_pool.bin_number(block) == bin_number


@pytest.mark.parametrize("size", [-1, 2**64])
def test_sizes_that_cannot_be_are_overflows(pool, size):
    with pytest.raises(OverflowError, match="size"):
        pool.bin_number(size)
    with pytest.raises(OverflowError, match="size"):
        pool.allocate(size)
    with pytest.raises(OverflowError, match="bin"):
        pool.alloc_size(-1)


@pytest.mark.parametrize("size", [1.5, "100", None])
def test_sizes_are_integers(pool, size):
    with pytest.raises(TypeError, match="size must be an integer"):
        pool.allocate(size)


# --- blocks --------------------------------------------------------------------------------------


def test_a_freed_block_is_given_out_again(pool):
    first = pool.allocate(1000)
    address = int(first)
    first.free()
    assert state(pool) == (1, 0, 1023, 0)
    second = pool.allocate(1020)
    assert int(second) == address
    assert state(pool) == (0, 1, 1023, 1020)


def test_the_newest_block_is_given_out_first(pool):
    older, newer = pool.allocate(64), pool.allocate(64)
    address = int(newer)
    older.free()
    newer.free()
    assert int(pool.allocate(64)) == address


def test_what_is_no_longer_referred_to_is_freed(pool):
    allocation = pool.allocate(64)
    del allocation
    assert state(pool) == (1, 0, 67, 0)


def test_an_allocation_is_an_address_and_a_length(pool):
    allocation = pool.allocate(np.int64(100))
    assert isinstance(allocation, cuda.PooledDeviceAllocation)
    address = int(allocation)
    assert address == allocation.__index__() == np.intp(allocation)
    assert hex(allocation) == hex(address)
    assert len(allocation) == 100
    assert {allocation: 1}[allocation] == 1
    assert allocation == allocation and allocation != pool.allocate(100)
    allocation.free()
    assert int(allocation) == address
    with pytest.raises(cuda.LogicError, match="free failed: invalid resource handle"):
        allocation.free()


def test_zero_bytes_are_a_block_of_one(pool):
    allocation = pool.allocate(0)
    assert len(allocation) == 0
    assert pool.managed_bytes == 1


def test_allocations_come_from_pools_only(context):
    with pytest.raises(RuntimeError, match="cannot be instantiated from Python"):
        cuda.PooledDeviceAllocation()


def test_an_allocation_takes_attributes_and_weak_references(pool):
    allocation = pool.allocate(64)
    allocation.note = "mine"
    assert allocation.__dict__ == {"note": "mine"}
    allocation.__dict__ = {"other": 1}
    assert allocation.other == 1
    reference = weakref.ref(allocation)
    assert reference() is allocation
    del allocation
    assert reference() is None


def test_a_cycle_through_an_allocation_is_collected(pool):
    for link in (lambda a: setattr(a, "me", a), lambda a: a.__dict__.update(me=a)):
        allocation = pool.allocate(64)
        link(allocation)
        del allocation
        gc.collect()
        assert pool.active_blocks == 0


def test_kernels_and_copies_take_pooled_memory(pool, build):
    kernel = build("__global__ void add(int *a) { a[threadIdx.x] += 5; }").get_function("add")
    data = np.arange(32, dtype=np.int32)
    allocation = pool.allocate(data.nbytes)
    cuda.memcpy_htod(allocation, data)
    kernel(allocation, block=(32, 1, 1), grid=(1, 1))
    kernel.prepare("P").prepared_call((1, 1), (32, 1, 1), allocation)
    back = np.empty_like(data)
    cuda.memcpy_dtoh(back, allocation)
    assert (back == data + 10).all()
    allocation.free()
    with pytest.raises(cuda.LogicError, match="freed"):
        kernel(allocation, block=(32, 1, 1), grid=(1, 1))


def test_free_held_gives_back_what_is_not_in_use(pool):
    kept = pool.allocate(64)
    pool.allocate(100).free()
    pool.free_held()
    assert state(pool) == (0, 1, 67, 64)
    kept.free()
    assert pool.held_blocks == 1


def test_after_stop_holding_nothing_is_held(pool):
    kept = pool.allocate(64)
    pool.allocate(100).free()
    pool.stop_holding()
    assert pool.held_blocks == 0
    kept.free()
    assert state(pool) == (0, 0, 0, 0)
    pool.allocate(64).free()
    assert state(pool) == (0, 0, 0, 0)


def test_allocations_outlive_the_pool_object(context):
    pool = DeviceMemoryPool()
    allocation = pool.allocate(64)
    reference = weakref.ref(pool)
    del pool
    assert reference() is None
    cuda.memset_d8(allocation, 1, 64)
    allocation.free()


# --- out of memory -------------------------------------------------------------------------------


def too_much(pool):
    return pool.allocate(2**60)


def test_out_of_memory_names_the_largest_allocations_and_their_lines(pool):
    small = pool.allocate(100)
    large = pool.allocate(5000)
    with pytest.raises(cuda.MemoryError) as caught:
        too_much(pool)
    text = str(caught.value)
    assert text.startswith(
        "memory_pool::allocate failed: out of memory - failed to free memory for allocation"
    )
    assert "2 live allocations" in text
    line = test_out_of_memory_names_the_largest_allocations_and_their_lines.__code__.co_firstlineno
    assert (
        f"4.88 KiB made at {__file__}:{line + 2}, 100 bytes made at {__file__}:{line + 1}" in text
    )
    del small, large


def test_out_of_memory_gives_up_held_blocks_and_the_pool_goes_on(pool):
    pool.allocate(5000).free()
    with pytest.raises(cuda.MemoryError):
        too_much(pool)
    assert state(pool) == (0, 0, 0, 0)
    assert len(pool.allocate(5000)) == 5000


def test_out_of_memory_collects_garbage_first(pool):
    allocation = pool.allocate(64)
    allocation.me = allocation
    del allocation
    assert pool.active_blocks == 1
    with pytest.raises(cuda.MemoryError, match="it has no live allocation"):
        too_much(pool)
    assert pool.active_blocks == 0


# --- contexts, threads, subclasses ---------------------------------------------------------------


def test_a_pool_needs_a_context():
    def allocate():
        with pytest.raises(cuda.LogicError):
            DeviceMemoryPool()
        with pytest.raises(cuda.LogicError):
            PageLockedMemoryPool().allocate(10, np.int8)
        return True

    # On a thread of its own: another library may have made a context current on this one.
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(allocate).result()


def test_a_block_may_be_freed_without_a_current_context(context):
    pool = DeviceMemoryPool()
    allocation = pool.allocate(64)
    current = cuda.Context.get_current()
    cuda.Context.pop()
    try:
        allocation.free()
        assert pool.held_blocks == 1
        again = pool.allocate(64)
        larger = pool.allocate(6400)  # from the system, in the pool's own context
        del again, larger
        pool.free_held()
        assert pool.managed_bytes == 0
    finally:
        current.push()


def test_a_pool_of_a_detached_context_says_so(context):
    other = cuda.Context.get_device().make_context()
    pool, host = DeviceMemoryPool(), PageLockedMemoryPool()
    pool.allocate(64).free()
    host.allocate(64, np.int8)
    other.detach()
    with pytest.raises(cuda.LogicError, match="detached"):
        pool.allocate(64)
    with pytest.raises(cuda.LogicError, match="detached"):
        host.allocate(64, np.int8)


def test_a_subclass_that_forgets_init_is_an_error(context):
    class Forgetful(DeviceMemoryPool):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match="__init__"):
        Forgetful().allocate(64)


def test_pools_can_be_subclassed(context):
    class Counting(DeviceMemoryPool):
        count = 0

        def allocate(self, size):
            self.count += 1
            return super().allocate(size)

    pool = Counting()
    assert len(pool.allocate(64)) == 64
    assert (pool.count, pool.held_blocks) == (1, 1)


def test_any_thread_may_allocate_and_free(pool):
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        mine = []
        try:
            for size in rng.integers(0, 5000, 300):
                mine.append(pool.allocate(int(size)))
                if len(mine) > 5:
                    mine.pop(rng.integers(len(mine))).free()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert pool.active_blocks == 0
    pool.free_held()
    assert pool.managed_bytes == 0


# --- page-locked memory --------------------------------------------------------------------------


def test_page_locked_arrays_own_their_memory(context):
    pool = PageLockedMemoryPool()
    array = pool.allocate((3, 4), np.float32)
    assert array.shape == (3, 4) and array.dtype == np.float32 and array.flags.c_contiguous
    assert isinstance(array.base, cuda.PooledHostAllocation)
    assert len(array.base) == 48
    array[:] = 7
    view = array[1:]
    address = array.ctypes.data
    del array
    assert pool.active_blocks == 1 and (view == 7).all()
    del view
    assert pool.active_blocks == 0
    assert pool.allocate((12,), np.float32).ctypes.data == address


def test_page_locked_arrays_have_the_order_asked_for(context):
    allocator = PageLockedAllocator()
    seen = weakref.ref(allocator)
    assert seen() is allocator
    pool = PageLockedMemoryPool(allocator)
    del allocator
    assert seen() is None  # the pool has its own
    assert pool.allocate((3, 4), np.int16, "F").flags.f_contiguous
    assert pool.allocate([5], "i8", order="C").shape == (5,)
    assert pool.allocate((), np.int8).shape == ()
    assert pool.allocate((0, 3), np.int8).size == 0
    with pytest.raises(RuntimeError, match="order"):
        pool.allocate((3,), np.int8, "K")
    with pytest.raises(ValueError, match="negative"):
        pool.allocate((-3,), np.int8)


def test_page_locked_memory_has_the_flags_of_its_allocator(context):
    flags = cuda.host_alloc_flags.DEVICEMAP
    array = PageLockedMemoryPool(PageLockedAllocator(flags)).allocate((4,), np.int32)
    stream = cuda.Stream()
    device = cuda.to_device(np.arange(4, dtype=np.int32))
    cuda.memcpy_dtoh_async(array, device, stream)
    stream.synchronize()
    assert array.tolist() == [0, 1, 2, 3]


def test_a_freed_page_locked_block_makes_no_new_views(context):
    memory = PageLockedMemoryPool().allocate((4,), np.int32).base
    memory.free()
    with pytest.raises(cuda.LogicError, match="freed"):
        memoryview(memory)
    with pytest.raises(cuda.LogicError, match="invalid resource handle"):
        memory.free()


def test_page_locked_memory_that_is_not_to_be_had_is_an_error(context):
    pool = PageLockedMemoryPool()
    array = pool.allocate((10, 10), np.int8)
    with pytest.raises(cuda.MemoryError, match=f"100 bytes made at {__file__}:"):
        pool.allocate((2**60,), np.int8)
    del array


# --- telling -------------------------------------------------------------------------------------


def test_a_debug_pool_tells_who_allocates(context):
    log = io.StringIO()
    pool = DebugMemoryPool(logfile=log)
    assert len(pool.allocate(123)) == 123
    text = log.getvalue()
    assert text.startswith("allocation of 123 bytes")
    assert "in test_a_debug_pool_tells_who_allocates" in text.splitlines()[1]


def test_a_debug_pool_asks_once_at_a_terminal(context, monkeypatch):
    answers = ["the mesh"]
    monkeypatch.setattr("sys.stdin", type("Terminal", (), {"isatty": lambda self: True})())
    monkeypatch.setattr("builtins.input", lambda prompt: answers.pop())
    log = io.StringIO()
    pool = DebugMemoryPool(interactive=True, logfile=log)
    for _ in range(2):
        pool.allocate(10)
    assert answers == []
    assert log.getvalue().count("for the mesh") == 2
    DebugMemoryPool(interactive=False, logfile=log).allocate(10)
