# SPDX-License-Identifier: MIT
"""The box around stars, their mass, and the farthest from a corner: reductions of structures."""

import argparse
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.gpuarray as gpuarray
from pycuda.reduction import ReductionKernel
from pycuda.tools import get_or_register_dtype

parser = argparse.ArgumentParser()
parser.add_argument("--stars", type=int, default=1_000_000)
options = parser.parse_args()

star_type = np.dtype([("x", np.float32), ("y", np.float32), ("mass", np.float32)])
box_type = np.dtype([(name, np.float32) for name in ("left", "right", "bottom", "top", "mass")])
get_or_register_dtype("star", star_type)
get_or_register_dtype("box", box_type)

# Reductions exchange values by volatile shared memory: the structure can be copied there.
TYPES = """
struct star { float x, y, mass; };
struct box {
    float left, right, bottom, top, mass;
    __device__ box() {}
    __device__ box(float l, float r, float b, float t, float m)
        : left(l), right(r), bottom(b), top(t), mass(m) {}
    __device__ box(const volatile box &o)
        : left(o.left), right(o.right), bottom(o.bottom), top(o.top), mass(o.mass) {}
    __device__ box(const box &o)
        : left(o.left), right(o.right), bottom(o.bottom), top(o.top), mass(o.mass) {}
    __device__ volatile box &operator=(const box &o) volatile
    {
        left = o.left; right = o.right; bottom = o.bottom; top = o.top; mass = o.mass;
        return *this;
    }
};
__device__ box around(const star &s) { return box(s.x, s.x, s.y, s.y, s.mass); }
__device__ box join(const box &a, const box &b)
{
    return box(fminf(a.left, b.left), fmaxf(a.right, b.right), fminf(a.bottom, b.bottom),
               fmaxf(a.top, b.top), a.mass + b.mass);
}
"""
extent = ReductionKernel(
    box_type,
    neutral="box(INFINITY, -INFINITY, INFINITY, -INFINITY, 0)",
    reduce_expr="join(a, b)",
    map_expr="around(stars[i])",
    arguments="const star *stars",
    preamble=TYPES,
)
farthest = ReductionKernel(
    np.float32,
    neutral="0",
    reduce_expr="fmaxf(a, b)",
    map_expr="hypotf(stars[i].x - x, stars[i].y - y)",
    arguments="const star *stars, float x, float y",
    preamble=TYPES,
)

rng = np.random.default_rng(3)
stars = np.empty(options.stars, star_type)
stars["x"] = rng.normal(2, 1, options.stars)
stars["y"] = rng.normal(-1, 3, options.stars)
stars["mass"] = rng.random(options.stars)

on_device = gpuarray.to_gpu(stars)
box = extent(on_device).get()[()]
distance = farthest(on_device, box["left"], box["bottom"]).get()
print(f"mass {box['mass']:.1f} in a box with a corner at ({box['left']:.2f}, {box['bottom']:.2f})")

x, y = stars["x"], stars["y"]
correct = box.item()[:4] == (x.min(), x.max(), y.min(), y.max())
correct = correct and np.isclose(box["mass"], stars["mass"].sum(dtype=np.float64), rtol=1e-5)
correct = correct and np.isclose(distance, np.hypot(x - x.min(), y - y.min()).max(), rtol=1e-5)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
