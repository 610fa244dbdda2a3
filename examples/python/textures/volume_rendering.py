# SPDX-License-Identifier: MIT
"""Pictures of a volume by ray casting: a pixel's ray reads a texture of three dimensions, and what
it reads becomes colour and opacity by one of several transfer functions, the layers of another.

volume_rendering.py [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=400, help="pixels of a picture's side")
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()

mod = SourceModule("""
texture<unsigned char, 3, cudaReadModeNormalizedFloat> volume;
texture<float4, cudaTextureType1DLayered, cudaReadModeElementType> transfer;
__constant__ float eye_to_volume[3][4];

struct Ray { float3 origin, direction; };

__device__ float3 at(Ray r, float t)
{
    return make_float3(r.origin.x + t * r.direction.x, r.origin.y + t * r.direction.y,
                       r.origin.z + t * r.direction.z);
}

__device__ float3 turned(float3 v, float w)
{
    float out[3];
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float *row = eye_to_volume[i];
        out[i] = row[0] * v.x + row[1] * v.y + row[2] * v.z + w * row[3];
    }
    return make_float3(out[0], out[1], out[2]);
}

// Where the ray is between two planes of the box from -1 to 1.
__device__ void clip(float origin, float direction, float &near, float &far)
{
    float t0 = (-1 - origin) / direction, t1 = (1 - origin) / direction;
    near = fmaxf(near, fminf(t0, t1));
    far = fminf(far, fmaxf(t0, t1));
}

__global__ void render(uchar4 *picture, int size, float function, float step, float density)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size) return;
    float u = (x + 0.5f) / size * 2 - 1, v = 1 - (y + 0.5f) / size * 2;
    float length = rsqrtf(u * u + v * v + 4);
    Ray ray;
    ray.origin = turned(make_float3(0, 0, 0), 1);
    ray.direction = turned(make_float3(u * length, v * length, -2 * length), 0);
    float near = 0, far = 1e30f;
    clip(ray.origin.x, ray.direction.x, near, far);
    clip(ray.origin.y, ray.direction.y, near, far);
    clip(ray.origin.z, ray.direction.z, near, far);

    float4 sum = make_float4(0, 0, 0, 0);
    for (float t = near; t < far && sum.w < 0.995f; t += step) {  // front to back
        float3 p = at(ray, t);
        float sample = tex3D(volume, p.x * 0.5f + 0.5f, p.y * 0.5f + 0.5f, p.z * 0.5f + 0.5f);
        float4 colour = tex1DLayered(transfer, sample, (int) function);
        float weight = (1 - sum.w) * fminf(colour.w * density, 1.f);
        sum.x += weight * colour.x;
        sum.y += weight * colour.y;
        sum.z += weight * colour.z;
        sum.w += weight;
    }
    picture[y * size + x] = make_uchar4(255 * __saturatef(sum.x), 255 * __saturatef(sum.y),
                                        255 * __saturatef(sum.z), 255 * __saturatef(sum.w));
}
""")
render = mod.get_function("render")
STEP, DENSITY = np.float32(0.02), np.float32(0.35)


def volume_of(nz, ny, nx):
    """A shell with a dense knot in it, as bytes."""
    z, y, x = np.ogrid[-1 : 1 : nz * 1j, -1 : 1 : ny * 1j, -1 : 1 : nx * 1j]
    shell = np.exp(-(((np.sqrt(x * x + y * y + z * z) - 0.8) / 0.08) ** 2))
    ring = np.sqrt((np.sqrt(x * x + y * y) - 0.4) ** 2 + (z - 0.15 * np.sin(9 * x)) ** 2)
    return np.round(255 * np.maximum(0.35 * shell, np.exp(-((ring / 0.18) ** 2)))).astype(np.uint8)


# (value, red, green, blue, opacity), with straight lines in between.
FUNCTIONS = {
    "x_ray": [(0, 0, 0, 0, 0), (1, 0.8, 0.9, 1, 0.5)],
    "flesh_and_bone": [
        (0, 0, 0, 0, 0), (0.12, 0, 0, 0, 0), (0.3, 0.9, 0.5, 0.3, 0.06), (0.45, 0.8, 0.2, 0.1, 0),
        (0.6, 1, 0.9, 0.7, 0.5), (1, 1, 1, 1, 1),
    ],
    "bands": [
        (0, 0, 0, 0, 0), (0.2, 0, 0.3, 1, 0), (0.25, 0, 0.5, 1, 0.3), (0.3, 0, 0.3, 1, 0),
        (0.7, 1, 0.8, 0, 0), (0.75, 1, 0.8, 0, 0.8), (0.8, 1, 0.8, 0, 0), (1, 1, 0, 0, 0),
    ],
}  # fmt: skip
ENTRIES = 64


def table_of(points):
    values = (np.arange(ENTRIES) + 0.5) / ENTRIES
    value, *channels = np.transpose(points)
    return np.stack([np.interp(values, value, channel) for channel in channels], -1)


def layered_array(tables):
    """tables[layer, entry, channel]: rows of their own, which nothing interpolates between."""
    descr = cuda.ArrayDescriptor3D()
    descr.depth, descr.height, descr.width = len(tables), 0, ENTRIES
    descr.format, descr.num_channels = cuda.array_format.FLOAT, 4
    descr.flags = cuda.array3d_flags.ARRAY3D_LAYERED
    array = cuda.Array(descr)
    copy = cuda.Memcpy3D()
    copy.set_src_host(tables)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = tables.strides[0]
    copy.src_height = copy.height = 1
    copy.depth = len(tables)
    copy()
    return array


def view(angle):
    """The eye at a distance of 2.6, turned about two axes."""
    c, s = np.cos(angle), np.sin(angle)
    tilt = np.array([[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    matrix = turn @ tilt
    return np.hstack([matrix, matrix @ [[0], [0], [2.6]]]).astype(np.float32)


def interpolated(table, *coordinates):
    """Linear between elements, clamped: what the hardware does, with weights of more bits."""
    result, indices = 0, []
    for coordinate, n in zip(coordinates, table.shape, strict=False):
        at = np.clip(coordinate * n - 0.5, 0, n - 1)
        low = np.minimum(at.astype(int), n - 2)
        indices.append([(low, 1 - (at - low)), (low + 1, at - low)])
    for corner in np.ndindex(*[2] * len(indices)):
        places, weights = zip(
            *(sides[i] for sides, i in zip(indices, corner, strict=True)), strict=True
        )
        element = table[places]
        weight = np.prod(weights, axis=0)
        result = result + element * weight.reshape(weight.shape + (1,) * (element.ndim - 1))
    return result


def render_on_host(size, volume, table, matrix):
    pixel = (np.arange(size) + 0.5) / size * 2 - 1
    u, v = (a.ravel() for a in np.meshgrid(pixel, -pixel))
    directions = np.stack([u, v, np.full_like(u, -2)], -1)
    directions = directions / np.linalg.norm(directions, axis=1)[:, None] @ matrix[:, :3].T
    origin = matrix[:, 3]
    walls = np.stack([(-1 - origin) / directions, (1 - origin) / directions])
    near, far = walls.min(axis=0).max(axis=1), walls.max(axis=0).min(axis=1)
    total = np.zeros((size * size, 4))
    t = np.maximum(near, 0)
    while (busy := np.flatnonzero((t < far) & (total[:, 3] < 0.995))).size:
        p = (origin + t[busy, None] * directions[busy]) * 0.5 + 0.5
        sample = interpolated(volume / 255, p[:, 2], p[:, 1], p[:, 0])
        colour = interpolated(table, sample)
        weight = (1 - total[busy, 3]) * np.minimum(colour[:, 3] * DENSITY, 1)
        total[busy] += weight[:, None] * np.hstack([colour[:, :3], np.ones((busy.size, 1))])
        t[busy] += STEP
    return (255 * total.clip(0, 1)).reshape(size, size, 4)


def bind(name, array):
    texref = mod.get_texref(name)
    texref.set_array(array)
    texref.set_flags(cuda.TRSF_NORMALIZED_COORDINATES)
    texref.set_filter_mode(cuda.filter_mode.LINEAR)
    for dimension in range(3):
        texref.set_address_mode(dimension, cuda.address_mode.CLAMP)
    return texref


tables = np.stack([table_of(points) for points in FUNCTIONS.values()]).astype(np.float32)
matrix = view(0.5)
cuda.memcpy_htod(mod.get_global("eye_to_volume")[0], matrix)


def render_on_device(size, volume, layer):
    texrefs = [
        bind("volume", cuda.np_to_array(volume, order="C")),
        bind("transfer", layered_array(tables)),
    ]
    picture = np.empty((size, size, 4), np.uint8)
    blocks = (size + 15) // 16
    render(
        cuda.Out(picture), np.int32(size), np.float32(layer), STEP, DENSITY,
        block=(16, 16, 1), grid=(blocks, blocks), texrefs=texrefs,
    )  # fmt: skip
    return picture


if options.pictures:
    for layer, name in enumerate(FUNCTIONS):
        rgb = render_on_device(options.size, volume_of(96, 96, 96), layer)[..., :3]
        header = f"P6 {options.size} {options.size} 255\n".encode()
        (options.pictures / f"{name}.ppm").write_bytes(header + rgb.tobytes())

correct = True
small = volume_of(20, 24, 28)
for layer, name in enumerate(FUNCTIONS):
    found = render_on_device(40, small, layer).astype(float)
    difference = np.abs(found - render_on_host(40, small, tables[layer], matrix))
    print(f"{name}: {difference.mean():.2f} of 255 off, at most {difference.max():.0f}")
    correct = correct and difference.mean() < 1 and difference.max() < 8 and found.max() > 100
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
