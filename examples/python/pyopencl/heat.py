# SPDX-License-Identifier: MIT
"""A plate that cools down: a stencil by an ElementwiseKernel over two arrays that take turns.

heat.py [--size N] [--steps N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=300)
parser.add_argument("--steps", type=int, default=400)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
n = options.size

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

spread = ElementwiseKernel(
    ctx,
    "const float *u, float *next, int width",
    """
    int row = i / width, column = i % width;
    int is_edge = row == 0 || column == 0 || row == width - 1 || column == width - 1;
    next[i] = is_edge ? u[i]
            : u[i] + 0.2f * (u[i - width] + u[i + width] + u[i - 1] + u[i + 1] - 4 * u[i]);
    """,
    name="spread",
)
change = ReductionKernel(
    ctx,
    np.float32,
    neutral="0",
    reduce_expr="fmax(a, b)",
    map_expr="fabs(u[i] - v[i])",
    arguments="const float *u, const float *v",
    name="largest_change",
)


def spread_on_host(u):
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    u[1:-1, 1:-1] += np.float32(0.2) * (around - 4 * u[1:-1, 1:-1])


plate = np.zeros((n, n), np.float32)
plate[n // 8 : n // 4, n // 8 : -n // 8] = 100
plate[n // 2 : -n // 8, n // 2 : n // 2 + n // 8] = 80
plate[:, 0] = 50

u = cl_array.to_device(queue, plate)
v = cl_array.empty_like(u)
for _ in range(options.steps):
    spread(u, v, n)
    u, v = v, u
    spread_on_host(plate)
print(f"the last step changed {change(u, v).get():.4f} at most")

if options.pictures:
    heat = 3 * u.get() / 100
    colours = 255 * np.clip(heat[..., np.newaxis] - np.arange(3), 0, 1)
    header = f"P6 {n} {n} 255\n".encode()
    (options.pictures / "heat.ppm").write_bytes(header + colours.astype(np.uint8).tobytes())
correct = np.allclose(u.get(), plate, rtol=1e-3, atol=1e-3)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
