# SPDX-License-Identifier: MIT
"""Turn a picture with a texture reference, as programs did it with CUDA 5: the hardware
interpolates. Then read doubles, which no texture holds, from the bits of integers."""

import sys
import time

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

began = time.perf_counter()
mod = SourceModule("""
#include <pycuda-helpers.hpp>

texture<float, 2> tex;
texture<fp_tex_double, 1, cudaReadModeElementType> doubles;

__global__ void rotate(float *out, int width, int height, float theta)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = x - 0.5f * (width - 1), v = y - 0.5f * (height - 1);
    float s = sinf(theta), c = cosf(theta);
    out[y * width + x] = tex2D(tex, u * c - v * s + 0.5f * width, v * c + u * s + 0.5f * height);
}

__global__ void scaled(double *out, double factor, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = factor * fp_tex1Dfetch(doubles, i);
}
""")
print(f"SourceModule: {1e3 * (time.perf_counter() - began):.3f} ms")

height, width = 96, 128
y, x = np.mgrid[:height, :width]
picture = (100 + 50 * np.sin(x / 9) * np.cos(y / 7)).astype(np.float32)

tex = mod.get_texref("tex")
tex.set_array(cuda.matrix_to_array(picture, order="C"))
tex.set_filter_mode(cuda.filter_mode.LINEAR)
tex.set_address_mode(0, cuda.address_mode.CLAMP)
tex.set_address_mode(1, cuda.address_mode.CLAMP)

rotate = mod.get_function("rotate")


def rotated(theta):
    out = np.empty_like(picture)
    rotate(
        cuda.Out(out), np.int32(width), np.int32(height), np.float32(theta),
        block=(16, 16, 1), grid=((width + 15) // 16, (height + 15) // 16), texrefs=[tex],
    )  # fmt: skip
    return out


def interpolated(theta):
    """The same with NumPy."""
    x0, y0, s, c = (width - 1) / 2, (height - 1) / 2, np.sin(theta), np.cos(theta)
    u = np.clip((x - x0) * c - (y - y0) * s + x0, 0, width - 1)
    v = np.clip((y - y0) * c + (x - x0) * s + y0, 0, height - 1)
    i, j = np.minimum(u.astype(int), width - 2), np.minimum(v.astype(int), height - 2)
    a, b = u - i, v - j
    top = (1 - a) * picture[j, i] + a * picture[j, i + 1]
    bottom = (1 - a) * picture[j + 1, i] + a * picture[j + 1, i + 1]
    return (1 - b) * top + b * bottom


print("device:", pycuda.autoinit.device.name())
half_turn = np.abs(rotated(np.pi) - picture[::-1, ::-1]).max()
# The hardware's weights have 8 bits after the point: up to 1/512 of the step between neighbours.
error = np.abs(rotated(0.3) - interpolated(0.3)).max()
print(f"half a turn: {half_turn:.4f}, 0.3: {error:.4f} of {np.ptp(picture):.0f} grey levels")

values = np.random.randn(1000)
on_device = gpuarray.to_gpu(values)
texref = mod.get_texref("doubles")
on_device.bind_to_texref_ext(texref, allow_double_hack=True)
out = np.empty_like(values)
scaled = mod.get_function("scaled")
scaled(cuda.Out(out), np.float64(3), np.int32(1000), block=(256, 1, 1), grid=(4, 1))
exact = bool((out == 3 * values).all())
print("check of the 1-D doubles:", "ok" if exact else "WRONG")

correct = exact and half_turn < 0.05 and error < 0.1
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
