# SPDX-License-Identifier: MIT
"""Medians and quantiles beside NumPy."""

import os
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]
METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]


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
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    tolerance = 1e-3 if theirs.dtype == np.float16 else 1e-6
    np.testing.assert_allclose(ours.get(), theirs, rtol=tolerance, atol=1e-12)


def values_of(shape, rng):
    return rng.integers(-20, 20, shape) + rng.random(shape).round(2)


def test_quantiles_of_long_arrays(computing):
    """On processors these are found by counting digits, without a sort."""
    rng = np.random.default_rng(2)
    for dtype in ("f4", "f8", "i2"):
        x = (rng.normal(0, 1000, 40_001)).astype(dtype)
        for own in (x, x[:-1].reshape(200, 200)):
            same(tnp.median(tnp.array(own)), np.median(own))
            quantiles = np.quantile(own, [0, 0.3, 0.99, 1])
            same(tnp.quantile(tnp.array(own), [0, 0.3, 0.99, 1]), quantiles)
    x = x.astype("f4")
    x[17] = np.nan
    assert np.isnan(tnp.median(tnp.array(x)).get())
    same(tnp.nanmedian(tnp.array(x)), np.nanmedian(x))


def test_medians_along_axes(computing):
    x = values_of((3, 4, 5), np.random.default_rng(1))
    for axis in (None, 0, -1, (0, 2)):
        for keepdims in (False, True):
            ours = tnp.median(tnp.array(x), axis, keepdims=keepdims)
            same(ours, np.median(x, axis, keepdims=keepdims))
    for y in (
        x[0, 0].astype("f4"),
        x[0, 0, :4].astype("f2"),
        np.arange(6),
        np.array([True, False]),
    ):
        ours = tnp.median(tnp.array(y))
        same(ours, np.median(y))
        assert ours.dtype == np.median(y).dtype
    same(tnp.median(tnp.array([np.inf, np.inf, 1])), np.inf)
    z = np.round(x[0] * 4) + 1j * np.round(x[1] * 4)
    z = z.astype("c8")
    same(tnp.median(tnp.array(z), 0), np.median(z, 0))
    z[0, 0] = np.nan
    same(tnp.median(tnp.array(z), 0), np.median(z, 0))
    same(tnp.nanmedian(tnp.array(z), 0), np.nanmedian(z, 0))


def test_medians_of_no_elements_are_nan(computing):
    for dtype in "?if2F":
        for shape, axis in (((0,), None), ((0, 3), 0), ((0, 3), 1), ((2, 0, 3), (0, 1))):
            x = np.zeros(shape, dtype if dtype != "2" else "f2")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = np.median(x, axis), np.nanmedian(x, axis)
            found = tnp.median(tnp.array(x), axis), tnp.nanmedian(tnp.array(x), axis)
            for ours, theirs in zip(found, wanted, strict=True):
                assert ours.dtype == theirs.dtype
                same(ours.astype("c16"), theirs)  # one kernel for each shape


def test_quantiles_that_are_elements_keep_the_dtype(computing):
    x = np.array([2**53 + 1, 5, 2**53 + 3])
    for q, methods in ((0.5, METHODS), (1, ["linear", "lower"]), ([0, 1], ["linear", "lower"])):
        for method in methods:
            ours = tnp.quantile(tnp.array(x), q, method=method)
            assert ours.dtype == np.quantile(x, q, method=method).dtype, (q, method)
    for dtype in "ef":
        for q in (0.3, [0.3], np.float64(0.3), np.float32(0.3), np.array([0.3], "e"), [0, 1]):
            y = x.astype("u1").astype(dtype)
            ours, theirs = tnp.quantile(tnp.array(y), q), np.quantile(y, q)
            assert ours.dtype == theirs.dtype, (dtype, q)
            assert tnp.percentile(tnp.array(y), q).dtype == np.percentile(y, q).dtype, (dtype, q)
    assert tnp.quantile(tnp.array(x), 1).item() == 2**53 + 3


@pytest.mark.parametrize("method", METHODS)
def test_every_method(computing, method):
    rng = np.random.default_rng(2)
    for n in (1, 2, 7, 10):
        x = values_of(n, rng)
        q = np.array([0, 0.1, 0.25, 0.5, 0.65, 0.9, 1])
        same(tnp.quantile(tnp.array(x), q, method=method), np.quantile(x, q, method=method))


def test_quantiles_along_axes(computing):
    x = values_of((4, 6), np.random.default_rng(3))
    ours = tnp.array(x)
    same(tnp.percentile(ours, 30, axis=0), np.percentile(x, 30, axis=0))
    same(tnp.percentile(ours, [[10, 20]], axis=1), np.percentile(x, [[10, 20]], axis=1))
    same(
        tnp.quantile(ours, 0.3, axis=(0, 1), keepdims=True),
        np.quantile(x, 0.3, axis=(0, 1), keepdims=True),
    )
    same(tnp.quantile(ours, []), np.quantile(x, []))


def test_nans_are_the_result_or_do_not_count(computing):
    x = values_of((4, 6), np.random.default_rng(4))
    x[0, 1] = x[2, 3] = x[2, 4] = np.nan
    x[3] = np.nan
    ours = tnp.array(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for axis in (None, 0, 1):
            same(tnp.median(ours, axis), np.median(x, axis))
            same(tnp.nanmedian(ours, axis), np.nanmedian(x, axis))
            same(tnp.quantile(ours, 0.4, axis), np.quantile(x, 0.4, axis))
            same(tnp.nanquantile(ours, [0.4, 1], axis), np.nanquantile(x, [0.4, 1], axis))
            same(tnp.nanpercentile(ours, 70, axis), np.nanpercentile(x, 70, axis))


def test_what_is_refused_names_its_argument(device):
    x = tnp.ones((2, 3))
    with pytest.raises(ValueError, match="q=1.5"):
        tnp.quantile(x, [0, 1.5])
    with pytest.raises(ValueError, match="method='best'"):
        tnp.quantile(x, 0.5, method="best")
    with pytest.raises(IndexError):
        tnp.median(x, 2)
    with pytest.raises(treadle.IndexError, match="no elements"):
        tnp.quantile(tnp.ones((0, 2)), 0.5, 0)
    with pytest.raises(treadle.DTypeError, match="complex"):
        tnp.quantile(x + 1j, 0.5)


def test_random_quantiles(computing):
    """TREADLE_RANDOM_CASES=N draws more."""
    rng = np.random.default_rng(int(os.environ.get("TREADLE_RANDOM_SEED", "11")))
    for _ in range(int(os.environ.get("TREADLE_RANDOM_CASES", "3"))):
        shape = tuple(rng.integers(1, 40, rng.integers(1, 3)))
        x, axis = values_of(shape, rng), int(rng.integers(-len(shape), len(shape)))
        q, method = rng.random(2), str(rng.choice(METHODS))
        ours = tnp.quantile(tnp.array(x), q, axis, method=method)
        same(ours, np.quantile(x, q, axis, method=method))
