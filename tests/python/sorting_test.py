# SPDX-License-Identifier: MIT
"""Sorts beside NumPy: every dtype, along every axis, NaN and zeros of both signs."""

import os

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
DTYPES = ["?", *INTEGERS, "f2", "f4", "f8", "c8", "c16"]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture
def computing(device):
    if not device.traits.runs_kernels:
        pytest.skip("it computes nothing")
    return device


def same(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)


def values_of(shape, dtype, rng):
    """Some are equal, and floats have what NumPy orders by rules of its own."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        parts = [values_of(shape, f"f{dtype.itemsize // 2}", rng) for _ in range(2)]
        x = np.empty(shape, dtype)
        x.real, x.imag = parts
        return x
    x = rng.integers(-(2**62), 2**62, shape)
    few = rng.integers(-3, 4, shape)
    x = np.where(rng.random(shape) < 0.5, few, x)
    if dtype.kind != "f":
        return x.astype(dtype)
    with np.errstate(over="ignore"):
        x = (x * rng.random(shape) / 2.0 ** rng.integers(0, 90, shape)).astype(dtype)
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e-7], dtype)
    return np.where(rng.random(shape) < 0.3, rng.choice(special, shape), x)


def check(x, axis):
    ours = tnp.array(x)
    order = np.argsort(x, axis=axis, kind="stable")
    same(tnp.argsort(ours, axis=axis), order)
    found = tnp.sort(ours, axis=axis)
    same(found, np.sort(x, axis=axis, kind="stable"))
    if x.dtype.kind == "f" and axis is not None and x.ndim > 0:  # and zeros keep their signs
        expected = np.take_along_axis(x, order, axis)
        # NVIDIA's OpenCL loads halves that are NaN without their sign.
        is_number = ~np.isnan(expected)
        assert np.array_equal(np.signbit(found.get()) & is_number, np.signbit(expected) & is_number)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_as_numpy_orders_it(computing, dtype):
    rng = np.random.default_rng(1)
    check(values_of(777, dtype, rng), -1)
    check(values_of((13, 40), dtype, rng), 1)


def test_every_axis_and_layout(computing):
    rng = np.random.default_rng(2)
    x = values_of((3, 5, 4), "f4", rng)
    for axis in (0, 1, 2, -1, -3, None):
        check(x, axis)
        check(x[::-1, ::2].T, axis)
    same(tnp.argsort(tnp.array(1.0)), np.argsort(np.array(1.0)))
    check(np.array(1.0), None)
    with pytest.raises(IndexError):
        tnp.sort(tnp.array(1.0))
    for shape in ((0,), (1,), (3, 0), (0, 3), (4, 1)):
        check(np.ones(shape, "f4"), -1)
        check(np.ones(shape, "f4"), None)
    check(values_of(70_001, "f4", rng), 0)


def test_downwards_equal_elements_stay_in_their_order(computing):
    x = np.array([[3, 1, 3, 2], [0, 5, 5, 0]], "i4")
    ours = tnp.array(x)
    same(tnp.sort(ours, descending=True), -np.sort(-x))
    same(tnp.argsort(ours, descending=True), np.argsort(-x, kind="stable"))
    assert np.isnan(float(tnp.sort(tnp.array([1.0, np.nan]), descending=True)[0]))


def test_methods_sort_in_place(computing):
    x = np.array([[3.0, 1, 2], [6, 5, 4]])
    ours = tnp.array(x)
    view, before = ours[:, ::-1], ours + 0
    assert view.sort() is None
    x[:, ::-1].sort()
    same(ours, x)
    ours.sort(axis=0)
    x.sort(axis=0)
    same(ours, x)
    assert before.get()[0].tolist() == [3, 1, 2]
    with pytest.raises(ValueError):
        tnp.broadcast_to(tnp.ones(3), (2, 3)).sort()


def test_by_several_keys_and_partitions(computing):
    rng = np.random.default_rng(4)
    keys = [rng.integers(0, 4, (3, 50)) for _ in range(2)] + [rng.integers(0, 3, (3, 50)) * 0.5]
    for axis in (-1, 0):
        same(tnp.lexsort([tnp.array(key) for key in keys], axis), np.lexsort(keys, axis))
    same(tnp.lexsort(tnp.array(keys[0])), np.lexsort(keys[0]))
    x = rng.random(40)
    for kth in (5, [3, -1]):
        same(tnp.partition(tnp.array(x), kth)[kth], np.partition(x, kth)[kth])
        same(tnp.array(x)[tnp.argpartition(tnp.array(x), kth)][kth], np.partition(x, kth)[kth])
    same(tnp.sort_complex(tnp.array([3, 1, 2], "i2")), np.sort_complex(np.array([3, 1, 2], "i2")))
    nans = np.array([complex(*p) for p in [(1, np.nan), (np.nan, 0), (2, 1), (0, np.nan), (2, 0)]])
    same(tnp.argsort(tnp.array(nans)), np.argsort(nans))


def test_what_is_refused_names_its_argument(device):
    x = tnp.ones((2, 3))
    with pytest.raises(ValueError, match="kind='bogo'"):
        tnp.sort(x, kind="bogo")
    with pytest.raises(IndexError):
        tnp.argsort(x, axis=2)
    with pytest.raises(ValueError, match="kth=3 of 3"):
        tnp.partition(x, 3)
    with pytest.raises(TypeError, match="one for each key"):
        tnp.lexsort([])
    with pytest.raises(treadle.ShapeError, match="one shape"):
        tnp.lexsort([x, x[0]])


def test_random_shapes_and_dtypes(computing):
    """TREADLE_RANDOM_CASES=N draws more."""
    cases = int(os.environ.get("TREADLE_RANDOM_CASES", "6"))
    rng = np.random.default_rng(int(os.environ.get("TREADLE_RANDOM_SEED", "5")))
    for _ in range(cases):
        shape = tuple(rng.integers(1, 30, rng.integers(1, 4)))
        x = values_of(shape, rng.choice(["f4", "i8"] if cases == 6 else DTYPES), rng)
        check(x, int(rng.integers(-len(shape), len(shape))))


def test_top_k_is_the_begin_of_a_stable_sort(computing):
    rng = np.random.default_rng(8)
    for dtype in ("f4", "i8", "f8"):
        x = values_of((3, 700), dtype, rng)
        for axis, k in ((-1, 20), (0, 2), (None, 33)):
            ours = tnp.array(x)
            up = np.argsort(x, axis=axis, kind="stable")
            few = np.take(up, range(k), axis=-1 if axis is None else axis)
            values, indices = treadle.top_k(ours, k, axis, largest=False)
            same(indices, few)
            same(values, np.take_along_axis(x, few, axis))
            values, indices = treadle.top_k(ours, k, axis)
            down = tnp.argsort(ours, axis, descending=True).get()
            same(indices, np.take(down, range(k), axis=-1 if axis is None else axis))
    with pytest.raises(ValueError, match="k=4 of 3"):
        treadle.top_k(tnp.arange(3), 4)


def test_merge_of_sorted_arrays(computing):
    rng = np.random.default_rng(9)
    x, y = np.sort(rng.integers(0, 50, 300)), np.sort(rng.integers(0, 50, 77))
    same(treadle.merge(tnp.array(x), tnp.array(y)), np.sort(np.concatenate([x, y])))
