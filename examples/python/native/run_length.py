# SPDX-License-Identifier: MIT
"""A picture of few colours as runs: encoded, decoded and painted by how long its runs are.

run_length.py [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np

import treadle.numpy as tnp
from treadle import scans

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=512)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
n = options.size


def rings(xp):
    """Rings around two points, in six greys: the same lines for NumPy and for the device."""
    x = xp.linspace(-1, 1, n, dtype=np.float32)
    y = x[:, np.newaxis]
    waves = xp.sin(9 * xp.hypot(x - 0.4, y)) + xp.sin(9 * xp.hypot(x + 0.4, y))
    return (xp.floor(waves * 1.4 + 3).clip(0, 5) * 50).astype(np.uint8)


def write_picture(name, grey):
    if options.pictures:
        header = "P5 {1} {0} 255\n".format(*grey.shape).encode()
        (options.pictures / name).write_bytes(header + grey.tobytes())


picture = rings(tnp)
values, lengths = scans.run_length_encode(picture.ravel())
# Runs of up to 255 points, of two bytes each; longer ones are several.
size = 2 * int(((lengths + 254) // 255).sum())
print(f"{values.size} runs, {size} bytes of {picture.size}: {size / picture.size:.1%}")
again = scans.run_length_decode(values, lengths).reshape(n, n)
shades = (255 * tnp.log2(lengths.astype(np.float32) + 1) / np.log2(n * 4)).clip(0, 255)
by_length = scans.run_length_decode(shades.astype(np.uint8), lengths).reshape(n, n)
# Without waiting: there is room for a quarter of the points, and the count stays on the device.
few, _, count = scans.run_length_encode(picture.ravel(), capacity=picture.size // 4)

write_picture("rings.pgm", again.get())
write_picture("run_lengths.pgm", by_length.get())

flat = picture.get().ravel()
starts = np.flatnonzero(np.r_[True, flat[1:] != flat[:-1]])
correct = (
    np.array_equal(values.get(), flat[starts])
    and np.array_equal(lengths.get(), np.diff(np.r_[starts, flat.size]))
    and np.array_equal(again.get().ravel(), flat)
    and int(count) == len(starts)
    and np.array_equal(few[: len(starts)].get(), flat[starts])
    and size < picture.size / 2
)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
