# SPDX-License-Identifier: MIT
"""Quotients and remainders of integers on every device. Processors compute them by floats, which is
right only if every rounding is thought of: numbers of all lengths, near multiples, at the ends.

An hour of it: TREADLE_RANDOM_CASES=20000; others: TREADLE_RANDOM_SEED=7."""

import os

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

DEVICES = [device.id for device in treadle.devices() if device.traits.runs_kernels]
DTYPES = [f"{kind}{bits}" for bits in (8, 16, 32, 64) for kind in ("int", "uint")]
CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "2"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "0"))
COUNT = 1 << 13


def numbers(random, dtype):
    """Of any number of bits, with either sign."""
    info = np.iinfo(dtype)
    words = random.integers(0, 2**64 - 1, COUNT, dtype="u8", endpoint=True)
    words >>= random.integers(64 - info.bits, 64, COUNT).astype("u8")
    if info.min < 0:
        words = np.where(random.random(COUNT) < 0.5, np.uint64(0) - words, words)
    return words.astype(dtype)


def pairs(random, dtype):
    info = np.iinfo(dtype)
    a, b = numbers(random, dtype), numbers(random, dtype)
    yield a, b
    multiples = numbers(random, dtype) // np.where(b == 0, 1, b) * b
    yield multiples + random.integers(-1, 2, COUNT).astype(dtype), b
    ends = np.where(random.random(COUNT) < 0.5, *np.array([info.max, info.min], dtype))
    yield ends, b
    yield a, ends - random.integers(0, 100, COUNT).astype(dtype)
    for divisor in {*(int(x) for x in b[:2]), 1, 2, 3, 10, info.max, info.min}:
        yield a, np.dtype(dtype).type(divisor)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("device", DEVICES)
def test_quotients_and_remainders_are_numpys(device, dtype):
    with treadle.find_device(device), np.errstate(all="ignore"):
        for case in range(SEED, SEED + CASES):
            for a, b in pairs(np.random.default_rng(case), dtype):
                x = tnp.asarray(a)
                y = tnp.asarray(b) if b.ndim else b
                for name in ("floor_divide", "remainder", "fmod"):
                    expected = getattr(np, name)(a, b)
                    wrong = np.flatnonzero(getattr(tnp, name)(x, y).get() != expected)[:3]
                    found = [(a[i], b[i] if b.ndim else b, expected[i]) for i in wrong]
                    assert not found, (name, case, found)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("device", DEVICES)
def test_every_quotient_of_eight_bits(device, dtype):
    info = np.iinfo(dtype)
    every = np.arange(info.min, info.max + 1).astype(dtype)
    with treadle.find_device(device), np.errstate(all="ignore"):
        a, b = tnp.asarray(every).reshape(-1, 1), tnp.asarray(every)
        assert np.array_equal((a // b).get(), every[:, None] // every)
        assert np.array_equal((a % b).get(), every[:, None] % every)


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("device", DEVICES)
def test_divisors_are_float16(device):
    """Numbers that were float16 are compared as such where the processor can."""
    y = np.array([-1.25, 6.25, 42.25, 90.25, 4, -2.25, 49, 9, 25, 20.25, 100, 12.25] * 3, "f2")
    with treadle.find_device(device):
        for x in (np.array(225, "u4"), np.array(-225.5), np.linspace(-300, 300, y.size)):
            for name in ("floor_divide", "remainder", "fmod", "divmod"):
                ours = getattr(tnp, name)(tnp.asarray(x), tnp.asarray(y))
                theirs = getattr(np, name)(x, y)
                for one, other in zip(as_tuple(ours), as_tuple(theirs), strict=True):
                    assert np.array_equal(one.get(), other), name
