# SPDX-License-Identifier: MIT
"""The least and the greatest of many numbers, and where they are: a reduction to a structure.

extrema.py [--size N]
"""

import argparse
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.reduction import ReductionKernel
from pyopencl.tools import get_or_register_dtype, match_dtype_to_c_struct

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=1_000_000)
options = parser.parse_args()

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

extrema = np.dtype(
    [("least", np.float32), ("greatest", np.float32), ("at_least", "i4"), ("at_greatest", "i4")]
)
extrema, extrema_text = match_dtype_to_c_struct(queue.device, "extrema", extrema)
extrema = get_or_register_dtype("extrema", extrema)

find_extrema = ReductionKernel(
    ctx,
    extrema,
    neutral="nothing()",
    reduce_expr="both(a, b)",
    map_expr="only(x[i], i)",
    arguments="const float *x",
    preamble=extrema_text
    + """
    extrema only(float value, int place) {
        extrema e;
        e.least = e.greatest = value;
        e.at_least = e.at_greatest = place;
        return e;
    }
    extrema nothing() {
        extrema e = only(INFINITY, INT_MAX);
        e.greatest = -INFINITY;
        return e;
    }
    /* Of equal numbers the first counts, in whatever order the device combines them. */
    extrema both(extrema a, extrema b) {
        if (b.least < a.least || (b.least == a.least && b.at_least < a.at_least)) {
            a.least = b.least;
            a.at_least = b.at_least;
        }
        if (b.greatest > a.greatest
                || (b.greatest == a.greatest && b.at_greatest < a.at_greatest)) {
            a.greatest = b.greatest;
            a.at_greatest = b.at_greatest;
        }
        return a;
    }
    """,
    name="find_extrema",
)

x = np.random.default_rng(3).normal(size=options.size).astype(np.float32)
x[options.size // 2 :] = np.clip(x[options.size // 2 :], -3, 3)  # many are equal
result = find_extrema(cl_array.to_device(queue, x)).get()
print(
    f"least: {result['least']:.4f} at {result['at_least']},"
    f" greatest: {result['greatest']:.4f} at {result['at_greatest']}"
)
ties = find_extrema(cl_array.to_device(queue, np.round(x))).get()

correct = all(
    (r["least"], r["at_least"]) == (of.min(), of.argmin())
    and (r["greatest"], r["at_greatest"]) == (of.max(), of.argmax())
    for r, of in [(result, x), (ties, np.round(x))]
)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
