# SPDX-License-Identifier: MIT
"""Filters of an image, each of them one kernel: blurring, sharpening, edges by Sobel's operator.

image_filters.py [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=512)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()


def shifted(image, row, column):
    """What lies row and column further on, for all elements but those of the border."""
    height, width = image.shape
    return image[1 + row : height - 1 + row, 1 + column : width - 1 + column]


def blur(xp, image):
    return sum(shifted(image, i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)) / 9


def sharpen(xp, image):
    around = sum(shifted(image, i, j) for i, j in ((-1, 0), (1, 0), (0, -1), (0, 1)))
    return xp.clip(5 * shifted(image, 0, 0) - around, 0, 255)


def edges(xp, image):
    def slope(along, across):
        """Differences along one axis, weighted 1, 2, 1 across it."""
        steps = [(w, i * along[0] + j * across[0], i * along[1] + j * across[1])
                 for i in (-1, 1) for j, w in ((-1, i), (0, 2 * i), (1, i))]  # fmt: skip
        return sum(weight * shifted(image, row, column) for weight, row, column in steps)

    across = slope((0, 1), (1, 0))
    down = slope((1, 0), (0, 1))
    return xp.clip(xp.sqrt(across * across + down * down), 0, 255)


def write_picture(name, grey):
    if options.pictures:
        header = "P5 {1} {0} 255\n".format(*grey.shape).encode()
        (options.pictures / name).write_bytes(header + np.asarray(grey, np.uint8).tobytes())


n = options.size
y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j]
rings = 127 + 100 * np.sign(np.sin(25 * np.hypot(x, y))) * (np.hypot(x, y) < 0.8)
noise = np.random.default_rng(2).normal(0, 8, (n, n))
photo = (rings + noise).clip(0, 255).astype(np.float32)
write_picture("photo.pgm", photo)

image = tnp.array(photo)
correct = True
for function in (blur, sharpen, edges):
    filtered = function(tnp, image).get()
    write_picture(f"{function.__name__}.pgm", filtered)
    correct = correct and np.allclose(filtered, function(np, photo), rtol=1e-4, atol=1e-2)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
