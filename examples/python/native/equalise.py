# SPDX-License-Identifier: MIT
"""A picture of more contrast: each grey becomes the fraction of the picture that is darker.

equalise.py [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=1000)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()


def equalise(xp, picture):
    """The same lines for NumPy (xp = np) and for the device (xp = tnp)."""
    counts = xp.bincount(picture.reshape(-1), minlength=256)
    darker = xp.cumsum(counts)
    table = (darker * 255 // picture.size).astype(np.uint8)
    return xp.take(table, picture)


# Hills in fog: all greys lie near each other.
y, x = np.mgrid[0 : options.size, 0 : options.size] / options.size
picture = (110 + 20 * np.sin(9 * x + 4 * y * y) * np.cos(7 * y - 3 * x)).astype(np.uint8)
made = equalise(tnp, tnp.array(picture))
print(f"greys: {picture.min()} to {picture.max()} become {int(made.min())} to {int(made.max())}")

if options.pictures:
    both = np.hstack([picture, made.get()])
    header = f"P5 {both.shape[1]} {both.shape[0]} 255\n".encode()
    (options.pictures / "equalise_native.pgm").write_bytes(header + both.tobytes())

correct = np.array_equal(made.get(), equalise(np, picture))
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
