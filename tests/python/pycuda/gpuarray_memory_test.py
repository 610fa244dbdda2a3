# SPDX-License-Identifier: MIT
"""pycuda.gpuarray: memory, and kernels of the program that work on it."""

import sys
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pycuda.tools as tools
import pytest
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import GPUArray

import treadle.numpy as tnp

sys.path.insert(0, str(Path(__file__).parent))
from gpuarray_values import CountingAllocator, floats, same  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")


# --- memory ---------------------------------------------------------------------------------------


def test_gpudata_is_memory_that_kernels_take():
    a = gpuarray.to_gpu(floats(32))
    assert isinstance(a.gpudata, cuda.DeviceAllocation)
    assert int(a.gpudata) == a.ptr == a.__cuda_array_interface__["data"][0]
    host = np.empty(32, np.float32)
    cuda.memcpy_dtoh(host, a.gpudata)
    np.testing.assert_array_equal(host, floats(32))
    cuda.memset_d32(a.gpudata, 0, 16)
    same(a, np.where(np.arange(32) < 16, 0, floats(32)).astype(np.float32))


def test_slices_have_addresses_of_their_own():
    a = gpuarray.to_gpu(floats(8))
    tail = a[3:]
    assert tail.base is a
    assert type(tail.gpudata) is int
    assert tail.ptr == a.ptr + 12
    assert a[::-1].ptr == a.ptr + 28


def test_an_array_without_elements_has_no_memory():
    a = gpuarray.empty((0, 3), np.float32)
    assert a.gpudata is None
    with pytest.raises(AttributeError):
        a.ptr  # noqa: B018
    assert a.__cuda_array_interface__["data"] == (0, False)


def test_the_cuda_array_interface():
    a = gpuarray.to_gpu(np.asfortranarray(floats(3, 4)))
    assert a.__cuda_array_interface__ == {
        "shape": (3, 4),
        "strides": (4, 12),
        "data": (a.ptr, False),
        "typestr": "<f4",
        "stream": None,
        "version": 3,
    }


def test_arrays_over_memory_of_the_program():
    memory = cuda.to_device(floats(12))
    a = GPUArray((3, 4), np.float32, gpudata=memory)
    assert a.gpudata is memory
    same(a, floats(3, 4))
    part = GPUArray(4, np.float32, gpudata=int(memory) + 16, base=a)
    assert part.base is a
    same(part, floats(12)[4:8])
    part *= 2
    same(a[1], 2 * floats(12)[4:8])
    cuda.memcpy_htod(memory, floats(12, start=100))
    same(a + 1, floats(3, 4, start=101))

    class Holder(cuda.PointerHolderBase):
        def get_pointer(self):
            return int(memory)

    same(GPUArray(12, np.float32, gpudata=Holder()), floats(12, start=100))


def test_arrays_whose_memory_is_exchanged():
    a, b = gpuarray.to_gpu(floats(4)), gpuarray.to_gpu(floats(4, start=9))
    a.gpudata, b.gpudata = b.gpudata, a.gpudata
    same(a, floats(4, start=9))
    same(b, floats(4))


def test_freed_memory_is_not_used():
    a = gpuarray.to_gpu(floats(4))
    a.gpudata.free()
    with pytest.raises(Exception, match="freed"):
        a.get()
    with pytest.raises(cuda.LogicError):
        a.gpudata.free()


def test_an_allocator_is_asked_once_for_each_result():
    allocator = CountingAllocator()
    a = gpuarray.to_gpu(floats(10), allocator)
    assert allocator.sizes == [40]
    assert a.allocator is allocator
    b = a * 2
    assert allocator.sizes == [40, 40]
    assert b.allocator is allocator
    assert isinstance(b.gpudata, cuda.DeviceAllocation)
    same(b, 2 * floats(10))
    c = a[2:5] + 1
    assert allocator.sizes == [40, 40, 12]
    same(c, floats(10)[2:5] + 1)
    b += a
    b[1:3] = 0
    assert len(allocator.sizes) == 3
    gpuarray.zeros_like(a)
    assert allocator.sizes[3:] == [40]
    assert gpuarray.zeros(0, np.float32, allocator).size == 0
    assert allocator.sizes[4:] == []


def test_memory_pools_give_memory_and_get_it_back():
    pool = tools.DeviceMemoryPool()
    a = gpuarray.to_gpu(floats(100), allocator=pool.allocate)
    b = 5 * a + 6 * a
    assert b.is_pending
    assert pool.active_blocks == 1  # what is recorded has no memory
    assert b.allocator == pool.allocate
    assert isinstance(b.gpudata, cuda.PooledDeviceAllocation)
    assert int(b.gpudata) == b.ptr
    assert pool.active_blocks == 2
    same(b, 11 * floats(100))
    same(b[3:] * 2 - 1, 22 * floats(100)[3:] - 1)
    del b
    assert pool.active_blocks == 1
    del a
    assert pool.active_blocks == 0
    pool.stop_holding()


def test_no_allocator_is_the_default_one():
    a = gpuarray.zeros(3, np.float32, allocator=None)
    assert a.allocator is cuda.mem_alloc
    with pytest.raises(cuda.MemoryError, match="no memory"):
        gpuarray.empty(3, np.float32, allocator=lambda size: None)


def test_results_are_lazy_and_temporaries_have_no_memory():
    a = gpuarray.to_gpu(floats(1000))
    b = 5 * a + 6 * a
    assert b.is_pending
    tnp.evaluate(b)
    assert not b.is_pending
    same(b, 5 * floats(1000) + 6 * floats(1000))


# --- kernels of the program -----------------------------------------------------------------------

DOUBLE = """
__global__ void twice(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
"""


@pytest.mark.parametrize("call", ["plain", "prepared", "elementwise"])
def test_arrays_that_kernels_took_are_deferred_on_still(call):
    twice = SourceModule(
        "__global__ void twice(float *x) { x[threadIdx.x] = 2 * x[threadIdx.x]; }"
    ).get_function("twice")
    a = gpuarray.to_gpu(floats(32))
    reader = a + 1  # of the old elements
    if call == "plain":
        twice(a, block=(32, 1, 1))
    elif call == "prepared":
        twice.prepare("P").prepared_call((1, 1), (32, 1, 1), a)
    else:
        ElementwiseKernel("float *x", "x[i] = 2 * x[i]")(a)
    after = a + 1
    assert after.is_pending
    same(reader, floats(32) + 1)
    same(after, 2 * floats(32) + 1)
    twice(a, block=(32, 1, 1), stream=cuda.Stream())  # whose order is the program's to see to
    cuda.Context.synchronize()
    same(a + 0, 4 * floats(32))
    assert not (a + 0).is_pending


def test_arrays_are_arguments_of_kernels():
    twice = SourceModule(DOUBLE).get_function("twice")
    a = gpuarray.to_gpu(floats(100))
    waiting = a + 1
    twice(a, np.int32(100), block=(128, 1, 1))
    same(a, 2 * floats(100))
    same(waiting, floats(100) + 1)
    twice(a.gpudata, np.int32(50), block=(128, 1, 1))
    twice(a[50:], np.int32(50), block=(128, 1, 1))
    same(a, 4 * floats(100))
    twice.prepare("Pi")
    twice.prepared_call(a._grid, (128, 1, 1), a.gpudata, 100)
    twice.prepared_call((1, 1), (128, 1, 1), a, 100)
    same(a, 16 * floats(100))
    pending = a / 16
    twice(pending, np.int32(100), block=(128, 1, 1))
    same(pending, 2 * floats(100))


def test_grid_and_block_fit_the_array():
    twice = SourceModule(
        "__global__ void one(float *x, int n) {"
        " for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
        " x[i] = 1; }"
    ).get_function("one")
    a = gpuarray.zeros(100000, np.float32)
    twice(a, np.int32(a.size), block=a._block, grid=a._grid)
    same(a, np.ones(100000, np.float32))
    assert gpuarray.splay(a.size) == (a._grid, a._block)


def test_copies_take_arrays_for_addresses():
    a, b = gpuarray.to_gpu(floats(8)), gpuarray.zeros(8, np.float32)
    cuda.memcpy_dtod(b.gpudata, a.gpudata, a.nbytes)
    same(b, floats(8))
    cuda.memcpy_dtod(b, a[4:], 16)
    np.testing.assert_array_equal(b.get()[:4], floats(8)[4:])
    one = gpuarray.to_gpu(np.array([7], np.int32))
    host = np.zeros(1, np.int32)
    cuda.memcpy_dtoh(host, one)
    assert host[0] == 7


def test_elementwise_kernels_take_arrays_and_their_slices():
    axpy = ElementwiseKernel("float a, float *x, float *y", "y[i] += a * x[i]")
    x, y = gpuarray.to_gpu(floats(10)), gpuarray.zeros(10, np.float32)
    axpy(2, x, y)
    same(y, 2 * floats(10))
    axpy(1, x[5:], y[:5])
    axpy(1, x, y, slice=slice(5, None))
    same(y, 2 * floats(10) + np.concatenate([floats(10)[5:], floats(10)[5:]]))
    with pytest.raises(RuntimeError, match="non-contiguous"):
        axpy(1, x[::2], y[::2])
    with pytest.raises(ValueError, match="5 elements"):
        axpy(1, x, y[:5])
    with pytest.raises(TypeError, match="float64"):
        axpy(1, x, y.astype(np.float64))


def test_marks_and_waits_of_the_driver_mean_arithmetic_that_waits():
    x = gpuarray.zeros(1000, np.float32)
    start, end = cuda.Event(), cuda.Event()
    start.record()
    y = x + 1
    assert y.is_pending
    end.record()
    assert not y.is_pending
    z = x + 2
    end.synchronize()  # of what was recorded before
    assert z.is_pending
    for wait in (cuda.Context.synchronize, cuda.Stream().synchronize):
        z = x + 2
        wait()
        assert not z.is_pending
