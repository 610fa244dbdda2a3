# SPDX-License-Identifier: MIT
"""The potential of charges on a torus: Poisson's equation in two dimensions, solved by one FFT
forward, a division, and one FFT back.

poisson.py [--size N]
"""

import argparse

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=512)
n = parser.parse_args().size

# Two charges, opposite so that their sum is 0, as it has to be on a torus.
x = tnp.arange(n)[:, None] / n
y = tnp.arange(n)[None, :] / n
charges = tnp.exp(-200 * ((x - 0.3) ** 2 + (y - 0.4) ** 2))
charges -= tnp.exp(-200 * ((x - 0.7) ** 2 + (y - 0.6) ** 2))
charges -= charges.mean()

# -(d2/dx2 + d2/dy2) potential = charges: in frequencies a factor of (2 pi k)**2.
k = 2 * np.pi * n * tnp.fft.fftfreq(n)[:, None]
l = 2 * np.pi * n * tnp.fft.rfftfreq(n)[None, :]  # noqa: E741
squares = k * k + l * l
squares[0, 0] = 1  # the mean, which is 0
potential = tnp.fft.irfft2(tnp.fft.rfft2(charges) / squares, s=(n, n))

# The same operator in frequencies again gives the charges.
applied = tnp.fft.ifft2(tnp.fft.fft2(potential) * (k * k + (k.reshape(1, n)) ** 2)).real
print(f"potential from {float(potential.min()):.5f} to {float(potential.max()):.5f}")
assert float(abs(applied - charges).max()) < 1e-9
host = charges.get()
frequencies = 2 * np.pi * n * np.fft.fftfreq(n)
factors = frequencies[:, None] ** 2 + frequencies[None, :] ** 2
factors[0, 0] = 1
np.testing.assert_allclose(
    potential.get(), np.fft.ifft2(np.fft.fft2(host) / factors).real, rtol=0, atol=1e-12
)
print("check against NumPy: ok")
