# SPDX-License-Identifier: MIT
"""Reductions of users' texts beside NumPy: maps that read arrays as x[i], otherwise, or only under
a condition; axes, slices, and names that the kernel's own variables have.

An hour of it: TREADLE_RANDOM_CASES=3000; others: TREADLE_RANDOM_SEED=7."""

import os
from random import Random

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "3"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "1"))

# As C and as NumPy: x and y are arrays, i the index, n their number, c a number.
MAPS = [
    ("{x}[i]", lambda x, y, i, n, c: x),
    ("{x}[i] * {y}[i]", lambda x, y, i, n, c: x * y),
    ("{x}[ i ] + {c} /* {y}[0] */", lambda x, y, i, n, c: x + c),
    ("{x}[i] * (i % 5)", lambda x, y, i, n, c: x * (i % 5)),
    ("{x}[i] > {c} ? {y}[i] : 0", lambda x, y, i, n, c: np.where(x > c, y, 0)),
    ("i > 3 && {x}[i] > {c}", lambda x, y, i, n, c: (i > 3) & (x > c)),
    ("({x}[i] == {y}[i]) + TWICE({c})", lambda x, y, i, n, c: (x == y) + 2 * c),
    ("n - i + {x}[i]", lambda x, y, i, n, c: n - i + x),
    ("abs({x}[i] - {y}[i])", lambda x, y, i, n, c: np.abs(x - y)),
]
FOLDS = [
    ("a + b", "0", np.sum),
    ("a > b ? a : b", "-100000", np.max),
    ("a < b ? a : b", "NONE", np.min),
    ("a ^ b", "0", np.bitwise_xor.reduce),
]
NAMES = ["x", "y", "k", "n0", "lane", "tile", "start", "left", "user_x", "z", "splits", "step", "c"]
SHAPES = [(1,), (7,), (1000,), (5000,), (300_001,), (3, 40), (40, 3), (5, 300, 20), (2, 3000)]


@pytest.fixture(params=[d.id for d in treadle.devices()])
def computing(request):
    with treadle.find_device(request.param) as device:
        if not device.traits.runs_kernels:
            pytest.skip("it computes nothing")
        yield device


@pytest.mark.parametrize("seed", range(SEED * 10**6, SEED * 10**6 + CASES))
def test_texts_of_users_fold_as_numpy_does(computing, seed):
    random = Random(seed)
    x, y, c = random.sample(NAMES, 3)
    chosen = random.sample(MAPS, random.choice([1, 1, 2]))
    folds = [random.choice(FOLDS) for _ in chosen]
    dtypes = [random.choice(["i4", "i8"]) for _ in chosen]
    element = random.choice(["i2", "i4"])
    kernel = treadle.ReductionKernel(
        tuple(dtypes),
        neutral=tuple(neutral for _, neutral, _ in folds),
        reduce=tuple(reduce for reduce, _, _ in folds),
        map=tuple(text.format(x=x, y=y, c=c) for text, _ in chosen),
        arguments=f"const *{x}, const *{y}, int {c}",
        preamble="#define TWICE(lanes) (2 * (lanes))\n#define NONE 100000\n#define count NONE",
    )
    for _ in range(3):
        shape = random.choice(SHAPES)
        numbers = np.random.default_rng(random.randrange(10**6))
        given = [
            numbers.integers(-50, 50, (shape[0] + 1, *shape[1:])).astype(element) for _ in "xy"
        ]
        first = random.choice([0, 1])  # a slice begins where no vector may
        given = [a[first : first + shape[0]] for a in given]
        number = random.randrange(-9, 9)
        axis = random.choice([None, *range(len(shape))]) if len(shape) > 1 else None
        placed = [tnp.array(np.zeros((1, *shape[1:]), element)) for _ in "xy"]
        placed = [
            tnp.concatenate([p, tnp.array(a)])[1:] for p, a in zip(placed, given, strict=True)
        ]
        found = kernel(*placed, number, axis=axis)
        found = found if isinstance(found, tuple) else (found,)
        i = np.arange(given[0].size).reshape(shape)
        length = given[0].size if axis is None else shape[axis]
        wide = [a.astype("i8") for a in given]
        for result, (_, compute), (_, _, fold), dtype in zip(
            found, chosen, folds, dtypes, strict=True
        ):
            values = np.broadcast_to(compute(*wide, i, length, number), shape)
            values = np.asarray(values, "i8")
            wanted = fold(values.ravel(), axis=0) if axis is None else fold(values, axis=axis)
            np.testing.assert_array_equal(result.get(), np.asarray(wanted).astype(dtype))
