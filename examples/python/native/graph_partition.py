# SPDX-License-Identifier: MIT
"""A graph in four parts of equal size with few edges between them: by the eigenvectors of the
least eigenvalues of its Laplacian (Fiedler 1973), which Lanczos' method finds.

graph_partition.py [--points N] [--pictures FOLDER]
"""

import argparse
import pathlib

import numpy as np

import treadle.numpy as tnp
from treadle import sparse
from treadle.sparse import linalg

parser = argparse.ArgumentParser()
parser.add_argument("--points", type=int, default=3000)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()

# Points of a square without a disc, and edges between those that are near each other.
rng = np.random.default_rng(8)
places = rng.random((2 * options.points, 2))
places = places[np.hypot(*(places - 0.5).T) > 0.3][: options.points]
count = len(places)
reach = 2.2 / np.sqrt(count)
x, y = tnp.array(places[:, 0]), tnp.array(places[:, 1])
rows, columns = [], []
for begin in range(0, count, 1000):  # blocks of distances, on the device
    block = slice(begin, begin + 1000)
    near = (x[block, None] - x) ** 2 + (y[block, None] - y) ** 2 < reach**2
    row, column = near.nonzero()
    rows.append(row + begin)
    columns.append(column)
row, column = tnp.concatenate(rows), tnp.concatenate(columns)
other = row != column
row, column = row[other], column[other]

edges = sparse.csr_array((tnp.ones(row.size), (row, column)), shape=(count, count))
degrees, all_places = edges.sum(axis=1), tnp.arange(count)
laplacian = sparse.csr_array((degrees, (all_places, all_places)), shape=edges.shape) - edges
values, vectors = linalg.eigsh(laplacian, k=3, which="SA", tol=1e-8, ncv=40)


def halved(by, inside):
    """Which of the points inside are above the middle of an eigenvector there."""
    return inside & (by > np.median(by[inside]))


first, second = vectors[:, 1].get(), vectors[:, 2].get()
part = np.zeros(count, np.int64)
upper = halved(first, np.full(count, True))
part[upper] = 2
part[halved(second, upper) | halved(second, ~upper)] += 1
parts = tnp.array(part)
cut = int((parts[row] != parts[column]).sum()) // 2
sizes = np.bincount(part, minlength=4)
print(f"{count} points, {row.size // 2} edges: parts of {sizes.tolist()}, {cut} edges cut")

if options.pictures:
    side = 300
    picture = np.full((side, side), 20, np.uint8)
    at = (places * (side - 2)).astype(int)
    for down, across in ((0, 0), (0, 1), (1, 0), (1, 1)):
        picture[at[:, 1] + down, at[:, 0] + across] = 75 + 60 * part
    header = f"P5 {side} {side} 255\n".encode()
    (options.pictures / "graph_partition.pgm").write_bytes(header + picture.tobytes())

by_chance = 0.75 * (row.size // 2)
assert cut < by_chance / 4 and sizes.max() - sizes.min() <= 2
if count <= 1000:
    dense = np.zeros((count, count))
    dense[row.get(), column.get()] = -1
    np.fill_diagonal(dense, -dense.sum(axis=1))
    np.testing.assert_allclose(values.get(), np.linalg.eigvalsh(dense)[:3], atol=1e-6)
print("check against NumPy: ok")
