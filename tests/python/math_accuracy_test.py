# SPDX-License-Identifier: MIT
"""Mathematical functions of float32 arrays, against NumPy's of long doubles: what every device
gives is within the bounds of CUDA's documentation, or of OpenCL's where that leaves more."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 1e-45, -1e-45, 3.4e38, 89, -104]
# Units of the last place: 3 of most of OpenCL's, 4 or 5 of these.
BOUNDS = {"arctan": 2, "sinh": 4, "log1p": 2, "arctan2": 6, "hypot": 4, "power": 16}
BOUNDS |= {"sin": 4, "cos": 4, "tan": 5, "tanh": 5}


def units_off(result, exact):
    with np.errstate(all="ignore"):
        nearest = exact.astype(np.float32)
        size = np.clip(abs(exact), 2.0**-126, 3.4e38)
        off = abs(result - exact) / np.exp2(np.floor(np.log2(size)) - 23)
        same = (result == nearest) | (np.isnan(result) & np.isnan(nearest))
        off = np.where(same, np.minimum(np.nan_to_num(off), 0.5), np.where(np.isnan(off), 1e9, off))
    return np.where((np.signbit(result) != np.signbit(nearest)) & ~np.isnan(result), 1e9, off)


IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]


@pytest.mark.parametrize("device_id", IDS)
def test_functions_of_float32_are_exact_to_a_few_units(device_id):
    device = treadle.find_device(device_id)
    random = np.random.default_rng(3)
    pairs = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)
    bits = random.integers(0, 2**32, (2, 3000), dtype=np.uint32).view(np.float32)
    near = random.uniform(-12, 12, (2, 3000))
    x, y = np.concatenate([pairs.astype(np.float32), bits, near.astype(np.float32)], axis=1)
    denormal = (abs(x) < 2.0**-126) & (x != 0) | (abs(y) < 2.0**-126) & (y != 0)
    if device.kind == "gpu":  # which OpenCL allows to take denormal numbers for 0
        x, y = x[~denormal], y[~denormal]
    worst = {}
    with device, np.errstate(all="ignore"):
        for name, bound in BOUNDS.items():
            operands = (x, y)[: 1 + (name in ("arctan2", "hypot", "power"))]
            result = getattr(tnp, name)(*(tnp.asarray(v) for v in operands)).get()
            exact = getattr(np, name)(*(v.astype(np.longdouble) for v in operands))
            off = units_off(result, exact)
            at = int(np.argmax(off))
            if off[at] > bound:
                worst[name] = (float(off[at]), x[at], y[at], result[at])
    assert worst == {}
