# SPDX-License-Identifier: MIT
"""A lecture's program: the module from the driver, and a launch whose parts are set one by one."""

import warnings

import numpy
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as drv
from pycuda import gpuarray

warnings.simplefilter("ignore", DeprecationWarning)
mod = drv.SourceModule(
    """
__global__ void multiply_them(float *dest, float *a, float *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dest[i] = a[i] * b[i];
}
"""
)
multiply_them = mod.get_function("multiply_them")
print("%d registers, %d bytes shared" % (multiply_them.registers, multiply_them.smem))

a = numpy.random.randn(400).astype(numpy.float32)
b = numpy.random.randn(400).astype(numpy.float32)
dest = numpy.zeros_like(a)
multiply_them(drv.Out(dest), drv.In(a), drv.In(b), numpy.int32(400), block=(100, 1, 1), grid=(4, 1))
assert (dest == a * b).all()

a_gpu, b_gpu, dest_gpu = drv.to_device(a), drv.to_device(b), drv.mem_alloc(a.nbytes)


def fetch():
    found = drv.from_device(dest_gpu, a.shape, a.dtype)
    drv.memset_d32(dest_gpu, 0, 400)
    return found


multiply_them.set_block_shape(100, 1, 1)
multiply_them.set_shared_size(0)
multiply_them.param_set(dest_gpu, a_gpu, b_gpu, numpy.int32(400))
multiply_them.launch_grid(4, 1)
assert (fetch() == a * b).all()
multiply_them.param_seti(24, 100)
multiply_them.launch_grid(4, 1)
assert (fetch() == numpy.where(numpy.arange(400) < 100, a * b, 0)).all()

multiply_them.prepare("PPPi", (200, 1, 1), 0, [])
multiply_them.prepared_call((2, 1), dest_gpu, a_gpu, b_gpu, 400)
assert (fetch() == a * b).all()
stream = drv.Stream()
multiply_them.prepared_async_call((2, 1), stream, dest_gpu, b_gpu, b_gpu, 400)
stream.synchronize()
assert (fetch() == b * b).all()
assert multiply_them.prepared_timed_call((2, 1), dest_gpu, a_gpu, b_gpu, 400)() >= 0

x = gpuarray.to_gpu(a)
multiply_them.prepared_call((2, 1), dest_gpu, x.gpudata, b_gpu, x.size)
assert numpy.allclose((2 * x).get() * b / 2, fetch())
