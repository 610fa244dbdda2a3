# SPDX-License-Identifier: MIT
"""The largest eigenvalue of a symmetric matrix, and its vector, by power iteration."""

import argparse
import sys

import numpy as np

import treadle.numpy as tnp
from treadle.random import default_rng

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=300)
options = parser.parse_args()

n = options.size
values = default_rng(13).random((n, n))  # made on the device, the same on every one
matrix = (values + values.T) / 2
vector = tnp.ones(n)
estimate = 0.0
for step in range(1, 101):  # noqa: B007 - printed below
    product = (matrix * vector).sum(axis=1)
    length = tnp.sqrt((product * product).sum())
    vector = product / length
    before, estimate = estimate, float(length)
    if abs(estimate - before) < 1e-13 * estimate:
        break
print(f"eigenvalue {estimate:.6f} of a matrix of {n} rows after {step} steps")

eigenvalues, vectors = np.linalg.eigh(matrix.get())
correct = np.isclose(estimate, eigenvalues[-1], rtol=1e-10)
correct = correct and np.allclose(vector.get(), abs(vectors[:, -1]), atol=1e-5)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
