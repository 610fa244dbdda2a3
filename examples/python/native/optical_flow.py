# SPDX-License-Identifier: MIT
"""How points move from one picture to the next: optical flow by variations, a system with two
unknowns for each pixel, solved by conjugate gradients that are written by hand.

The rows of a pixel are a block m1 m2 / m2 m3, and m4 to m7 for the pixels above, left, right and
below. The inverse of the block is the preconditioner.

optical_flow.py [--size N] [--iterations N] [--pictures FOLDER]
"""

import argparse
import pathlib

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.sparse import linalg

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=128)
parser.add_argument("--iterations", type=int, default=100)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
size, pixels = options.size, options.size**2
SMOOTHNESS = np.float32(0.02)

multiply = treadle.ElementwiseKernel(
    """int width, const float *m1, const float *m2, const float *m3, const float *up,
       const float *left, const float *right, const float *down, const float *u, const float *v,
       float *qu, float *qv""",
    """
    float su = m1[i] * u[i] + m2[i] * v[i], sv = m2[i] * u[i] + m3[i] * v[i];
    if (up[i] != 0) { su += up[i] * u[i - width]; sv += up[i] * v[i - width]; }
    if (left[i] != 0) { su += left[i] * u[i - 1]; sv += left[i] * v[i - 1]; }
    if (right[i] != 0) { su += right[i] * u[i + 1]; sv += right[i] * v[i + 1]; }
    if (down[i] != 0) { su += down[i] * u[i + width]; sv += down[i] * v[i + width]; }
    qu[i] = su;
    qv[i] = sv;
    """,
    name="flow_product",
)


def picture_at(row, column):
    """Waves of a few lengths: a picture that is known between its pixels, too."""
    rng = np.random.default_rng(2)
    total = np.zeros_like(row)
    for _ in range(12):
        down, across, phase = rng.normal(0, 0.25), rng.normal(0, 0.25), rng.uniform(0, 6)
        total += np.sin(down * row + across * column + phase)
    return total / 4


# A turn around the middle, by which no point moves further than half a pixel.
row, column = np.mgrid[0:size, 0:size].astype("f8") + 0.5
turn = 0.7 / size
true_u, true_v = -turn * (row - size / 2), turn * (column - size / 2)
before = picture_at(row, column)
after = picture_at(row - true_v, column - true_u)
noise = np.random.default_rng(5).normal(0, 1e-3, after.shape)

first, second = (tnp.array(x.astype("f4")) for x in (before, after + noise))
mean = (first + second) / 2
dx, dy = tnp.zeros_like(mean), tnp.zeros_like(mean)
dx[:, 1:-1] = (mean[:, 2:] - mean[:, :-2]) / 2
dy[1:-1, :] = (mean[2:, :] - mean[:-2, :]) / 2
dt = second - first

edge = tnp.ones_like(mean)
up, left, right, down = (edge.copy() for _ in range(4))
up[0, :], left[:, 0], right[:, -1], down[-1, :] = 0, 0, 0, 0
around = SMOOTHNESS * (up + left + right + down)
m1, m2, m3 = dx * dx + around, dx * dy, dy * dy + around
coefficients = [
    x.ravel() for x in (m1, m2, m3, *(-SMOOTHNESS * w for w in (up, left, right, down)))
]
determinant = m1 * m3 - m2 * m2
p1, p2, p3 = ((x / determinant).ravel() for x in (m3, -m2, m1))
b = -tnp.stack([(dx * dt).ravel(), (dy * dt).ravel()])


def product(x):
    """A x, of u and v as two rows."""
    q = tnp.empty((2, pixels), np.float32)
    multiply(size, *coefficients, x[0], x[1], q[0], q[1])
    return q


def preconditioned(r):
    """The inverse blocks times r."""
    return tnp.stack([p1 * r[0] + p2 * r[1], p2 * r[0] + p3 * r[1]])


x, r = tnp.zeros_like(b), b
d = z = preconditioned(r)
delta = (r * z).sum()
for _ in range(options.iterations):
    q = product(d)
    alpha = delta / (d * q).sum()
    x, r = x + alpha * d, r - alpha * q
    z = preconditioned(r)
    last, delta = delta, (r * z).sum()
    d = z + delta / last * d
    treadle.evaluate(x, r, d, delta)

# The library's solver with the same kernel in the place of a matrix.
shape = (2 * pixels, 2 * pixels)
A = linalg.LinearOperator(shape, lambda x: product(x.reshape(2, -1)).ravel(), dtype="f4")
M = linalg.LinearOperator(shape, lambda r: preconditioned(r.reshape(2, -1)).ravel(), dtype="f4")
found, info = linalg.cg(A, b.ravel(), M=M, rtol=1e-4, check_every=10)
assert info == 0

u, v = (plane.reshape(size, size).get() for plane in found.reshape(2, -1))
inside = slice(size // 8, -size // 8)
error = np.hypot(u - true_u, v - true_v)[inside, inside].mean()
print(f"{size} x {size} pixels: {info.iterations} iterations, flow wrong by {error:.3f} pixels")
if options.pictures:
    length = np.hypot(u, v)
    grey = (length * (255 / length.max())).astype("u1")
    header = f"P5 {size} {size} 255\n".encode()
    (options.pictures / "optical_flow.pgm").write_bytes(header + grey.tobytes())


def product_in_numpy(x):
    """The same matrix in float64, by shifts."""
    host = [c.get().astype("f8").reshape(size, size) for c in coefficients]
    planes = x.reshape(2, size, size)
    made = np.stack([host[0] * planes[0] + host[1] * planes[1],
                     host[1] * planes[0] + host[2] * planes[1]])  # fmt: skip
    for weight, by, axis in zip(host[3:], (1, 1, -1, -1), (1, 2, 2, 1), strict=True):
        made += weight * np.roll(planes, by, axis)
    return made.ravel()


target = b.get().astype("f8").ravel()
for solution in (found.get(), x.get().ravel()):
    residual = np.linalg.norm(target - product_in_numpy(solution.astype("f8")))
    assert residual <= 2e-4 * np.linalg.norm(target), residual / np.linalg.norm(target)
assert error < 0.1
print("check against NumPy: ok")
