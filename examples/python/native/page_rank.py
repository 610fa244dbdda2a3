# SPDX-License-Identifier: MIT
"""How important the pages of a web are: PageRank, a sum over the links to each page.

page_rank.py [--pages N] [--pictures FOLDER]

The picture has the ranks from the highest on, both axes logarithmic.
"""

import argparse
import pathlib
import sys

import numpy as np

import treadle.numpy as tnp
from treadle import scans

parser = argparse.ArgumentParser()
parser.add_argument("--pages", type=int, default=20_000)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
n, DAMPING, STEPS = options.pages, 0.85, 20

# Links go to few pages often, and to most hardly ever.
rng = np.random.default_rng(3)
links = 8 * n
source = rng.integers(0, n, links)
target = (n * rng.random(links) ** 4).astype(np.int64)
out = np.bincount(source, minlength=n)

# Links by the page that they lead to: those to page p are offsets[p] to before offsets[p + 1].
order = tnp.argsort(tnp.array(target))
linking = tnp.array(source)[order]
offsets = tnp.searchsorted(tnp.array(target)[order], tnp.arange(n + 1))

rank = tnp.full(n, 1 / n)
given = 1 / tnp.maximum(tnp.array(out), 1)
is_dead_end = tnp.array(out == 0)
for _ in range(STEPS):
    lost = tnp.where(is_dead_end, rank, 0).sum()  # pages without links give to all
    received = scans.segmented_reduce((rank * given)[linking], offsets)
    rank = (1 - DAMPING) / n + DAMPING * (received + lost / n)

best = tnp.argsort(rank, descending=True)[:5]
print("the most important pages:", best.tolist())

if options.pictures:
    size = 400
    picture = np.full((size, size), 20, np.uint8)
    picture[:: size // 6] = 50  # decades
    across = np.log(np.arange(1, n + 1)) / np.log(n + 1)
    down = -np.log10(tnp.sort(rank, descending=True).get()) / 6
    row, column = (size * down).astype(int).clip(0, size - 1), (size * across).astype(int)
    top = np.full(size, size)
    np.minimum.at(top, column, row)
    picture[np.arange(size)[:, np.newaxis] > top] = 90
    picture[row, column] = 255
    header = f"P5 {size} {size} 255\n".encode()
    (options.pictures / "page_rank.pgm").write_bytes(header + picture.tobytes())

expected = np.full(n, 1 / n)
for _ in range(STEPS):
    weights = (expected / np.maximum(out, 1))[source]
    weighted = np.bincount(target, weights, minlength=n)
    expected = (1 - DAMPING) / n + DAMPING * (weighted + expected[out == 0].sum() / n)
correct = np.allclose(rank.get(), expected, rtol=1e-9) and abs(float(rank.sum()) - 1) < 1e-9
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
