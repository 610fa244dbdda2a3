# SPDX-License-Identifier: MIT
"""Shared virtual memory: arrays, maps, copies, kernels, allocators and pools."""

import gc

import numpy as np
import pyopencl as cl
import pytest
from pyopencl.characterize import has_coarse_grain_buffer_svm, has_fine_grain_buffer_svm
from pyopencl.tools import PooledSVM, SVMAllocator, SVMPool

TWICE = "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }"
READ_WRITE = cl.svm_mem_flags.READ_WRITE


@pytest.fixture(autouse=True)
def _svm(device):
    if not has_coarse_grain_buffer_svm(device):
        pytest.skip("the device shares no memory")


@pytest.fixture
def numbers():
    return np.arange(12, dtype=np.int32).reshape(3, 4)


@pytest.fixture
def allocate(context):
    """allocate(size, ...) is an SVMAllocation."""
    return lambda size, queue=None: cl.SVMAllocation(context, size, 0, READ_WRITE, queue)


@pytest.fixture
def filled(allocate, queue, numbers):
    memory = allocate(numbers.nbytes)
    cl.enqueue_copy(queue, memory, numbers)
    return memory


def test_an_allocation(allocate):
    memory = allocate(100)
    assert memory.size == 100 and memory.svm_ptr != 0
    assert memory.buf.dtype == np.uint8 and memory.buf.shape == (100,)
    assert memory.buf is not memory.buf and memory.buf.base is memory
    assert memory == memory and memory != allocate(100) and memory != 3
    assert isinstance(hash(memory), int)
    assert memory._queue is None
    assert isinstance(memory, cl.SVMPointer)
    memory.release()
    with pytest.raises(cl.LogicError, match="freed"):
        memory.release()
    with pytest.raises(cl.LogicError, match="freed"):
        memory.svm_ptr  # noqa: B018


def test_an_allocation_of_no_bytes(allocate, queue):
    memory = allocate(0)
    assert memory.size == 0 and memory.buf.size == 0
    memory.enqueue_release(queue).wait()
    for _ in range(2):
        memory.release()
    for _ in range(2):
        allocate(0).release()
    memory.enqueue_release(queue).wait()  # there is nothing to be released


def test_binding_to_queues(allocate, context, queue):
    memory = allocate(64, queue)
    assert memory._queue == queue
    other = cl.CommandQueue(context)
    start = cl.UserEvent(context)
    cl.enqueue_marker(queue, wait_for=[start])
    memory.bind_to_queue(other)
    end = cl.enqueue_marker(other)
    assert end.command_execution_status != cl.command_execution_status.COMPLETE
    start.set_status(0)
    end.wait()
    memory.unbind_from_queue()
    assert memory._queue is None
    with pytest.raises(cl.LogicError, match="bound to no queue"):
        memory.enqueue_release()
    memory.bind_to_queue(queue)
    memory.enqueue_release().wait()
    loose = cl.CommandQueue(
        context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    )
    with pytest.raises(cl.LogicError, match="out of order"):
        allocate(64, loose)
    with pytest.raises(cl.LogicError, match="out of order"):
        SVMAllocator(context, queue=loose)


def test_bad_allocations(context):
    with pytest.raises(cl.RuntimeError) as caught:
        cl.SVMAllocation(context, 1 << 60, 0, READ_WRITE)
    assert caught.value.code == cl.status_code.OUT_OF_RESOURCES
    with pytest.raises(cl.LogicError, match="24 bytes is no power of two"):
        cl.SVMAllocation(context, 64, 24, READ_WRITE)
    with pytest.raises(cl.LogicError, match="SVM_ATOMICS without"):
        cl.SVMAllocation(context, 64, 0, READ_WRITE | cl.svm_mem_flags.SVM_ATOMICS)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays(order, context, queue, numbers):
    array = cl.csvm_empty(context, numbers.shape, np.int32, order=order)
    assert type(array) is np.ndarray and isinstance(array.base, cl.SVMAllocation)
    assert array.flags.f_contiguous is (order == "F")
    svm = cl.SVM(array)
    assert svm.mem is array and svm.svm_ptr == array.ctypes.data and svm.size == array.nbytes
    with svm.map_rw(queue) as mapped:
        assert mapped is array
        mapped[:] = numbers
    with svm.map_ro(queue) as mapped:
        assert (mapped == numbers).all()
    like = cl.csvm_empty_like(context, array)
    assert like.strides == array.strides and like.dtype == array.dtype
    assert cl.csvm_empty(context, 5, np.float64).shape == (5,)
    assert cl.csvm_empty(context, np.int64(0), np.float64).shape == (0,)
    record = np.dtype([("a", np.int32), ("b", np.float64)])
    assert cl.csvm_empty(context, (2,), record).dtype == record


def test_the_memory_of_an_array_says_how_the_elements_lie(context):
    array = cl.csvm_empty(context, (3, 4), "f4")
    assert array.base.__array_interface__ == {
        "version": 3,
        "shape": (3, 4),
        "typestr": "<f4",
        "descr": [("", "<f4")],
        "data": (array.base.svm_ptr, False),
        "strides": None,
    }
    assert cl.csvm_empty(context, (3, 4), "f4", "F").base.__array_interface__["strides"] == (4, 12)
    record = np.dtype([("a", np.int32), ("b", np.float64)])
    interface = cl.csvm_empty(context, 2, record).base.__array_interface__
    assert (interface["typestr"], interface["descr"]) == ("|V12", record.descr)
    assert cl.csvm_empty(context, 2, ("i4", (3,))).base.__array_interface__["shape"] == (2, 3)


def test_bad_arrays(context):
    with pytest.raises(TypeError, match="the shape 1.5 .* is neither"):
        cl.csvm_empty(context, 1.5, np.int32)
    with pytest.raises(ValueError, match="order"):
        cl.csvm_empty(context, 3, np.int32, order="K")
    for shape in (1.5,), "3", (-1,):
        with pytest.raises(ValueError, match="lengths are integers from 0 on"):
            cl.csvm_empty(context, shape, np.int32)
    with pytest.raises(ValueError, match="neither"):
        cl.csvm_empty_like(context, np.zeros((4, 4))[::2, ::2])
    with pytest.raises(BufferError):
        cl.SVM(np.zeros((4, 4))[:, ::2])
    with pytest.raises(BufferError):
        cl.SVM(b"read only")
    with pytest.raises(TypeError):
        cl.SVM(3)


def test_fine_grained_arrays(context, queue, device, build):
    if not has_fine_grain_buffer_svm(device):
        pytest.skip("the device has no fine-grained memory")
    array = cl.fsvm_empty(context, 10, np.int32)
    array[:] = np.arange(10)
    build(TWICE).twice(queue, (10,), None, cl.SVM(array)).wait()
    assert (array == 2 * np.arange(10)).all()
    assert cl.fsvm_empty_like(context, array).shape == (10,)


def test_kernels_take_pointers(context, queue, build, filled, numbers):
    kernel = build(TWICE).twice
    kernel(queue, (12,), None, filled)
    kernel.set_args(filled)
    cl.enqueue_nd_range_kernel(queue, kernel, (2,), None)
    expected = 2 * numbers
    expected.ravel()[:2] *= 2
    back = np.zeros_like(numbers)
    cl.enqueue_copy(queue, back, filled)
    assert (back == expected).all()
    typed = build(TWICE).twice
    typed.set_scalar_arg_dtypes([None])
    typed(queue, (12,), None, filled)
    cl.enqueue_copy(queue, back, filled)
    assert (back == 2 * expected).all()
    filled.release()
    with pytest.raises(cl.LogicError, match="freed"):
        kernel(queue, (12,), None, filled)


def test_maps(queue, filled, numbers):
    mapped = filled.map_ro(queue)
    assert type(mapped) is cl.SVMMap and mapped.svm is filled and mapped.queue is queue
    assert (mapped.array.view(np.int32) == numbers.ravel()).all()
    event = mapped.release()
    assert isinstance(event, cl.Event) and mapped.svm is None
    with pytest.raises(AssertionError):
        mapped.release()
    with filled.map_rw(queue, size=8) as array:
        assert array.shape == (8,)
        array[:] = 0
    with filled.map(queue, flags=cl.map_flags.READ, is_blocking=False) as array:
        queue.finish()
        assert array.view(np.int32)[:3].tolist() == [0, 0, 2]
    with pytest.raises(cl.LogicError, match="100 bytes of memory that has 48"):
        filled.map_ro(queue, size=100)
    dropped = filled.map_ro(queue)
    del dropped
    gc.collect()
    queue.finish()


def test_copies(queue, context, allocate, filled, numbers):
    other = allocate(numbers.nbytes)
    event = cl.enqueue_copy(queue, other, filled)
    assert type(event) is cl.Event
    back = np.zeros_like(numbers)
    pending = cl.enqueue_copy(queue, back, other, is_blocking=False, wait_for=[event])
    assert isinstance(pending, cl.NannyEvent)  # it keeps the host's memory
    pending.wait()
    assert (back == numbers).all()
    part = np.zeros(2, np.int32)
    cl.enqueue_copy(queue, part, other, byte_count=8, src_offset=0)
    assert part.tolist() == [0, 1]
    cl.enqueue_copy(queue, other, bytes(48))
    cl.enqueue_copy(queue, back, other)
    assert not back.any()
    with pytest.raises(cl.LogicError, match="a copy of 48 bytes to memory of 8"):
        cl.enqueue_copy(queue, part, other)
    with pytest.raises(cl.LogicError, match="16 bytes of memory that has 8"):
        cl.enqueue_copy(queue, part, other, byte_count=16)
    with pytest.raises(ValueError, match="src_offset"):
        cl.enqueue_copy(queue, part, other, byte_count=8, src_offset=4)
    with pytest.raises(TypeError, match="as_buffer"):
        cl.enqueue_copy(queue, cl.Buffer(context, cl.mem_flags.READ_WRITE, 48), other)


def test_a_read_only_array_is_a_source(queue, filled, numbers):
    fixed = numbers[::-1].copy()
    fixed.setflags(write=False)
    cl.enqueue_copy(queue, filled, fixed, is_blocking=False)
    back = np.zeros_like(numbers)
    cl.enqueue_copy(queue, back, filled)
    assert (back == fixed).all()


def test_fills(queue, filled):
    back = np.zeros(12, np.int32)
    cl.enqueue_svm_memfill(queue, filled, np.int32(7), byte_count=8)
    cl.enqueue_copy(queue, back, filled)
    assert back.tolist() == [7, 7, *range(2, 12)]
    cl.enqueue_fill(queue, filled, np.int32(3), 8, offset=16)
    cl.enqueue_fill(queue, filled, np.int32(1), 4)
    cl.enqueue_copy(queue, back, filled)
    assert back.tolist() == [1, 7, 2, 3, 3, 3, *range(6, 12)]
    array = cl.csvm_empty(queue.context, 4, np.int32)
    cl.enqueue_svm_memfill(queue, array, np.int32(5))
    with cl.SVM(array).map_ro(queue):
        assert (array == 5).all()
    with pytest.raises(cl.LogicError, match="a pattern of 3 bytes"):
        cl.enqueue_svm_memfill(queue, filled, b"abc")


def test_migration(queue, filled, device):
    if device._get_cl_version() < (2, 1):
        pytest.skip("needs OpenCL 2.1")
    try:
        cl.enqueue_svm_migrate_mem(queue, [filled], 0).wait()
    except cl.LogicError as error:
        assert "not offered" in str(error)  # noqa: PT017 - platforms may lack the call


def test_a_buffer_over_it(context, queue, filled, numbers, download):
    buffer = filled.as_buffer(context)
    assert type(buffer) is cl.Buffer and buffer.size == 48
    queue.finish()
    assert (download(buffer, numbers) == numbers).all()
    assert filled.as_buffer(context, size=16).size == 16


def test_an_allocator(context, queue):
    allocator = SVMAllocator(context, queue=queue)
    memory = allocator(100)
    assert type(memory) is cl.SVMAllocation and memory.size == 100 and memory._queue == queue
    assert allocator(0).size == 0
    assert SVMAllocator(context, alignment=64)(10).svm_ptr % 64 == 0
    with pytest.raises(OverflowError):
        allocator(-1)


@pytest.mark.parametrize("name", ["__call__", "allocate"])
def test_a_pool(name, context, queue):
    pool = SVMPool(SVMAllocator(context, queue=queue))
    allocate = getattr(pool, name)
    memory = allocate(1000)
    assert type(memory) is PooledSVM and isinstance(memory, cl.SVMPointer)
    assert memory.size == 1000 and memory.buf.shape == (1000,)
    assert memory._queue == queue
    assert memory == memory and memory != 3 and memory != allocate(1000)
    address = memory.svm_ptr
    assert (pool.active_blocks, pool.held_blocks) == (1, 1)
    memory.release()
    with pytest.raises(cl.LogicError):
        memory.release()
    assert (pool.active_blocks, pool.held_blocks) == (0, 2)
    assert pool.bin_number(1000) == 159 and pool.alloc_size(159) == 1023
    assert allocate(1010).svm_ptr == address
    pool.stop_holding()
    assert pool.held_blocks == 0


def test_a_block_of_a_pool_moves_to_another_queue(context, queue, numbers):
    pool = SVMPool(SVMAllocator(context, queue=queue))
    memory = pool(numbers.nbytes)
    other = cl.CommandQueue(context)
    start = cl.UserEvent(context)
    memory.bind_to_queue(other)
    assert memory._queue == other
    cl.enqueue_marker(other, wait_for=[start])
    memory.enqueue_release()
    again = pool(numbers.nbytes)  # its queue starts after the other's last use
    assert again._queue == queue
    end = cl.enqueue_marker(queue)
    assert end.command_execution_status != cl.command_execution_status.COMPLETE
    start.set_status(0)
    end.wait()
    cl.enqueue_copy(queue, again, numbers)
    back = np.zeros_like(numbers)
    cl.enqueue_copy(queue, back, again)
    assert (back == numbers).all()
    again.unbind_from_queue()
    assert again._queue is None
