# SPDX-License-Identifier: MIT
"""The Mandelbrot set, histograms of it by atomics, and printf from the device."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

mod = SourceModule("""
#include <stdio.h>
__global__ void mandelbrot(const float2 *q, unsigned short *out, int maxiter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float re = 0, im = 0;
    out[i] = 0;
    for (int k = 0; k < maxiter; k++) {
        float t = re * re - im * im + q[i].x;
        im = 2 * re * im + q[i].y;
        re = t;
        if (re * re + im * im > 4.0f) { out[i] = k; break; }
    }
}
__global__ void histogram(const unsigned short *v, unsigned int *bins, int n)
{
    __shared__ unsigned int mine[64];
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[v[i] & 63], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void say_hi(float *a)
{
    printf("I am %d.%d with value %g\\n", threadIdx.x, threadIdx.y, a[threadIdx.x]);
}
""")
y, x = np.ogrid[1:-1:60j, -2:0.75:100j]
q = (x + 1j * y).astype(np.complex64).ravel()
n = q.size
out = cuda.mem_alloc(2 * n)
bins = cuda.to_device(np.zeros(64, np.uint32))
mod.get_function("mandelbrot")(
    cuda.In(q), out, np.int32(50), np.int32(n), block=(128, 1, 1), grid=((n + 127) // 128, 1)
)
mod.get_function("histogram")(out, bins, np.int32(n), block=(64, 1, 1), grid=(8, 1))
times = cuda.from_device(out, n, np.uint16)
assert (cuda.from_device(bins, 64, np.uint32) == np.bincount(times, minlength=64)).all()
for line in times.reshape(60, 100)[::5, ::2]:
    print("".join(" .:-=+*#%@"[min(9, v)] for v in line))
z, inside, expected = np.zeros_like(q), np.ones(n, bool), np.zeros(n, int)
for k in range(50):
    z[inside] = z[inside] ** 2 + q[inside]
    gone = inside & (np.abs(z) > 2)
    expected[gone] = k
    inside &= ~gone
assert (times == expected).mean() > 0.99
mod.get_function("say_hi")(cuda.In(np.float32([1.5, 2.5])), block=(2, 1, 1))
cuda.Context.synchronize()
