# SPDX-License-Identifier: MIT
"""A curve through points with noise, and how sure it is: a Gaussian process, by one Cholesky
factor.

gaussian_process.py [--points N] [--pictures FOLDER]
"""

import argparse
import pathlib

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--points", type=int, default=300)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
LENGTH, NOISE = 0.6, 0.2


def curve(x):
    return np.sin(2 * x) + 0.3 * np.cos(3 * x)


def likeness(x, y):
    """How much the curve at x tells about the curve at y."""
    return 0.7 * np.exp(-((x[:, None] - y) ** 2) / (2 * LENGTH**2))


def regression(xp, x, y, wanted):
    """The same lines for NumPy (xp = np) and for the device (xp = tnp)."""
    solve = xp.linalg.solve
    factor = xp.linalg.cholesky(likeness(x, x) + NOISE**2 * xp.eye(len(x)))
    weights = solve(factor.T, solve(factor, y))
    between = likeness(x, wanted)
    mean = weights @ between
    variance = 0.7 - (solve(factor, between) ** 2).sum(axis=0)
    # The logarithm of how probable these points are; half of log det is on the factor's diagonal.
    fit = -0.5 * (y @ weights) - xp.log(xp.diagonal(factor)).sum() - len(x) / 2 * np.log(2 * np.pi)
    return mean, variance, fit


# No points in the middle: there it cannot be sure.
rng = np.random.default_rng(8)
half = options.points // 2
x = np.concatenate([rng.uniform(-4, -0.7, half), rng.uniform(0.7, 4, options.points - half)])
y = curve(x) + rng.normal(0, NOISE, x.size)
wanted = np.linspace(-4, 4, 400)

mean, variance, fit = regression(tnp, tnp.array(x), tnp.array(y), tnp.array(wanted))
deviation = tnp.sqrt(variance)
away = abs(mean - tnp.array(curve(wanted))) / deviation
print(f"deviation from {float(deviation.min()):.3f} to {float(deviation.max()):.3f}", end=", ")
print(
    f"log likelihood {float(fit):.2f}, farthest from the curve: {float(away.max()):.2f} deviations"
)

if options.pictures:
    height = tnp.linspace(2, -2, 200)[:, None]
    grey = 255 - 90 * (abs(height - mean) < 2 * deviation) - 120 * (abs(height - mean) < 0.02)
    picture = grey.astype("u1").get()
    row, column = (2 - y) * 50, (x + 4) * 50
    picture[row.astype(int).clip(0, 199), column.astype(int).clip(0, 399)] = 0
    header = "P5 {1} {0} 255\n".format(*picture.shape).encode()
    (options.pictures / "gaussian_process.pgm").write_bytes(header + picture.tobytes())

# The curve is known: nearly all of it lies within two deviations.
assert float((away < 2).mean()) > 0.85 and float(away.max()) < 5
for found, expected in zip((mean, variance, fit), regression(np, x, y, wanted), strict=True):
    np.testing.assert_allclose(found.get(), expected, rtol=1e-6, atol=1e-8)
print("check against NumPy: ok")
