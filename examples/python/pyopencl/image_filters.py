# SPDX-License-Identifier: MIT
"""A picture blurred by a box and by Gauss's bell, and its edges by Sobel: image2d_t and a sampler.

image_filters.py [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pyopencl as cl

SOURCE = """
float4 weighted(read_only image2d_t from, sampler_t at, int2 here, constant float *weights, int r) {
    float4 total = 0;
    for (int y = -r; y <= r; ++y)
        for (int x = -r; x <= r; ++x)
            total += *weights++ * read_imagef(from, at, here + (int2)(x, y));
    return total;
}
kernel void blur(read_only image2d_t from, write_only image2d_t to, sampler_t at,
                 constant float *weights, int radius) {
    int2 here = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, here, weighted(from, at, here, weights, radius));
}
kernel void edges(read_only image2d_t from, write_only image2d_t to, sampler_t at,
                  constant float *across, constant float *down) {
    int2 here = (int2)(get_global_id(0), get_global_id(1));
    float4 dx = weighted(from, at, here, across, 1), dy = weighted(from, at, here, down, 1);
    write_imagef(to, here, (float4)(sqrt(dx * dx + dy * dy).xyz, 1));
}
"""

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=300)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
n = options.size

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j]
picture = np.full((n, n, 4), 255, np.uint8)
picture[..., 0] = 127 + 127 * np.sin(40 * (x * x + y * y))
picture[..., 1] = np.where(abs(x) + abs(y) < 0.7, 220, 40)
picture[..., 2] = np.where((8 * x).astype(int) + (8 * y).astype(int) & 1, 200, 90)

box = np.full((9, 9), 1 / 81, np.float32)
bell = np.exp(-(np.arange(-6, 7) ** 2) / 18)
gauss = (np.outer(bell, bell) / bell.sum() ** 2).astype(np.float32)
across = np.outer([1, 2, 1], [-1, 0, 1]).astype(np.float32) / 4
down = np.ascontiguousarray(across.T)


def weighted_on_host(weights):
    radius = len(weights) // 2
    wide = np.pad(picture / 255, ((radius, radius), (radius, radius), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(wide, weights.shape, axis=(0, 1))
    return np.einsum("yxcij,ij->yxc", windows, weights)


program = cl.Program(ctx, SOURCE).build()
blur, find_edges = program.blur, program.edges
at = cl.Sampler(ctx, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
source = cl.image_from_array(ctx, picture, 4, norm_int=True)
bytes_of_rgba = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
target = cl.create_image(ctx, cl.mem_flags.WRITE_ONLY, bytes_of_rgba, shape=(n, n))
flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
box_cl, gauss_cl, across_cl, down_cl = (
    cl.Buffer(ctx, flags, hostbuf=weights) for weights in (box, gauss, across, down)
)
edges = np.hypot(weighted_on_host(across), weighted_on_host(down))
correct = True
for name, kernel, arguments, expected in [
    ("box", blur, (box_cl, np.int32(4)), weighted_on_host(box)),
    ("gauss", blur, (gauss_cl, np.int32(6)), weighted_on_host(gauss)),
    ("sobel", find_edges, (across_cl, down_cl), edges),
]:
    kernel(queue, (n, n), None, source, target, at, *arguments)
    result = np.empty_like(picture)
    cl.enqueue_copy(queue, result, target, origin=(0, 0), region=(n, n))
    off = abs(result[..., :3] - 255.0 * np.clip(expected[..., :3], 0, 1)).max()
    print(f"{name}: at most {off:.2f} of 255 from the host's")
    correct = correct and off < 1
    if options.pictures:
        header = f"P6 {n} {n} 255\n".encode()
        (options.pictures / f"{name}.ppm").write_bytes(header + result[..., :3].tobytes())
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
