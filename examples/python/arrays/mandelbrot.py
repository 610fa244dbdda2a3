# SPDX-License-Identifier: MIT
"""The Mandelbrot set by arithmetic on whole arrays of complex numbers.

mandelbrot.py [--width N] [--steps N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.gpuarray as gpuarray

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=600)
parser.add_argument("--steps", type=int, default=50)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()


def count_on_device(c, steps):
    """How many steps each point stays within a circle of radius 2."""
    c = gpuarray.to_gpu(c)
    z = gpuarray.zeros_like(c)
    counts = gpuarray.zeros(c.shape, np.int32)
    for _ in range(steps):
        z = gpuarray.where(abs(z) <= 2, z * z + c, z)
        counts += (abs(z) <= 2).astype(np.int32)
    return counts.get()


def count_on_host(c, steps):
    z = np.zeros_like(c)
    counts = np.zeros(c.shape, np.int32)
    for _ in range(steps):
        z = np.where(abs(z) <= 2, z * z + c, z)
        counts += abs(z) <= 2
    return counts


width, height = options.width, options.width * 4 // 5
real = np.linspace(-2.1, 0.7, width, dtype=np.float32)
imaginary = np.linspace(-1.12, 1.12, height, dtype=np.float32)
c = (real + 1j * imaginary[:, np.newaxis]).astype(np.complex64)

counts = count_on_device(c, options.steps)
if options.pictures:
    grey = (255 * (1 - counts / options.steps) ** 3).astype(np.uint8)
    header = f"P5 {width} {height} 255\n".encode()
    (options.pictures / "mandelbrot.pgm").write_bytes(header + grey.tobytes())

# Near the border the last bit of a product decides.
different = np.mean(counts != count_on_host(c, options.steps))
print(f"{100 * np.mean(counts == options.steps):.1f} % of the points are in the set")
print("check against NumPy:", "ok" if different < 0.01 else "WRONG")
sys.exit(0 if different < 0.01 else 1)
