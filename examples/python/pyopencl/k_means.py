# SPDX-License-Identifier: MIT
"""Points in clusters by k-means: labels by an ElementwiseKernel, each centre by a reduction to a
structure.

k_means.py [--points N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.tools import get_or_register_dtype, match_dtype_to_c_struct

parser = argparse.ArgumentParser()
parser.add_argument("--points", type=int, default=20_000)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
MIDDLES = np.array([[-2, -1], [2, -2], [0, 2], [3, 2]], np.float32)
STEPS = 8

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

members = np.dtype([("x", np.float32), ("y", np.float32), ("count", np.int32)])
members, members_text = match_dtype_to_c_struct(queue.device, "members", members)
members = get_or_register_dtype("members", members)

nearest = ElementwiseKernel(
    ctx,
    "const float *x, const float *y, const float *centres, int count, int *label",
    """
    float least = INFINITY;
    for (int k = 0; k < count; ++k) {
        float dx = x[i] - centres[2 * k], dy = y[i] - centres[2 * k + 1];
        float away = dx * dx + dy * dy;
        if (away < least) { least = away; label[i] = k; }
    }
    """,
    name="nearest",
)
gather = ReductionKernel(
    ctx,
    members,
    neutral="no_members()",
    reduce_expr="both(a, b)",
    map_expr="label[i] == k ? one_member(x[i], y[i]) : no_members()",
    arguments="const float *x, const float *y, const int *label, int k",
    preamble=members_text
    + """
    members no_members() { members m; m.x = 0; m.y = 0; m.count = 0; return m; }
    members one_member(float x, float y) { members m; m.x = x; m.y = y; m.count = 1; return m; }
    members both(members a, members b) {
        a.x += b.x; a.y += b.y; a.count += b.count; return a;
    }
    """,
    name="gather",
)


def k_means_on_host(points, centres):
    for _ in range(STEPS):
        away = ((points[:, np.newaxis] - centres) ** 2).sum(axis=2)
        labels = away.argmin(axis=1)
        centres = np.array([points[labels == k].mean(axis=0) for k in range(len(centres))])
    return centres, labels


rng = np.random.default_rng(11)
points = MIDDLES[rng.integers(0, len(MIDDLES), options.points)]
points = points + rng.normal(0, 0.8, points.shape).astype(np.float32)
centres = start = np.array([[-1, -1], [1, -1], [0, 1], [1, 1]], np.float32)

x, y = (cl_array.to_device(queue, points[:, axis].copy()) for axis in (0, 1))
label = cl_array.zeros(queue, options.points, np.int32)
for _ in range(STEPS):
    nearest(x, y, cl_array.to_device(queue, centres.ravel()), len(centres), label)
    sums = [gather(x, y, label, np.int32(k)).get() for k in range(len(centres))]
    centres = np.array([[s["x"] / s["count"], s["y"] / s["count"]] for s in sums], np.float32)
print("centres:", " ".join(f"({x:.2f}, {y:.2f})" for x, y in centres))

if options.pictures:
    colours = np.array([[230, 80, 60], [60, 160, 230], [90, 200, 90], [240, 200, 60]], np.uint8)
    size = 400
    picture = np.full((size, size, 3), 20, np.uint8)
    row, column = ((points.T[::-1] + 5) * size / 10).astype(int).clip(0, size - 1)
    picture[size - 1 - row, column] = colours[label.get()]
    header = f"P6 {size} {size} 255\n".encode()
    (options.pictures / "k_means.ppm").write_bytes(header + picture.tobytes())

expected, labels = k_means_on_host(points, start)
same = np.mean(label.get() == labels)  # a point between two clusters may fall to either
correct = np.allclose(centres, expected, atol=1e-2) and same > 0.999
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
