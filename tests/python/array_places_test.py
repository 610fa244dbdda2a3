# SPDX-License-Identifier: MIT
"""argmax and argmin on every device: which of equal elements wins, NaN, lengths that are no
multiple of what is folded side by side, and all axes.

An hour of it: TREADLE_RANDOM_CASES=3000; others: TREADLE_RANDOM_SEED=7."""

import os

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

DEVICES = [device.id for device in treadle.devices() if device.traits.runs_kernels]
CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "2"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "0"))
SHAPES = [(5,), (129,), (4097,), (100_003,), (700, 3), (40, 513)]
DTYPES = ["float32", "float16", "uint8", "int64"]


def elements(random, shape, dtype):
    """Few different ones, so that many are equal; and what is no number, or infinite."""
    values = random.integers(-3, 4, shape).astype(dtype)
    if np.dtype(dtype).kind == "f":
        special = random.choice([-np.inf, np.inf, np.nan, -0.0])
        values[random.random(shape) < random.choice([0, 0.01, 1])] = special
    return values


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("device", DEVICES)
def test_the_first_of_the_largest_is_found(device, dtype):
    with treadle.find_device(device):
        for case in range(SEED, SEED + CASES):
            random = np.random.default_rng(case)
            for shape in SHAPES:
                values = elements(random, shape, dtype)
                reverse = slice(None, None, random.choice([1, -1]))
                values, array = values[reverse], tnp.asarray(values)[reverse]
                for axis in (None, *range(len(shape))):
                    for name in ("argmax", "argmin"):
                        expected = getattr(np, name)(values, axis)
                        got = getattr(tnp, name)(array, axis).get()
                        assert np.array_equal(got, expected), (case, shape, axis, name)
