# SPDX-License-Identifier: MIT
"""What many pictures have in common: their principal components, by one SVD, and pictures without
noise, which are put together from few components.

principal_components.py [--images N] [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--images", type=int, default=400)
parser.add_argument("--size", type=int, default=32)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
count, n = options.images, options.size
SPREADS = np.array([40.0, 25.0, 18.0, 12.0])  # how far images differ along each pattern
NOISE = 6.0


def write_picture(name, images):
    """Several images of n x n, side by side."""
    if options.pictures:
        grey = tnp.hstack(list(images)).clip(0, 255).astype("u1").get()
        header = "P5 {1} {0} 255\n".format(*grey.shape).encode()
        (options.pictures / name).write_bytes(header + grey.tobytes())


# Four patterns, each of norm 1 and orthogonal to the others: waves along rows and columns.
place = (tnp.arange(n) + 0.5) * np.pi / n
waves = [
    tnp.cos(i * place)[:, None] * tnp.cos(j * place) for i, j in ((1, 0), (0, 1), (1, 2), (3, 1))
]
patterns = tnp.stack([(wave / tnp.linalg.norm(wave)).ravel() for wave in waves])

# Images: a common one, the patterns by chance, and noise.
rng = np.random.default_rng(5)
common = 128 + 40 * tnp.exp(-((place[:, None] - 1.5) ** 2 + (place - 1.5) ** 2)).ravel()
amounts = tnp.array(rng.normal(size=(count, len(SPREADS))) * SPREADS * n / 8)
clean = common + amounts @ patterns
images = clean + tnp.array(rng.normal(size=(count, n * n)) * NOISE)

mean = images.mean(axis=0)
_, s, components = tnp.linalg.svd(images - mean, full_matrices=False)
kept = components[: len(SPREADS)]
restored = mean + ((images - mean) @ kept.T) @ kept

print("spreads along the components:", *(f"{x:.1f}" for x in (s[:6] / np.sqrt(count)).get()))
before, after = (float(abs(x - clean).mean()) for x in (images, restored))
print(f"mean distance from images without noise: {before:.2f} before, {after:.2f} after")
for name, rows in (("noisy.pgm", images), ("restored.pgm", restored)):
    write_picture(name, rows[:8].reshape(-1, n, n))
write_picture("components.pgm", (128 + 60 * n * kept).reshape(-1, n, n))

# The components span what the patterns span: all cosines of the angles between both are near 1.
angles = tnp.linalg.svdvals(kept @ patterns.T)
assert float(angles.min()) > 0.95
assert after < before / 3
host = images.get()
host -= host.mean(axis=0)
np.testing.assert_allclose(s.get(), np.linalg.svd(host, compute_uv=False), rtol=0, atol=1e-9)
np.testing.assert_allclose(kept.get() @ kept.get().T, np.eye(len(SPREADS)), rtol=0, atol=1e-12)
print("check against NumPy: ok")
