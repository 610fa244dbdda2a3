# SPDX-License-Identifier: MIT
"""Pi by Monte Carlo: a kernel of our own writes into the memory of an array, which is summed."""

import argparse
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=1 << 16)
parser.add_argument("--points", type=int, default=200, help="of each thread")
options = parser.parse_args()

module = SourceModule("""
__device__ unsigned int next(unsigned int &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__global__ void throw_darts(int *hits, const unsigned int *seeds, int points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned int state = seeds[i];
    int inside = 0;
    for (int k = 0; k < points; ++k) {
        float x = (next(state) >> 8) / 16777216.0f;
        float y = (next(state) >> 8) / 16777216.0f;
        inside += x * x + y * y < 1;
    }
    hits[i] = inside;
}
""")
throw_darts = module.get_function("throw_darts")

n = options.threads
seeds = np.random.default_rng(1).integers(1, 2**32, n, dtype=np.uint32)
hits = gpuarray.empty(n, np.int32)
start, end = cuda.Event(), cuda.Event()
start.record()
throw_darts(
    hits.gpudata,
    gpuarray.to_gpu(seeds).gpudata,
    np.int32(options.points),
    np.int32(n),
    block=(256, 1, 1),
    grid=((n + 255) // 256, 1),
)
end.record()
total = n * options.points
pi = 4 * int(gpuarray.sum(hits, dtype=np.int64).get()) / total
end.synchronize()
print(f"pi is about {pi:.5f} by {total} points in {start.time_till(end):.2f} ms")

# The same darts on the host, of the first threads; and pi within five standard deviations.
state, inside = seeds[:100].copy(), np.zeros(100, np.int32)


def next_of_host():
    global state
    state = state ^ state << np.uint32(13)
    state = state ^ state >> np.uint32(17)
    state = state ^ state << np.uint32(5)
    return (state >> np.uint32(8)) / np.float32(2**24)


for _ in range(options.points):
    inside += next_of_host() ** 2 + next_of_host() ** 2 < 1
correct = np.array_equal(hits[:100].get(), inside) and abs(pi - np.pi) < 5 * 1.65 / total**0.5
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
