# SPDX-License-Identifier: MIT
"""A system of linear equations by Jacobi's iteration: a product with the matrix in a reduction."""

import argparse
import sys

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--equations", type=int, default=300)
parser.add_argument("--tolerance", type=float, default=1e-10)
options = parser.parse_args()

n = options.equations
rng = np.random.default_rng(7)
matrix = rng.uniform(-1, 1, (n, n)) + n * np.eye(n)  # its diagonal dominates
right = rng.normal(size=n)

a, b = tnp.array(matrix), tnp.array(right)
diagonal = tnp.array(matrix.diagonal())
x = tnp.zeros(n)
for step in range(1, 201):  # noqa: B007 - printed below
    residual = b - (a * x).sum(axis=1)
    x = x + residual / diagonal
    if float(abs(residual).max()) < options.tolerance:
        break
print(f"{step} steps for {n} equations")

correct = np.allclose(x.get(), np.linalg.solve(matrix, right), rtol=1e-8, atol=1e-12)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
