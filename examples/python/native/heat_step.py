# SPDX-License-Identifier: MIT
"""Heat that spreads in a cube whose sides are cold: implicit steps of the heat equation in three
dimensions, each a system of equations solved by conjugate gradients.

heat_step.py [--size N] [--steps N]
"""

import argparse

import numpy as np

import treadle.numpy as tnp
from treadle import sparse

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=24)
parser.add_argument("--steps", type=int, default=4)
options = parser.parse_args()
n, dt = options.size, 1e-3

# A place has a number; its neighbours along an axis are a stride away.
places = tnp.arange(n**3)
coordinates = [places // n**2, places // n % n, places % n]
weight = dt * (n + 1) ** 2
rows, columns, values = [places], [places], [tnp.full(n**3, 1 + 6 * weight)]
for coordinate, stride in zip(coordinates, (n**2, n, 1), strict=True):
    for towards, inside in ((stride, coordinate < n - 1), (-stride, coordinate > 0)):
        here = places[inside]
        rows.append(here)
        columns.append(here + towards)
        values.append(tnp.full(here.size, -weight))
A = sparse.csr_array(
    (tnp.concatenate(values), (tnp.concatenate(rows), tnp.concatenate(columns))),
    shape=(n**3, n**3),
)
fast = A.fastest()  # diagonals of one number each: a kernel can know them, and read few bits of A

# The slowest mode of the cube keeps its form, and shrinks by a known factor in each step.
wave = tnp.sin(np.pi * (tnp.arange(n) + 1) / (n + 1))
mode = (wave[:, None, None] * wave[:, None] * wave).ravel()
heat = mode
for _ in range(options.steps):
    heat, info = sparse.cg(fast, heat, x0=heat, rtol=1e-10)
    assert info == 0
factor = 1 + 12 * weight * np.sin(np.pi / 2 / (n + 1)) ** 2
expected = mode / factor**options.steps
error = float(abs(heat - expected).max())
print(f"{n**3} places, {A.nnz} entries: {float(heat.max()):.6f} in the middle, error {error:.1e}")
host = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
host = host[:, None, None] * host[:, None] * host / factor**options.steps
np.testing.assert_allclose(heat.get(), host.ravel(), rtol=0, atol=1e-8)
print("check against NumPy: ok")
