# SPDX-License-Identifier: MIT
"""Temporary arrays of a loop from a memory pool: the driver allocates only once."""

import sys
import time

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

KERNELS = """
__global__ void squares(float *out, const float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] * a[i];
}
__global__ void add(float *a, const float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += b[i];
}
"""
N, STEPS = 256 * 1024, 50

print("device:", pycuda.autoinit.device.name())
began = time.perf_counter()
module = SourceModule(KERNELS)
print(f"SourceModule: {1e3 * (time.perf_counter() - began):.3f} ms")
squares = module.get_function("squares").prepare("PP")
add = module.get_function("add").prepare("PP")


def accumulate(a, allocate):
    """The sum of STEPS squares of `a`, each step with a temporary of its own."""
    total_gpu, a_gpu = cuda.to_device(np.zeros_like(a)), cuda.to_device(a)
    cuda.Context.synchronize()
    began = time.perf_counter()
    for _ in range(STEPS):
        temporary = allocate(a.nbytes)
        squares.prepared_call((N // 256, 1), (256, 1, 1), temporary, a_gpu)
        add.prepared_call((N // 256, 1), (256, 1, 1), total_gpu, temporary)
        # All work is on one stream, so the next step may reuse the block.
        temporary.free()
    cuda.Context.synchronize()
    seconds = (time.perf_counter() - began) / STEPS
    return cuda.from_device_like(total_gpu, a), seconds


a = np.random.rand(N).astype(np.float32)
pool = DeviceMemoryPool()
_, without = accumulate(a, cuda.mem_alloc)
total, seconds = accumulate(a, pool.allocate)
print(f"a step: {1e6 * seconds:.1f} us with the pool, {1e6 * without:.1f} us without")
print(f"kernels: {5e-9 * a.nbytes / seconds:.1f} GB/s, of three arrays read and two written")
print(f"the pool manages {pool.managed_bytes} bytes in {pool.held_blocks} block")

correct = bool(np.allclose(total, STEPS * a * a, rtol=1e-4)) and pool.held_blocks == 1
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
