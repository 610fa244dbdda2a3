# SPDX-License-Identifier: MIT
"""More contrast: a kernel counts the greys of a picture, and an ElementwiseKernel evens them out.

equalise.py [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=512)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()

histogram = SourceModule("""
__global__ void histogram(unsigned int *counts, const unsigned char *image, int n)
{
    __shared__ unsigned int own[256];  // of this block
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&own[image[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
""").get_function("histogram")
look_up = ElementwiseKernel(
    "unsigned char *image, const unsigned char *table", "image[i] = table[image[i]]", "look_up"
)


def write_picture(name, grey):
    if options.pictures:
        header = "P5 {1} {0} 255\n".format(*grey.shape).encode()
        (options.pictures / name).write_bytes(header + grey.tobytes())


def table_of(counts):
    """The grey that becomes of each: how many of all points are no brighter."""
    below = counts.cumsum(dtype=np.int64)
    darkest = below[below > 0][0]
    return np.round(255 * (below - darkest) / max(below[-1] - darkest, 1)).clip(0).astype(np.uint8)


n = options.size
x, y = np.meshgrid(np.linspace(-2, 2, n), np.linspace(-2, 2, n))
picture = (110 + 30 * np.sin(5 * x * y) * np.exp(-x * x - y * y)).astype(np.uint8)  # dull
write_picture("dull.pgm", picture)

image = gpuarray.to_gpu(picture)
counts = gpuarray.zeros(256, np.uint32)
histogram(counts, image, np.int32(image.size), block=(256, 1, 1), grid=(32, 1))
look_up(image, gpuarray.to_gpu(table_of(counts.get())))
write_picture("equalised.pgm", image.get())

counts_of_host = np.bincount(picture.ravel(), minlength=256)
correct = np.array_equal(counts.get(), counts_of_host)
correct = correct and np.array_equal(image.get(), table_of(counts_of_host)[picture])
correct = correct and image.get().std() > 2 * picture.std()
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
