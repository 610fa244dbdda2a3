# SPDX-License-Identifier: MIT
"""A picture in colours to one in greys by an ElementwiseKernel over the planes of the picture.

rgb_to_grey.py [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.gpuarray as gpuarray
from pycuda.elementwise import ElementwiseKernel

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=512)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()

to_grey = ElementwiseKernel(
    "unsigned char *grey, const unsigned char *rgb",
    "grey[i] = luma(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2])",
    "to_grey",
    preamble="""
    __device__ unsigned char luma(float red, float green, float blue)
    {
        return 0.299f * red + 0.587f * green + 0.114f * blue + 0.5f;
    }
    """,
)

n = options.size
angle = np.linspace(0, 4 * np.pi, n)
rgb = np.empty((n, n, 3))
rgb[..., 0] = 127.5 * (1 + np.sin(angle))
rgb[..., 1] = 127.5 * (1 + np.cos(angle))[:, np.newaxis]
rgb[..., 2] = 127.5 * (1 + np.sin(angle + angle[:, np.newaxis]))
rgb = rgb.astype(np.uint8)

grey = gpuarray.empty((n, n), np.uint8)
to_grey(grey, gpuarray.to_gpu(rgb))

if options.pictures:
    size = f"{n} {n} 255\n".encode()
    (options.pictures / "rgb.ppm").write_bytes(b"P6 " + size + rgb.tobytes())
    (options.pictures / "grey.pgm").write_bytes(b"P5 " + size + grey.get().tobytes())
expected = rgb.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32) + 0.5
# A sum that is a whole number but for rounding falls on either side.
correct = np.all(np.abs(grey.get().astype(np.float32) + 0.5 - expected) <= 0.5001)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
