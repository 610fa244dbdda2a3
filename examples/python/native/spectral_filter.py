# SPDX-License-Identifier: MIT
"""A picture with stripes that a scanner left, and without them: they are a few frequencies of it.

spectral_filter.py [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=256)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
n = options.size


def write_picture(name, picture):
    if options.pictures:
        grey = picture.clip(0, 255).astype("u1").get()
        header = "P5 {1} {0} 255\n".format(*grey.shape).encode()
        (options.pictures / name).write_bytes(header + grey.tobytes())


x = tnp.linspace(-2, 2, n, dtype="f4")
rings = 128 + 90 * tnp.cos(4 * (x[:, None] ** 2 + x[None, :] ** 2)) * tnp.exp(-(x[:, None] ** 2))
stripes = 60 * tnp.sin(2 * np.pi * (n // 4) * tnp.arange(n, dtype="f4") / n)
scanned = rings + stripes[None, :]
write_picture("scanned.pgm", scanned)

# The stripes have one frequency along a row, and none down a column.
spectrum = tnp.fft.rfft2(scanned)
strength = tnp.log1p(abs(spectrum))
write_picture("spectrum.pgm", tnp.fft.fftshift(strength, axes=0) * (255 / strength.max()))
column = tnp.fft.rfftfreq(n, 1 / n)
row = abs(tnp.fft.fftfreq(n, 1 / n))
is_kept = (abs(column - n // 4) > 2)[None, :] | (row > 2)[:, None]
filtered = tnp.fft.irfft2(spectrum * is_kept, s=scanned.shape)
write_picture("filtered.pgm", filtered)

before, after = (float(abs(picture - rings).mean()) for picture in (scanned, filtered))
print(f"mean distance from the picture without stripes: {before:.2f} before, {after:.2f} after")
assert after < before / 20
host = scanned.get().astype("f8")
expected = np.fft.irfft2(np.fft.rfft2(host) * is_kept.get(), s=host.shape)
np.testing.assert_allclose(filtered.get(), expected, rtol=0, atol=1e-2)
print("check against NumPy: ok")
