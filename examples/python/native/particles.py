# SPDX-License-Identifier: MIT
"""A fountain of particles: those that hit the ground are taken out, and new ones come.

particles.py [--particles N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--particles", type=int, default=100_000)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
STEPS = 60
NEW = options.particles // STEPS
TIME = np.float32(0.05)
GRAVITY = np.array([0, -1], np.float32)


def fountain(xp, speeds):
    """The same lines for NumPy (xp = np) and for the device (xp = tnp)."""
    place = xp.zeros((0, 2), dtype=np.float32)
    speed = xp.zeros((0, 2), dtype=np.float32)
    alive = []
    for step in range(STEPS):
        place = xp.concatenate([place, xp.zeros((NEW, 2), dtype=np.float32)])
        speed = xp.concatenate([speed, xp.asarray(speeds[step])])
        speed = speed + TIME * GRAVITY
        place = place + TIME * speed
        flies = place[:, 1] > 0  # the others are taken out
        place, speed = place[flies], speed[flies]
        alive.append(len(place))
    return place, speed, alive


rng = np.random.default_rng(3)
angle = rng.normal(np.pi / 2, 0.25, (STEPS, NEW))
size_of = rng.uniform(0.3, 1.2, (STEPS, NEW))
speeds = (np.stack([np.cos(angle), np.sin(angle)], axis=2) * size_of[:, :, np.newaxis]).astype("f4")

place, speed, alive = fountain(tnp, speeds)
print(f"particles: {alive[0]} in the first step, {alive[-1]} in the last")

if options.pictures:
    size = 400
    brightness = np.zeros((size, size))
    column = ((place.get()[:, 0] + 1) / 2 * size).astype(int).clip(0, size - 1)
    row = (size - 1 - place.get()[:, 1] * size).astype(int).clip(0, size - 1)
    np.add.at(brightness, (row, column), 1)
    picture = (255 * (1 - np.exp(-brightness / 2)))[:, :, np.newaxis] * [0.5, 0.8, 1]
    header = f"P6 {size} {size} 255\n".encode()
    (options.pictures / "particles.ppm").write_bytes(header + picture.astype(np.uint8).tobytes())

expected, _, expected_alive = fountain(np, speeds)
correct = alive == expected_alive and np.array_equal(place.get(), expected)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
