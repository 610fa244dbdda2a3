# SPDX-License-Identifier: MIT
"""Stripes out of chance: Swift and Hohenberg's equation, du/dt = r u - (1 + laplace)^2 u - u^3.

The linear part is solved in frequencies, where it is a factor, and the cube in space.

swift_hohenberg.py [--size N] [--steps N] [--pictures FOLDER]
"""

import argparse
import pathlib

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=128)
parser.add_argument("--steps", type=int, default=400)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
n = options.size
GROWTH, STEP = 0.3, 0.5
WAVES = n // 8  # of length 2 pi in the square: eight points for each


def growth_of_waves(xp):
    """How fast waves of each frequency grow: fastest where the length is 2 pi."""
    down, across = xp.fft.fftfreq(n, 1 / n) / WAVES, xp.fft.rfftfreq(n, 1 / n) / WAVES
    return GROWTH - (1 - (down[:, None] ** 2 + across**2)) ** 2


def stepped(xp, u, steps):
    """The same lines for NumPy (xp = np) and for the device (xp = tnp)."""
    damping = 1 / (1 - STEP * growth_of_waves(xp))
    for _ in range(steps):
        u = xp.fft.irfft2(xp.fft.rfft2(u - STEP * u**3) * damping, s=(n, n))
    return u


def energy(u):
    """What falls in time, whatever the state: minus half of growth, and a fourth of u^4."""
    grown = tnp.fft.irfft2(tnp.fft.rfft2(u) * growth_of_waves(tnp), s=(n, n))
    return float((u**4 / 4 - u * grown / 2).mean())


start = 0.1 * np.random.default_rng(4).standard_normal((n, n))
u = tnp.array(start)
energies = [energy(u)]
for _ in range(4):
    u = stepped(tnp, u, options.steps // 4)
    energies.append(energy(u))
print("energy:", *(f"{x:.5f}" for x in energies))

if options.pictures:
    grey = ((u - u.min()) * (255 / (u.max() - u.min()))).astype("u1").get()
    header = f"P5 {n} {n} 255\n".encode()
    (options.pictures / "swift_hohenberg.pgm").write_bytes(header + grey.tobytes())

# Straight stripes are a solution, a cos(x) + b cos(3 x) with a^2 near 4/3 of r and little b.
x = 2 * np.pi * WAVES / n * tnp.arange(n)
stripes = stepped(tnp, tnp.broadcast_to(0.3 * tnp.cos(x), (n, n)), 200)
amplitude = 2 * float((stripes * tnp.cos(x)).mean())
print(f"amplitude of straight stripes {amplitude:.4f}, expected {np.sqrt(4 / 3 * GROWTH):.4f}")
assert abs(amplitude / np.sqrt(4 / 3 * GROWTH) - 1) < 2e-3
assert all(later < earlier for earlier, later in zip(energies, energies[1:], strict=False))
assert energies[-1] > energy(stripes) - 1e-6  # no state has less than the best stripes
early = stepped(tnp, tnp.array(start), 20).get()
np.testing.assert_allclose(early, stepped(np, start, 20), rtol=0, atol=1e-10)
print("check against NumPy: ok")
