# SPDX-License-Identifier: MIT
"""Heat spreads in a solid: a stencil that reads a texture of three dimensions and writes a surface,
the two changing places at every step. A picture is an oblique cut, which the texture interpolates.

heat_in_a_solid.py [--size N] [--steps N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=64)
parser.add_argument("--steps", type=int, default=150)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()

mod = SourceModule("""
texture<float, 3, cudaReadModeElementType> solid;
surface<void, 3> next;

// Beyond a wall the texture reads the wall itself, so that no heat is lost.
__global__ void spread(int nx, int ny, int nz, float rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    float x = i + 0.5f, y = j + 0.5f;
    float below = tex3D(solid, x, y, -0.5f), here = tex3D(solid, x, y, 0.5f);
    for (int k = 0; k < nz; k++) {
        float z = k + 0.5f, above = tex3D(solid, x, y, z + 1);
        float beside = tex3D(solid, x - 1, y, z) + tex3D(solid, x + 1, y, z)
                     + tex3D(solid, x, y - 1, z) + tex3D(solid, x, y + 1, z);
        float value = here + rate * (beside + below + above - 6 * here);
        surf3Dwrite(value, next, i * (int) sizeof(float), j, k);
        below = here;
        here = above;
    }
}

__global__ void cut(float *picture, int width, int height, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= width || j >= height) return;
    float u = (i + 0.5f) / width, v = (j + 0.5f) / height;
    picture[j * width + i] = tex3D(solid, u * nx, v * ny, (0.2f + 0.3f * u + 0.3f * v) * nz);
}
""")
spread, cut = mod.get_function("spread"), mod.get_function("cut")
solid, surface = mod.get_texref("solid"), mod.get_surfref("next")
RATE = np.float32(0.12)


def array_of(volume):
    """An array that textures read and surfaces write."""
    descr = cuda.ArrayDescriptor3D()
    descr.depth, descr.height, descr.width = volume.shape
    descr.format, descr.num_channels = cuda.array_format.FLOAT, 1
    descr.flags = cuda.array3d_flags.SURFACE_LDST
    array = cuda.Array(descr)
    copy = copy_like(volume)
    copy.set_src_host(volume)
    copy.set_dst_array(array)
    copy()
    return array


def values_of(array, volume):
    copy, values = copy_like(volume), np.empty_like(volume)
    copy.set_src_array(array)
    copy.set_dst_host(values)
    copy()
    return values


def copy_like(volume):
    copy = cuda.Memcpy3D()
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = volume.strides[1]
    copy.src_height = copy.dst_height = copy.height = volume.shape[1]
    copy.depth = volume.shape[0]
    return copy


def launch(kernel, *arguments, width, height, texture, filter_mode):
    solid.set_array(texture)
    solid.set_filter_mode(filter_mode)
    kernel(
        *arguments, block=(16, 8, 1), grid=((width + 15) // 16, (height + 7) // 8), texrefs=[solid]
    )


def write_picture(name, array, shape):
    if not options.pictures:
        return
    size = 4 * options.size
    picture = np.empty((size, size), np.float32)
    launch(
        cut, cuda.Out(picture), *map(np.int32, (size, size, *shape[::-1])),
        width=size, height=size, texture=array, filter_mode=cuda.filter_mode.LINEAR,
    )  # fmt: skip
    # From black through red and yellow to white.
    glow = np.clip(picture[..., np.newaxis] * 3 - [0, 1, 2], 0, 1)
    header = f"P6 {size} {size} 255\n".encode()
    (options.pictures / name).write_bytes(header + (255 * glow).astype(np.uint8).tobytes())


def spread_on_host(volume):
    wide = np.pad(volume, 1, mode="edge")
    inside = slice(1, -1)
    around = -6 * volume
    for axis in range(3):
        for shifted in (slice(0, -2), slice(2, None)):
            around += wide[tuple(shifted if a == axis else inside for a in range(3))]
    return volume + RATE * around


# A hot rod across a cold block, and a warm corner.
n = options.size
shape = nz, ny, nx = n * 3 // 4, n, n + 1
z, y, x = np.ogrid[:nz, :ny, :nx]
begin = np.zeros(shape, np.float32)
begin[(x - nx * 0.3) ** 2 + (y - ny * 0.6 + z * 0.4) ** 2 < (0.15 * n) ** 2] = 1
begin[x + y + z > 2 * n] = 0.6

now, later = array_of(begin), array_of(begin)
write_picture("before.ppm", now, shape)
checked = 5  # steps, which NumPy takes as well
for step in range(options.steps):
    surface.set_array(later)
    launch(
        spread, *map(np.int32, (nx, ny, nz)), RATE,
        width=nx, height=ny, texture=now, filter_mode=cuda.filter_mode.POINT,
    )  # fmt: skip
    now, later = later, now
    if step + 1 == checked:
        expected = begin
        for _ in range(checked):
            expected = spread_on_host(expected)
        error = np.abs(values_of(now, begin) - expected).max()
write_picture("after.ppm", now, shape)
result = values_of(now, begin)

lost = 1 - result.sum(dtype=np.float64) / begin.sum(dtype=np.float64)
print(f"after {checked} steps: {error:.1e} off, after {options.steps}: {100 * lost:.4f} % lost")
print(f"temperatures: {result.min():.3f} to {result.max():.3f}")
correct = error < 1e-5 and abs(lost) < 1e-4 and 0 <= result.min() < result.max() < 1
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
