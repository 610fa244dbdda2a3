# SPDX-License-Identifier: MIT
"""Mandelbrot's set by arithmetic of arrays: no kernel is written.

mandelbrot.py [--width N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=450)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
ROUNDS = 40

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

width, height = options.width, options.width * 2 // 3
real, imaginary = np.meshgrid(np.linspace(-2.2, 0.8, width), np.linspace(-1, 1, height))
c = (real + 1j * imaginary).astype(np.complex64)


def rounds_on_host():
    z, counts = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(ROUNDS):
        z = np.where(abs(z) <= 2, z * z + c, z)
        counts += abs(z) <= 2
    return counts


c_dev = cl_array.to_device(queue, c)
z = cl_array.zeros_like(c_dev)
counts = cl_array.zeros(queue, c.shape, np.int32)
for _ in range(ROUNDS):
    z = cl_array.if_positive(abs(z) <= np.float32(2), z * z + c_dev, z)
    counts += (abs(z) <= np.float32(2)).astype(np.int32)

if options.pictures:
    shade = 255 - 255 * counts.get() // ROUNDS
    header = f"P5 {width} {height} 255\n".encode()
    (options.pictures / "mandelbrot.pgm").write_bytes(header + shade.astype(np.uint8).tobytes())
other = np.mean(counts.get() != rounds_on_host())  # at the border rounding decides
print(f"{100 * other:.2f} % of the points differ from the host's")
correct = other < 0.01
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
