# SPDX-License-Identifier: MIT
"""CUDA's mathematical functions are as accurate as CUDA documents them, for all arguments, in
vectors and beside them. TREADLE_MATH_ARGUMENTS=N takes N bit patterns of each precision instead of
some thousand, TREADLE_RANDOM_SEED=n others."""

import os

import math_bounds
import numpy as np
import pytest

COUNT = int(os.environ.get("TREADLE_MATH_ARGUMENTS", "1500"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "0"))
PART = 1 << 20


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_are_within_cudas_bounds(device, dtype):
    kernel = device.load(device.image(math_bounds.kernel(dtype))).kernel()
    worst = {}
    for part in range(0, COUNT, PART):
        x, y = math_bounds.arguments(dtype, min(COUNT, PART), seed=SEED + part)
        out = np.zeros((len(math_bounds.BOUNDS), x.size), dtype)
        kernel(out, x, y, np.int32(x.size), grid=(x.size // 256 + 1,), block=(256,))
        for result, name in zip(out, math_bounds.BOUNDS, strict=True):
            off = math_bounds.units_off(result, math_bounds.exact_values(name, x, y))
            at = int(np.argmax(off))
            worst[name] = max(worst.get(name, (-1.0,)), (float(off[at]), x[at], y[at], result[at]))
    kind = "single" if dtype == np.float32 else "double"
    beyond = {n: w for n, w in worst.items() if w[0] > getattr(math_bounds.BOUNDS[n], kind)}
    assert beyond == {}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_result_does_not_depend_on_where_in_a_row_its_thread_stands(device, dtype):
    kernel = device.load(device.image(math_bounds.kernel(dtype))).kernel()
    x, y = math_bounds.arguments(dtype, 40, seed=7)
    rows = len(math_bounds.BOUNDS)
    alone, together = np.zeros((rows, x.size), dtype), np.zeros((rows, x.size), dtype)
    kernel(alone, x, y, np.int32(x.size), grid=(x.size,), block=(1,))
    kernel(together, x, y, np.int32(x.size), grid=(x.size // 64 + 1,), block=(64,))
    same = (alone == together) | (np.isnan(alone) & np.isnan(together))
    names = [n for n, row in zip(math_bounds.BOUNDS, same, strict=True) if not row.all()]
    assert names == []
