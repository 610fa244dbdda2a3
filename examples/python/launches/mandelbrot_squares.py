# SPDX-License-Identifier: MIT
"""A Mandelbrot set painted by kernels that launch kernels, as Mariani and Silver do it.

The set and all its shades are connected: a square whose edge has one shade has it inside, too, and
is filled. Other squares are cut in four, each block launching the kernel for its own quarter.
"""

import sys

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import DynamicSourceModule

N = int(sys.argv[1]) if len(sys.argv) > 1 else 256
TEXT = """
#define SMALLEST 8

__device__ int launches;

__device__ int shade(int x, int y, int n)
{
    const float cx = -2 + 3.f * x / n, cy = -1.5f + 3.f * y / n;
    float a = 0, b = 0;
    int steps = 0;
    for (; steps < 100 && a * a + b * b < 4; ++steps) {
        const float next = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = next;
    }
    return steps;
}

__global__ void fill(unsigned char *image, int n, int x, int y, int size, int value)
{
    for (int i = threadIdx.x; i < size * size; i += blockDim.x)
        image[(y + i / size) * n + x + i % size] = value;
}

__global__ void each_point(unsigned char *image, int n, int x, int y, int size)
{
    for (int i = threadIdx.x; i < size * size; i += blockDim.x)
        image[(y + i / size) * n + x + i % size] = shade(x + i % size, y + i / size, n);
}

__global__ void squares(unsigned char *image, int n, int x, int y, int size)
{
    x += blockIdx.x * size;
    y += blockIdx.y * size;
    __shared__ int least, most;
    if (threadIdx.x == 0) least = 255, most = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < 4 * size; i += blockDim.x) {
        const int along = i % size, far = i / size % 2 * (size - 1);
        const int edge = i < 2 * size ? shade(x + along, y + far, n) : shade(x + far, y + along, n);
        atomicMin(&least, edge);
        atomicMax(&most, edge);
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    atomicAdd(&launches, 1);
    if (least == most)
        fill<<<1, 64>>>(image, n, x, y, size, least);
    else if (size <= SMALLEST)
        each_point<<<1, 64>>>(image, n, x, y, size);
    else
        squares<<<dim3(2, 2), 64>>>(image, n, x, y, size / 2);
}
"""

try:
    module = DynamicSourceModule(TEXT)
except OSError as error:  # on a GPU: libcudadevrt.a is a file of a CUDA toolkit
    sys.exit(str(error))
image = np.zeros((N, N), np.uint8)
module.get_function("squares")(
    *(cuda.Out(image), np.int32(N), np.int32(0), np.int32(0), np.int32(N // 4)),
    grid=(4, 4),
    block=(64, 1, 1),
)
launches = np.zeros(1, np.int32)
cuda.memcpy_dtoh(launches, module.get_global("launches")[0])
for row in image[:: N // 24]:
    print("".join(" .:-=+*#%@"[min(9, shade // 11)] for shade in row[:: max(1, N // 64)]))
print(f"{launches[0]} squares on {pycuda.autoinit.device.name()}")
