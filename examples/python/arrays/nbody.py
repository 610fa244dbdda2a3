# SPDX-License-Identifier: MIT
"""Stars that attract each other: forces by a kernel over all pairs, motion by array arithmetic.

nbody.py [--stars N] [--steps N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.cumath as cumath
import pycuda.gpuarray as gpuarray
from pycuda.elementwise import ElementwiseKernel

parser = argparse.ArgumentParser()
parser.add_argument("--stars", type=int, default=1000)
parser.add_argument("--steps", type=int, default=50)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
STEP, SOFTENING = np.float32(0.01), np.float32(0.05)

attract = ElementwiseKernel(
    "float *ax, float *ay, const float *x, const float *y, float softening",
    """
    float sum_x = 0, sum_y = 0;
    for (int j = 0; j < n; ++j) {
        float dx = x[j] - x[i], dy = y[j] - y[i];
        float r = rsqrtf(dx * dx + dy * dy + softening * softening);
        float force = r * r * r / n;
        sum_x += dx * force;
        sum_y += dy * force;
    }
    ax[i] = sum_x;
    ay[i] = sum_y;
    """,
    "attract",
)


def accelerations(x, y):
    """The same on the host: a table of all pairs."""
    dx, dy = x - x[:, np.newaxis], y - y[:, np.newaxis]
    force = (dx * dx + dy * dy + SOFTENING**2) ** -1.5 / len(x)
    return (dx * force).sum(axis=1), (dy * force).sum(axis=1)


rng = np.random.default_rng(5)
radius, angle = np.sqrt(rng.random(options.stars)), 2 * np.pi * rng.random(options.stars)
places = [radius * np.cos(angle), radius * np.sin(angle)]
speeds = [-0.7 * places[1], 0.7 * places[0]]  # the disc turns

x, y, vx, vy = (gpuarray.to_gpu(values.astype(np.float32)) for values in places + speeds)
hx, hy, hvx, hvy = (array.get() for array in (x, y, vx, vy))
ax, ay = gpuarray.empty_like(x), gpuarray.empty_like(y)
for _ in range(options.steps):
    attract(ax, ay, x, y, SOFTENING)
    vx += STEP * ax
    vy += STEP * ay
    x += STEP * vx
    y += STEP * vy

    forces = accelerations(hx, hy)
    hvx, hvy = hvx + STEP * forces[0], hvy + STEP * forces[1]
    hx, hy = hx + STEP * hvx, hy + STEP * hvy

if options.pictures:
    counts, _, _ = np.histogram2d(y.get(), x.get(), 150, [[-1.2, 1.2]] * 2)
    sky = (255 * np.minimum(counts, 3) / 3).astype(np.uint8)
    (options.pictures / "nbody.pgm").write_bytes(b"P5 150 150 255\n" + sky.tobytes())
fastest = gpuarray.max(cumath.sqrt(vx * vx + vy * vy)).get()
print(f"the fastest of {options.stars} stars has speed {fastest:.3f}")
correct = np.allclose(x.get(), hx, atol=1e-3) and np.allclose(y.get(), hy, atol=1e-3)
correct = correct and abs(fastest - np.hypot(hvx, hvy).max()) < 1e-2
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
