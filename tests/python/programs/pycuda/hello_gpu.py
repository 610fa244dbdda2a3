# SPDX-License-Identifier: MIT
"""Two vectors multiplied: the shortest program, with In and Out."""

import numpy
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

mod = SourceModule("""
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
""")

multiply_them = mod.get_function("multiply_them")

a = numpy.random.randn(400).astype(numpy.float32)
b = numpy.random.randn(400).astype(numpy.float32)

dest = numpy.zeros_like(a)
multiply_them(drv.Out(dest), drv.In(a), drv.In(b), block=(400, 1, 1))
print(dest - a * b)
assert (dest == a * b).all()

twice = SourceModule("__global__ void twice(float *a) { a[threadIdx.x + 4 * threadIdx.y] *= 2; }")
square = numpy.random.randn(4, 4).astype(numpy.float32)
copy = square.copy()
func = twice.get_function("twice")
func(drv.InOut(square), block=(4, 4, 1), grid=(1, 1))
assert (square == 2 * copy).all()
assert func(drv.InOut(square), block=(4, 4, 1), time_kernel=True) > 0
