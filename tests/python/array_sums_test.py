# SPDX-License-Identifier: MIT
"""Sums lose no more digits than NumPy's, however many elements there are and along any axis.
TREADLE_RANDOM_CASES=N draws more shapes, TREADLE_RANDOM_SEED=n others."""

import math
import os

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]
SHAPES = [
    ((7,), None),
    ((100,), None),
    ((639,), None),
    ((250_001,), None),
    ((64, 33), 1),
    ((64, 700), 1),
    ((700, 64), 0),
    ((3000, 7), 0),
    ((20, 30, 40), (0, 2)),
    ((20, 30, 40), 1),
]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


def values(shape, dtype):
    rng = np.random.default_rng(5)
    x = rng.random(shape) + 0.5
    if np.dtype(dtype).kind == "c":
        x = x - 0.3j * rng.random(shape)
    return x.astype(dtype)


def error(found, exact):
    """The distance from the exact results, of several its root mean square."""
    wide = np.complex128 if np.asarray(exact).dtype.kind == "c" else np.float64
    return float(np.sqrt(np.mean(np.abs(np.asarray(found).astype(wide) - exact) ** 2)))


def exact_sum(x, axis=None):
    """By math.fsum(), which rounds once."""
    axes = tuple(range(x.ndim)) if axis is None else np.atleast_1d(axis) % x.ndim
    kept = [a for a in range(x.ndim) if a not in axes]
    rows = x.transpose([*kept, *axes]).reshape([x.shape[a] for a in kept] + [-1])

    def one(part):
        return [math.fsum(row) for row in part.astype(np.float64).reshape(-1, rows.shape[-1])]

    shape = rows.shape[:-1]
    if x.dtype.kind != "c":
        return np.reshape(one(rows), shape)
    return np.reshape(one(rows.real), shape) + 1j * np.reshape(one(rows.imag), shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_sums_and_means_are_as_near_as_numpys(device, dtype):
    for shape, axis in SHAPES:
        host = values(shape, dtype)
        x, exact = tnp.array(host), exact_sum(host, axis)
        allowed = max(error(host.sum(axis), exact), rounding(exact, dtype))
        assert error(x.sum(axis=axis).get(), exact) <= allowed, (shape, axis)
        count = host.size / np.size(exact)
        # The sum is rounded, and then the quotient.
        allowed = max(error(host.mean(axis), exact / count), 2 * rounding(exact / count, dtype))
        assert error(x.mean(axis=axis).get(), exact / count) <= allowed, (shape, axis)


def rounding(exact, dtype):
    """A unit of the last digit of the largest result: of a few numbers NumPy's error may be less by
    chance."""
    return 2 * float(np.max(np.abs(exact))) * np.finfo(dtype).eps / 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_equal_numbers_do_not_drift(device, dtype):
    for number in (0.1, 0.7, 123.456):
        host = np.full(400_000, number, dtype)
        exact = float(host[0]) * host.size
        found = float(tnp.array(host).sum().get())
        assert abs(found - exact) <= max(abs(float(host.sum()) - exact), rounding(exact, dtype))


def test_dots_variances_and_cumulative_sums_are_as_near_as_numpys(device):
    host, other = values(100_003, np.float32), values(100_003, np.float32)[::-1].copy()
    x, y = tnp.array(host), tnp.array(other)
    exact = math.fsum((host * other).astype(np.float64))
    theirs = error((host * other).sum(), exact)
    assert error(tnp.dot(x, y).get(), exact) <= max(theirs, rounding(exact, np.float32))
    assert error(tnp.vdot(x, y).get(), exact) <= max(theirs, rounding(exact, np.float32))
    spread = host.astype(np.float64).var()
    assert error(x.var().get(), spread) <= max(
        error(host.var(), spread), 2 * rounding(spread, np.float32)
    )
    sums = np.cumsum(host.astype(np.float64))
    assert error(x.cumsum().get(), sums) <= error(np.cumsum(host), sums)


def test_sums_of_what_is_not_finite_are_numpys(device):
    cases = [[np.inf, 1], [np.inf, -np.inf], [np.nan, 1], [3e38] * 600, [-np.inf] * 5000, [-0.0]]
    with np.errstate(all="ignore"):
        for case in cases:
            host = np.array(case, np.float32)
            np.testing.assert_array_equal(tnp.array(host).sum().get(), host.sum(), str(case[:2]))
        host = np.array([1 + 1j, complex(np.inf, 2)], np.complex64)
        np.testing.assert_array_equal(tnp.array(host).sum().get(), host.sum())


def rows_of(kind, shape):
    rng = np.random.default_rng(11)
    return {
        "signs": lambda: rng.choice([-1.0, 1], shape) * (rng.random(shape) + 0.5),
        "equal": lambda: np.repeat(rng.random((*shape[:-1], 1)), shape[-1], -1),
        "cancelling": lambda: np.where(np.arange(shape[-1]) % 2, 1e4, -1e4) + rng.random(shape),
    }[kind]().astype("f4")


@pytest.mark.parametrize("kind", ["signs", "equal", "cancelling"])
@pytest.mark.parametrize("length", [129, 255, 1500])
def test_rows_of_middle_length_round_no_more_than_numpys(device, kind, length):
    """More rows than are folded in twice the precision. By the root mean square of all, which is
    5 % off by chance."""
    host = rows_of(kind, (1000, length))
    wide, x = host.astype(np.float64), tnp.array(host)
    for name in ("sum", "mean", "var"):
        exact = getattr(wide, name)(axis=1)
        found = getattr(x, name)(axis=1).get()
        theirs = error(getattr(host, name)(axis=1), exact)
        assert error(found, exact) <= 1.05 * theirs + 1e-30, name


@pytest.mark.parametrize("kind", ["signs", "equal", "cancelling"])
def test_few_numbers_are_summed_as_exactly_as_the_result_holds(device, kind):
    for length in (3, 31, 127, 300, 2000):
        host = rows_of(kind, (5, length))
        factors = (1 + host / 1e5).astype("f4")
        x, y = tnp.array(host), tnp.array(factors)
        wide = host.astype(np.float64)
        for i, row in enumerate(wide):
            for found, right in [
                (x[i].sum(), math.fsum(row)),
                (tnp.dot(x[i], x[i]), math.fsum(row**2)),
                (tnp.prod(y[i]), math.prod(factors[i].astype(np.float64))),
            ]:
                half_a_digit = abs(right) * np.finfo("f4").eps / 2
                assert abs(float(found) - right) <= half_a_digit * 1.0001, (length, found, right)


def drawn_sums(rng):
    """(rows of numbers, the axis that is summed)"""
    shape = tuple(int(n) for n in np.exp(rng.uniform(0, 6.2, rng.integers(1, 4))).astype(int))
    axis = int(rng.integers(len(shape)))
    kind = rng.choice(["positive", "signs", "equal", "decades"])
    numbers = {
        "positive": lambda: rng.random(shape) + 0.5,
        "signs": lambda: rng.choice([-1.0, 1], shape) * (rng.random(shape) + 0.5),
        "equal": lambda: np.broadcast_to(rng.random(), shape),
        "decades": lambda: 10.0 ** rng.uniform(-3, 3, shape),
    }[kind]()
    step = int(rng.integers(1, 3))
    return numbers.astype(np.float32)[(slice(None),) * axis + (slice(None, None, step),)], axis


def test_drawn_sums_are_as_near_as_numpys(device):
    """By the root mean square of all results, or by the last digit of sums whose terms are as large
    as these: what cancels leaves little more than chance. Numbers that are all alike are rounded
    alike: one sample, in which chance has a larger part."""
    first = int(os.environ.get("TREADLE_RANDOM_SEED", "1"))
    for seed in range(first, first + int(os.environ.get("TREADLE_RANDOM_CASES", "12"))):
        host, axis = drawn_sums(np.random.default_rng(seed))
        wide, x = host.astype(np.float64), tnp.array(host)
        digit = float(np.max(np.abs(wide).sum(axis))) * np.finfo(np.float32).eps
        chance, digits = (1.05, digit) if len(np.unique(host)) > 8 else (2, 4 * digit)
        for name, scale in (("sum", 1), ("mean", host.shape[axis])):
            exact = getattr(wide, name)(axis=axis)
            theirs = error(getattr(host, name)(axis=axis), exact)
            allowed = max(chance * theirs, digits / scale)
            found = error(getattr(x, name)(axis=axis).get(), exact)
            assert found <= allowed, (f"TREADLE_RANDOM_SEED={seed}", name, host.shape, axis)
        sums = np.cumsum(wide, axis)
        allowed = max(chance * error(np.cumsum(host, axis), sums), digits)
        assert error(x.cumsum(axis=axis).get(), sums) <= allowed, f"TREADLE_RANDOM_SEED={seed}"
