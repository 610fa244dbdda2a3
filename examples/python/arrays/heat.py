# SPDX-License-Identifier: MIT
"""The heat equation on a plate, by slices of an array.

heat.py [--size N] [--steps N] [--pictures FOLDER]: with a folder, writes the plate as a picture.
"""

import argparse
import pathlib
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.gpuarray as gpuarray

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=400)
parser.add_argument("--steps", type=int, default=500)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()


def spread(u, steps):
    """The same lines for an array of the host and one of the device."""
    for _ in range(steps):
        centre = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] = centre + 0.2 * (around - 4 * centre)


def write_picture(path, u):
    """From black over red and yellow to white, as hot iron looks."""
    heat = 3 * (u - u.min()) / (u.max() - u.min())
    colours = 255 * np.clip(heat[..., np.newaxis] - np.arange(3), 0, 1)
    header = "P6 {1} {0} 255\n".format(*u.shape).encode()
    path.write_bytes(header + colours.astype(np.uint8).tobytes())


n = options.size
plate = np.zeros((n, n), np.float32)
plate[n // 8 : n // 4, n // 8 : -n // 8] = 100  # a hot bar
plate[n // 2 : -n // 8, n // 2 : n // 2 + n // 8] = 80
plate[:, 0] = 50  # edges stay as they are

u = gpuarray.to_gpu(plate)
spread(u, options.steps)
spread(plate, options.steps)

if options.pictures:
    write_picture(options.pictures / "heat.ppm", u.get())
correct = np.allclose(u.get(), plate, rtol=1e-3, atol=1e-3)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
