# SPDX-License-Identifier: MIT
"""Points in clusters by k-means: distances, labels and centres by reductions over axes.

k_means.py [--points N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--points", type=int, default=50_000)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
CENTRES = np.array([[-2, -1], [2, -2], [0, 2], [3, 2]], np.float32)
STEPS = 10


def k_means(xp, points, centres):
    """The same lines for NumPy (xp = np) and for the device (xp = tnp)."""
    number = xp.arange(len(CENTRES), dtype=np.int32)
    for _ in range(STEPS):
        away = points[:, np.newaxis, :] - centres
        labels = (away * away).sum(axis=2).argmin(axis=1)
        members = (labels[:, np.newaxis] == number).astype(np.float32)  # a column for each centre
        sums = (members[:, :, np.newaxis] * points[:, np.newaxis, :]).sum(axis=0)
        centres = sums / members.sum(axis=0)[:, np.newaxis]
    return centres, labels


rng = np.random.default_rng(11)
points = CENTRES[rng.integers(0, len(CENTRES), options.points)]
points = points + rng.normal(0, 0.8, points.shape).astype(np.float32)
start = np.array([[-1, -1], [1, -1], [0, 1], [1, 1]], np.float32)

centres, labels = k_means(tnp, tnp.array(points), tnp.array(start))
print("centres:", " ".join(f"({x:.2f}, {y:.2f})" for x, y in centres.get()))

if options.pictures:
    colours = np.array([[230, 80, 60], [60, 160, 230], [90, 200, 90], [240, 200, 60]], np.uint8)
    size = 400
    picture = np.full((size, size, 3), 20, np.uint8)
    row, column = ((points.T[::-1] + 5) * size / 10).astype(int).clip(0, size - 1)
    picture[size - 1 - row, column] = colours[labels.get()]
    header = f"P6 {size} {size} 255\n".encode()
    (options.pictures / "k_means.ppm").write_bytes(header + picture.tobytes())

expected, expected_labels = k_means(np, points, start)
same = np.mean(labels.get() == expected_labels)  # a point between two clusters may fall to either
correct = np.allclose(centres.get(), expected, atol=1e-3) and same > 0.999
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
