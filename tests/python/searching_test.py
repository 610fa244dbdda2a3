# SPDX-License-Identifier: MIT
"""Places among sorted elements, and arrays as sets, beside NumPy."""

import os

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]


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
    if isinstance(theirs, tuple):
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
        return
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)


SPECIAL = [np.nan, -np.inf, np.inf, -0.0, 0.0, 1.5, 1.5, -2.0]


def complex_values():
    return np.array([complex(a, b) for a in (0.0, 1.0, np.nan) for b in (2.0, -1.0, np.nan, 2.0)])


@pytest.mark.parametrize("side", ["left", "right"])
def test_places_among_sorted_elements(computing, side):
    for among, wanted in [
        (np.array(SPECIAL, "f4"), np.array([SPECIAL, SPECIAL[::-1]], "f4")),
        (np.array([-5, 3, 3, 9], "i1"), np.array([3, 200, -200], "i2")),
        (np.array([1.0, 2.0]), np.array(1.5)),
        (np.zeros(0), np.ones(2)),
        (complex_values(), complex_values()),
    ]:
        among = np.sort(among)
        expected = np.searchsorted(among, wanted, side)
        same(tnp.searchsorted(tnp.array(among), tnp.array(wanted), side), np.asarray(expected))
    x = np.array([4, 1, 3])
    order = np.argsort(x)
    ours = tnp.searchsorted(tnp.array(x), [2, 3], side, sorter=tnp.array(order))
    same(ours, np.searchsorted(x, [2, 3], side, sorter=order))
    assert int(tnp.array([1, 2, 5]).searchsorted(2, side)) == (1 if side == "left" else 2)


def test_bins_that_go_up_or_down(computing):
    x = np.array([[0.2, 6.4, 3.0], [1.6, 1.0, -5.0]])
    for edges in ([0.0, 1.0, 2.5, 4.0], [4.0, 2.5, 1.0, 0.0], [1.0]):
        for right in (False, True):
            same(tnp.digitize(tnp.array(x), edges, right), np.digitize(x, edges, right))
    with pytest.raises(ValueError, match="up and down"):
        tnp.digitize(tnp.array(x), [0, 2, 1])


def test_lines_through_values(computing):
    x, xp, fp = np.linspace(-1, 5, 25), np.array([0.0, 1, 3, 4]), np.array([2.0, np.inf, 0, 5])
    for options in ({}, {"left": -7}, {"left": 1, "right": 8}):
        theirs = np.interp(x, xp, fp, **options)
        np.testing.assert_allclose(tnp.interp(tnp.array(x), xp, fp, **options).get(), theirs)
    angles = np.array([190.0, -190, 350, -350])
    theirs = np.interp(x * 100, angles, fp[[0, 2, 3, 3]] + 1j, period=360)
    ours = tnp.interp(tnp.array(x * 100), angles, fp[[0, 2, 3, 3]] + 1j, period=360)
    np.testing.assert_allclose(ours.get(), theirs)
    assert float(tnp.interp(3.0, [1.0], [5.0])) == 5
    with pytest.raises(treadle.ShapeError):
        tnp.interp(tnp.array(x), xp, fp[:2])


def check_unique(x, **options):
    flags = {"return_index": True, "return_inverse": True, "return_counts": True}
    same(tnp.unique(tnp.array(x), **flags, **options), np.unique(x, **flags, **options))
    same(tnp.unique(tnp.array(x), **options), np.unique(x, **options))


def test_each_value_once(computing):
    check_unique(np.array([[3, 1, 3], [2, 1, 9]]))
    check_unique(np.array(SPECIAL * 2, "f4"))
    check_unique(np.array(SPECIAL * 2, "f4"), equal_nan=False)
    for shape in ((0,), (1,), ()):
        check_unique(np.ones(shape))
    x = tnp.array([5, 3, 5])
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        ours, theirs = getattr(tnp, name)(x), getattr(np, name)(x.get())
        assert ours._fields == theirs._fields
        same(ours, tuple(theirs))
    same(tnp.unique_values(x), np.unique_values(x.get()))


def test_sets(computing):
    pairs = [([3, 1, 3, 2], [2, 5, 3]), ([], [1.5]), ([1, 2], [1.0, np.nan, 2.0]), ([4], [5])]
    for x, y in [(np.array(x), np.array(y)) for x, y in pairs]:
        a, b = tnp.array(x), tnp.array(y)
        for name in ("union1d", "setdiff1d", "setxor1d", "intersect1d", "isin"):
            same(getattr(tnp, name)(a, b), getattr(np, name)(x, y))
        found = tnp.intersect1d(a, b, return_indices=True)
        same(found, np.intersect1d(x, y, return_indices=True))
    x, y = np.arange(60).reshape(6, 10), np.arange(0, 100, 3)
    for invert in (False, True):
        same(tnp.isin(tnp.array(x), tnp.array(y), invert=invert), np.isin(x, y, invert=invert))


def test_what_is_refused_names_its_argument(device):
    x = tnp.ones((2, 3))
    with pytest.raises(treadle.ShapeError, match="searched"):
        tnp.searchsorted(x, 1)
    with pytest.raises(ValueError, match="side='up'"):
        tnp.searchsorted(x[0], 1, "up")
    with pytest.raises(treadle.ShapeError, match="sorter of 2"):
        tnp.searchsorted(x[0], 1, sorter=[0, 1])
    with pytest.raises(ValueError, match="no places"):
        tnp.interp(x, [], [])


def test_random_arrays(computing):
    """TREADLE_RANDOM_CASES=N draws more."""
    rng = np.random.default_rng(int(os.environ.get("TREADLE_RANDOM_SEED", "7")))
    for _ in range(int(os.environ.get("TREADLE_RANDOM_CASES", "4"))):
        n, dtype = int(rng.integers(1, 3000)), rng.choice(["f4", "f8", "i4", "i8"])
        x = rng.integers(-n // 2, n, n).astype(dtype)
        y = rng.integers(-n // 2, n, int(rng.integers(1, 500))).astype(dtype)
        check_unique(x)
        same(tnp.setxor1d(tnp.array(x), tnp.array(y)), np.setxor1d(x, y))
        same(tnp.isin(tnp.array(x), tnp.array(y)), np.isin(x, y))
        among = np.sort(x)
        same(tnp.searchsorted(tnp.array(among), tnp.array(y)), np.searchsorted(among, y))
