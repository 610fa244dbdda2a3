# SPDX-License-Identifier: MIT
"""Histograms beside NumPy."""

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
    if isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
        return
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    if theirs.dtype.kind == "f":
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)
    else:
        np.testing.assert_array_equal(ours.get(), theirs)


def test_numbers_are_counted(computing):
    x = np.random.default_rng(1).integers(0, 50, 5000).astype("u1")
    ours, weights = tnp.array(x), np.linspace(-1, 1, x.size)
    same(tnp.bincount(ours), np.bincount(x))
    same(tnp.bincount(ours, minlength=70), np.bincount(x, minlength=70))
    same(tnp.bincount(ours, weights), np.bincount(x, weights))
    same(tnp.bincount(ours[:0], minlength=3), np.bincount(x[:0], minlength=3))
    same(tnp.bincount(tnp.array([7])), np.bincount([7]))
    once, again = (tnp.bincount(ours, weights).get() for _ in range(2))
    assert once.tobytes() == again.tobytes()


def test_bins_of_one_width_and_between_edges(computing):
    rng = np.random.default_rng(2)
    # On edges, beyond them, and NaN.
    x = np.concatenate([rng.normal(0, 2, 3000), np.arange(-3, 4), [np.nan, np.inf]])
    for dtype in ("f8", "f4"):
        y = x.astype(dtype)
        ours = tnp.array(y)
        edges = np.array([-3, -1, 0, 0.5, 3])
        for options in ({"range": (-3, 3)}, {"bins": 7, "range": (-1, 1.5)}, {"bins": edges}):
            same(tnp.histogram(ours, **options), np.histogram(y, **options))
            density = tnp.histogram(ours, density=True, **options)
            same(density, np.histogram(y, density=True, **options))
        weights = rng.random(y.size)
        same(
            tnp.histogram(ours, 5, (-3, 3), weights=weights),
            np.histogram(y, 5, (-3, 3), weights=weights),
        )
    whole = rng.integers(-5, 9, (20, 30))
    same(tnp.histogram(tnp.array(whole)), np.histogram(whole))
    same(tnp.histogram_bin_edges(tnp.array(whole), 4), np.histogram_bin_edges(whole, 4))
    for few in (np.zeros(0), np.ones(3)):
        same(tnp.histogram(tnp.array(few)), np.histogram(few))


def test_bins_of_several_axes(computing):
    rng = np.random.default_rng(3)
    points = rng.normal(0, 1, (500, 3))
    x, y = points[:, 0], points[:, 1]
    a, b = tnp.array(x), tnp.array(y)
    for bins in (5, [4, 6], [-1, 0.0, 0.5, 1], [3, np.array([-1, 0, 2.0])]):
        same(tnp.histogram2d(a, b, bins), np.histogram2d(x, y, bins))
    theirs = np.histogramdd(points, 4, density=True, weights=x * x)
    same(tnp.histogramdd(tnp.array(points), 4, density=True, weights=x * x), theirs)


def test_what_is_refused_names_its_argument(computing):
    x = tnp.array([3.0, np.nan])
    with pytest.raises(treadle.DTypeError, match="float64"):
        tnp.bincount(x)
    with pytest.raises(ValueError, match="negative number, -2"):
        tnp.bincount(tnp.array([1, -2]))
    with pytest.raises(ValueError, match="not finite"):
        tnp.histogram(x)
    with pytest.raises(ValueError, match="of 0 bins"):
        tnp.histogram(x, 0, (0, 1))
    with pytest.raises(ValueError, match="go down"):
        tnp.histogram(x, [1, 0])
    with pytest.raises(ValueError, match="bins='most'"):
        tnp.histogram(x, "most")
    with pytest.raises(treadle.ShapeError, match="3 weights of 2"):
        tnp.histogram(x, 2, (0, 1), weights=[1, 2, 3])


def test_random_histograms(computing):
    """TREADLE_RANDOM_CASES=N draws more."""
    rng = np.random.default_rng(int(os.environ.get("TREADLE_RANDOM_SEED", "9")))
    for _ in range(int(os.environ.get("TREADLE_RANDOM_CASES", "3"))):
        x = (rng.integers(0, 100, rng.integers(1, 2000)) / 10).astype(rng.choice(["f4", "f8"]))
        low, high = np.sort(rng.random(2) * 10)
        bins = int(rng.integers(1, 100))
        kind = rng.choice([float, np.float32, np.float64])  # NumPy's numbers decide the dtype
        ends = kind(low), kind(high)
        same(tnp.histogram(tnp.array(x), bins, ends), np.histogram(x, bins, ends))
        same(tnp.histogram(tnp.array(x), bins), np.histogram(x, bins))
