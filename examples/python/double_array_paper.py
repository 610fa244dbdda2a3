# SPDX-License-Identifier: MIT
"""The same program as in PyCUDA's first papers: everything is in pycuda.driver."""

import sys
import time

import numpy
import pycuda.autoinit
import pycuda.driver as cuda

print("device:", pycuda.autoinit.device.name())

a = numpy.random.randn(4, 4).astype(numpy.float32)
a_gpu = cuda.mem_alloc(a.size * a.dtype.itemsize)
cuda.memcpy_htod(a_gpu, a)

began = time.perf_counter()
mod = cuda.SourceModule("""
    __global__ void twice(float *a)
    {
      int idx = threadIdx.x + threadIdx.y*4;
      a[idx] *= 2.0;
    }
    """)
print(f"SourceModule: {1e3 * (time.perf_counter() - began):.3f} ms")

func = mod.get_function("twice")
func(a_gpu, block=(4, 4, 1))

a_doubled = numpy.empty_like(a)
cuda.memcpy_dtoh(a_doubled, a_gpu)

correct = bool((a_doubled == 2 * a).all())
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
