# SPDX-License-Identifier: MIT
"""A black hole with a disc of gas, by tracing rays of light back along their geodesics.

black_hole.py [--width N] [--pictures FOLDER]

Lengths are in Schwarzschild radii. Light with impact parameter below sqrt(27) / 2 falls in.
"""

import argparse
import pathlib
import sys

import numpy as np
import pyopencl as cl

SOURCE = """
constant float INNER = 3, OUTER = 9;

float3 colour_of_gas(float3 p, float3 way) {
    float r = length(p), heat = pow(INNER / r, 0.75f) * sqrt(1 - 1 / r);
    float speed = rsqrt(2 * (r - 1));                      /* of a circular orbit */
    float towards = speed * (p.z * way.x - p.x * way.z) / r;
    float shift = sqrt(1 - speed * speed) / (1 + towards); /* Doppler's */
    float bands = 0.75f + 0.25f * sin(9 * r) * sin(4 * r + 1);
    float bright = 1.7f * bands * pow(heat * shift, 3) * smoothstep(OUTER, OUTER - 2, r);
    return bright * (float3)(2.2f, 1.1f * heat * shift, 0.8f * heat * heat * shift);
}

/* In Cartesian coordinates a ray bends by -1.5 h^2 x / r^5, h being its angular momentum. */
kernel void trace(global uchar *picture, global float *impact, global char *captured,
                  float distance, float height) {
    int column = get_global_id(0), row = get_global_id(1), width = get_global_size(0);
    float3 eye = distance * normalize((float3)(0, height, -1));
    float3 ahead = -normalize(eye), right = (float3)(1, 0, 0), up = cross(ahead, right);
    float scale = 1.1f / width;
    float3 v = normalize(ahead + scale * (column + 0.5f - 0.5f * width) * right
                         + scale * (0.5f * get_global_size(1) - row - 0.5f) * up);
    float3 p = eye, h = cross(p, v), light = 0;
    float hh = dot(h, h);
    for (int i = 0; i < 3000; ++i) {
        float r = length(p), step = 0.04f * clamp(r - 0.9f, 0.1f, 8.0f);
        if (r < 1 || r > 1.5f * distance) break;
        float3 old = p;
        v -= 0.5f * step * 1.5f * hh * p / pown(r, 5); /* leapfrog */
        p += step * v;
        v -= 0.5f * step * 1.5f * hh * p / pown(length(p), 5);
        if (old.y * p.y < 0) {
            float3 meets = mix(old, p, old.y / (old.y - p.y));
            float away = length(meets);
            if (away > INNER && away < OUTER) light += colour_of_gas(meets, normalize(v));
        }
    }
    int place = row * width + column;
    captured[place] = length(p) < 2;
    impact[place] = sqrt(hh / (1 - hh / pown(distance, 3)));
    float3 sky = 20 + 30 * pow(fabs(sin(8 * normalize(v))), 40);
    float3 seen = min(255 * (1 - exp(-light)) + (captured[place] ? 0 : sky), 255.0f);
    vstore3(convert_uchar3(seen), place, picture);
}
"""

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=360)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
width, height = options.width, options.width * 9 // 16

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

picture = np.empty((height, width, 3), np.uint8)
impact, captured = np.empty((height, width), np.float32), np.empty((height, width), np.int8)
arrays = (picture, impact, captured)
buffers = [cl.Buffer(ctx, cl.mem_flags.WRITE_ONLY, array.nbytes) for array in arrays]
trace = cl.Program(ctx, SOURCE).build().trace
trace(queue, (width, height), None, *buffers, np.float32(20), np.float32(0.14))
for array, buffer in zip(arrays, buffers, strict=True):
    cl.enqueue_copy(queue, array, buffer)

shadow = np.sqrt(27) / 2
other = (impact < shadow) != captured.astype(bool)
print(f"shadow: {100 * captured.mean():.1f} % of the picture, {other.sum()} rays off the theory")
if options.pictures:
    header = f"P6 {width} {height} 255\n".encode()
    (options.pictures / "black_hole.ppm").write_bytes(header + picture.tobytes())
correct = captured.any() and np.all(abs(impact[other] - shadow) < 0.05)  # the step is finite
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
