# SPDX-License-Identifier: MIT
"""For each of many points in a square, the list of those that are near: points are grouped by the
cells of a grid, and each looks into the nine cells around it."""

import argparse

import numpy as np
import pyopencl as cl
import pyopencl.array
from pyopencl.algorithm import KeyValueSorter, ListOfListsBuilder
from pyopencl.elementwise import ElementwiseKernel

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--points", type=int, default=20_000)
options = parser.parse_args()

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

n = options.points
cells = max(int(np.sqrt(n / 4)), 1)  # along each side
reach = np.float32(1 / cells)
x, y = np.random.default_rng(5).random((2, n), np.float32)
x_cl, y_cl = (cl.array.to_device(queue, each) for each in (x, y))

cell_of = ElementwiseKernel(
    ctx,
    "float *x, float *y, int *cell, int cells",
    "cell[i] = min((int) (x[i] * cells), cells - 1) + cells * min((int) (y[i] * cells), cells - 1)",
)
cell = cl.array.empty(queue, n, np.int32)
cell_of(x_cl, y_cl, cell, np.int32(cells))

sort = KeyValueSorter(ctx)
starts, members, _ = sort(
    queue, cell, cl.array.arange(queue, n, dtype=np.int32), cells**2, np.int32
)

find_near = ListOfListsBuilder(
    ctx,
    [("near", np.int32)],
    """
    void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
    {
      const int column = cell[i] % cells, row = cell[i] / cells;
      for (int r = max(row - 1, 0); r <= min(row + 1, cells - 1); ++r)
        for (int c = max(column - 1, 0); c <= min(column + 1, cells - 1); ++c)
          for (int k = starts[r * cells + c]; k < starts[r * cells + c + 1]; ++k) {
            const int other = members[k];
            const float dx = x[other] - x[i], dy = y[other] - y[i];
            if (other != i && dx * dx + dy * dy < reach * reach) { APPEND_near(other); }
          }
    }
    """,
    "float *x, float *y, int *cell, int *starts, int *members, int cells, float reach",
)
built, event = find_near(queue, n, x_cl, y_cl, cell, starts, members, cells, reach)
event.wait()
near = built["near"]
lengths = np.diff(near.starts.get())
print(f"{near.count} neighbours, at most {lengths.max()} of a point")

# Of some points, the same by looking at all others.
first, lists = near.starts.get(), near.lists.get()
for i in range(0, n, max(n // 50, 1)):
    close = (x - x[i]) ** 2 + (y - y[i]) ** 2 < reach * reach
    close[i] = False
    assert set(lists[first[i] : first[i + 1]]) == set(np.flatnonzero(close)), i
print("check against NumPy: ok")
