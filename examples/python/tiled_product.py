# SPDX-License-Identifier: MIT
"""Product of two square matrices, tile by tile through shared memory.

N and BLOCK_SIZE are written into the kernel's text at run time, so the compiler sees constants.
"""

import sys
import time

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

N = 1024
BLOCK_SIZE = 32
REPEATS = 5

TEMPLATE = """
#define N %(N)s
#define BLOCK_SIZE %(BLOCK_SIZE)s

__global__ void product(const double *a, const double *b, double *c)
{
    __shared__ double a_tile[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ double b_tile[BLOCK_SIZE][BLOCK_SIZE];

    const uint tx = threadIdx.x;
    const uint ty = threadIdx.y;
    const uint row = blockIdx.y * BLOCK_SIZE + ty;
    const uint column = blockIdx.x * BLOCK_SIZE + tx;

    double sum = 0;
    for (uint tile = 0; tile < N / BLOCK_SIZE; ++tile) {
        a_tile[ty][tx] = a[row * N + tile * BLOCK_SIZE + tx];
        b_tile[ty][tx] = b[(tile * BLOCK_SIZE + ty) * N + column];
        __syncthreads();
        for (uint k = 0; k < BLOCK_SIZE; ++k)
            sum += a_tile[ty][k] * b_tile[k][tx];
        __syncthreads();
    }
    c[row * N + column] = sum;
}
"""

print("device:", pycuda.autoinit.device.name())

began = time.perf_counter()
module = SourceModule(TEMPLATE % {"N": N, "BLOCK_SIZE": BLOCK_SIZE})
print(f"SourceModule: {1e3 * (time.perf_counter() - began):.3f} ms")
product = module.get_function("product")

rng = np.random.default_rng(7)
a = rng.standard_normal((N, N))
b = rng.standard_normal((N, N))
c = np.empty_like(a)
a_gpu = cuda.mem_alloc(a.nbytes)
b_gpu = cuda.mem_alloc(b.nbytes)
c_gpu = cuda.mem_alloc(c.nbytes)
cuda.memcpy_htod(a_gpu, a)
cuda.memcpy_htod(b_gpu, b)

began = time.perf_counter()
reference = a @ b
numpy_seconds = time.perf_counter() - began
print(f"NumPy: {1e3 * numpy_seconds:.2f} ms, {2e-9 * N**3 / numpy_seconds:.1f} GFLOP/s")

grid = (N // BLOCK_SIZE, N // BLOCK_SIZE)
block = (BLOCK_SIZE, BLOCK_SIZE, 1)
correct = True
for name, types in [("[np.intp] * 3", [np.intp] * 3), ('"PPP"', "PPP")]:
    product.prepare(types)
    cuda.memset_d32(c_gpu, 0xFFFFFFFF, c.nbytes // 4)
    best = float("inf")
    for _ in range(REPEATS):
        start, end = cuda.Event(), cuda.Event()
        start.record()
        product.prepared_call(grid, block, a_gpu, b_gpu, c_gpu)
        end.record()
        end.synchronize()
        best = min(best, 1e-3 * start.time_till(end))
    cuda.memcpy_dtoh(c, c_gpu)
    right = bool(np.allclose(c, reference))
    correct = correct and right
    print(
        f"prepare({name}): {1e3 * best:.2f} ms, {2e-9 * N**3 / best:.1f} GFLOP/s,",
        "check against NumPy:",
        "ok" if right else "WRONG",
    )

# 33 * 33 = 1089 threads are more than any CUDA device allows in a block: the launch must fail.
refused = False
try:
    product.prepared_call(grid, (33, 33, 1), a_gpu, b_gpu, c_gpu)
except cuda.Error as error:
    refused = True
    print("a 33x33 block is refused:", type(error).__name__ + ":", error)

# The context is still usable: the next launch works.
product.prepared_call(grid, block, a_gpu, b_gpu, c_gpu)
cuda.memcpy_dtoh(c, c_gpu)
correct = correct and bool(np.allclose(c, reference))

if not refused:
    print("a 33x33 block was NOT refused")
sys.exit(0 if correct and refused else 1)
