# SPDX-License-Identifier: MIT
"""Two substances that react and spread (Gray and Scott's model): a C text for every point.

One step writes both fields, reads neighbours in tables, and goes round at the borders. A reduction
kernel says how much of the second substance there is.

reaction_diffusion.py [--size N] [--steps N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np

import treadle
import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=128)
parser.add_argument("--steps", type=int, default=4000)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
size = options.size

step = treadle.ElementwiseKernel(
    "int size, const float *u, const float *v, float *new_u, float *new_v",
    """
    int row = (int)(i / size), column = (int)(i % size);
    int up = (row + size - 1) % size * size, down = (row + 1) % size * size;
    int left = (column + size - 1) % size, right = (column + 1) % size;
    int at = row * size;
    float spread_u = u[up + column] + u[down + column] + u[at + left] + u[at + right] - 4 * u[i];
    float spread_v = v[up + column] + v[down + column] + v[at + left] + v[at + right] - 4 * v[i];
    float reaction = u[i] * v[i] * v[i];
    new_u[i] = u[i] + (0.16f * spread_u - reaction + FEED * (1 - u[i]));
    new_v[i] = v[i] + (0.08f * spread_v + reaction - (FEED + KILL) * v[i]);
    """,
    name="react",
    preamble="#define FEED 0.035f\n#define KILL 0.065f",
)
total = treadle.ReductionKernel(
    "f8", neutral="0", reduce="a + b", map="v[i]", arguments="const float *v"
)


def step_in_numpy(u, v):
    def spread(x):
        return sum(np.roll(x, by, axis) for by in (1, -1) for axis in (0, 1)) - 4 * x

    feed, kill = np.float32(0.035), np.float32(0.065)
    reaction = u * v * v
    return (
        u + (np.float32(0.16) * spread(u) - reaction + feed * (1 - u)),
        v + (np.float32(0.08) * spread(v) + reaction - (feed + kill) * v),
    )


rng = np.random.default_rng(3)
u = np.ones((size, size), np.float32)
v = np.zeros_like(u)
middle = slice(size // 2 - size // 8, size // 2 + size // 8)
u[middle, middle], v[middle, middle] = 0.5, 0.25
v += 0.02 * rng.random(v.shape, np.float32)

state = step(size, tnp.array(u), tnp.array(v))  # makes both arrays
early = step(size, *state)
expected = step_in_numpy(*step_in_numpy(u, v))
correct = all(np.allclose(a.get(), b, atol=1e-5) for a, b in zip(early, expected, strict=True))

state, other = early, state
for _ in range(options.steps):
    step(size, *state, *other)
    state, other = other, state
amount = total(state[1]).item()
print(f"after {options.steps} steps: {amount:.1f} of the second substance")
correct = correct and np.isclose(amount, state[1].get().sum(dtype=np.float64))

if options.pictures:
    shown = state[1].get()
    grey = (255 * np.clip(shown / max(shown.max(), 1e-6), 0, 1)).astype(np.uint8)
    header = f"P5 {size} {size} 255\n".encode()
    (options.pictures / "reaction_diffusion.pgm").write_bytes(header + grey.tobytes())

print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
