# SPDX-License-Identifier: MIT
"""Double a 4x4 array with a kernel written as a string: the smallest complete program."""

import sys
import time

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

KERNEL = """
__global__ void twice(float *a)
{
    int i = threadIdx.x + 4 * threadIdx.y;
    a[i] *= 2;
}
"""

print("device:", pycuda.autoinit.device.name())

began = time.perf_counter()
module = SourceModule(KERNEL)
print(f"SourceModule: {1e3 * (time.perf_counter() - began):.3f} ms")
twice = module.get_function("twice")

a = np.random.randn(4, 4).astype(np.float32)
a_gpu = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(a_gpu, a)
twice(a_gpu, block=(4, 4, 1))
doubled = np.empty_like(a)
cuda.memcpy_dtoh(doubled, a_gpu)

seconds = twice(a_gpu, block=(4, 4, 1), time_kernel=True)
print(f"kernel: {1e6 * seconds:.1f} us, {2e-9 * a.nbytes / seconds:.4f} GB/s")

correct = bool((doubled == 2 * a).all())
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
