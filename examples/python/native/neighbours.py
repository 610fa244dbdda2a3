# SPDX-License-Identifier: MIT
"""Stars that push near ones off: sorted by cells, each looks for its neighbours in nine of them.

neighbours.py [--stars N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np

import treadle
import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--stars", type=int, default=4000)
parser.add_argument("--steps", type=int, default=30)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
SIDE = max(2, int((options.stars / 4) ** 0.5))  # cells along a side of the square: 4 stars in each
REACH = np.float32(1 / SIDE)  # of the force: not beyond the next cell

push = treadle.ElementwiseKernel(
    "int side, float reach, const float *x, const float *y, const long *first, "
    "float *to_x, float *to_y, int *neighbours",
    """
    int column = min((int)(x[i] * side), side - 1), row = min((int)(y[i] * side), side - 1);
    float force_x = 0, force_y = 0;
    int count = 0;
    for (int r = max(row - 1, 0); r <= min(row + 1, side - 1); ++r)
      for (int c = max(column - 1, 0); c <= min(column + 1, side - 1); ++c)
        for (long k = first[r * side + c]; k < first[r * side + c + 1]; ++k) {
          float away_x = x[i] - x[k], away_y = y[i] - y[k];
          float distance = sqrt(away_x * away_x + away_y * away_y);
          if (k == i || distance >= reach) continue;
          force_x += (reach - distance) * away_x;
          force_y += (reach - distance) * away_y;
          ++count;
        }
    to_x[i] = min(max(x[i] + PUSH / reach * force_x, 0.0f), 1.0f);
    to_y[i] = min(max(y[i] + PUSH / reach * force_y, 0.0f), 1.0f);
    neighbours[i] = count;
    """,
    name="push",
    preamble="#define PUSH 0.03f",
)


def step(x, y):
    """The stars in the order of their cells, pushed once, and how many neighbours each had."""
    column = tnp.minimum((x * SIDE).astype("i4"), SIDE - 1)
    row = tnp.minimum((y * SIDE).astype("i4"), SIDE - 1)
    cell = row * SIDE + column
    order = tnp.argsort(cell)  # stars of one cell lie side by side
    first = tnp.searchsorted(cell[order], tnp.arange(SIDE * SIDE + 1, dtype="i4"))
    return push(SIDE, REACH, x[order], y[order], first)


def step_in_numpy(x, y):
    """Every star with every other one."""
    away = np.stack([x[:, np.newaxis] - x, y[:, np.newaxis] - y])
    distance = np.sqrt((away * away).sum(axis=0))
    near = distance < REACH
    np.fill_diagonal(near, False)
    force = (np.where(near, REACH - distance, 0) * away).sum(axis=2)
    return *np.clip(np.stack([x, y]) + np.float32(0.03) / REACH * force, 0, 1), near.sum(axis=1)


rng = np.random.default_rng(5)
x, y = rng.beta(2, 3, (2, options.stars)).astype(np.float32)
ours = step(tnp.array(x), tnp.array(y))
theirs = step_in_numpy(x, y)
some = [np.sort(one.get()) for one in ours], [np.sort(one) for one in theirs]
correct = all(np.allclose(a, b, atol=1e-5) for a, b in zip(some[0][:2], some[1][:2], strict=True))
correct = correct and np.mean(some[0][2] == some[1][2]) > 0.999  # one may be at the very end

state = ours
for _ in range(options.steps):
    state = step(*state[:2])
print(
    f"neighbours: {float(ours[2].mean()):.1f} in the beginning, {float(state[2].mean()):.1f} later"
)

if options.pictures:
    size = 400
    picture = np.full((size, size, 3), 15, np.uint8)
    for (to_x, to_y, count), channels in ((ours, [0]), (state, [1, 2])):
        column, row = ((one.get() * (size - 1)).astype(int) for one in (to_x, to_y))
        for channel in channels:
            picture[row, column, channel] = 80 + 4 * count.get().clip(0, 40)
    header = f"P6 {size} {size} 255\n".encode()
    (options.pictures / "neighbours.ppm").write_bytes(header + picture.tobytes())

print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
