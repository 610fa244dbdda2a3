# SPDX-License-Identifier: MIT
"""Functions of pyopencl.clmath of several arrays, and of integers."""

import math

import numpy as np
import pyopencl.array as cl_array
import pyopencl.clmath as clmath
import pytest

RNG = np.random.default_rng(5)


@pytest.fixture
def put(queue):
    """put(values) is an array with these values."""
    return lambda values: cl_array.to_device(queue, np.asarray(values))


def _each(function):
    return np.vectorize(function, otypes=[np.float64])


def _max_magnitude(x, y):
    return np.where(abs(x) > abs(y), x, np.where(abs(y) > abs(x), y, np.fmax(x, y)))


def _min_magnitude(x, y):
    return np.where(abs(x) < abs(y), x, np.where(abs(y) < abs(x), y, np.fmin(x, y)))


# {name: reference}
OF_TWO = {
    "copysign": np.copysign,
    "fdim": lambda x, y: np.where(x > y, x - y, 0),
    "fmax": np.fmax,
    "fmin": np.fmin,
    "hypot": np.hypot,
    "maxmag": _max_magnitude,
    "minmag": _min_magnitude,
    "nextafter": np.nextafter,
    "remainder": _each(math.remainder),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", OF_TWO)
def test_of_two_arrays_and_of_an_array_and_a_number(put, name, dtype):
    x, y = RNG.normal(size=(2, 5, 7)).astype(dtype) * 4
    y[0, 0], x[1] = x[0, 0], -y[1]
    function = getattr(clmath, name)
    for b in (y, dtype(0.75), y[:, :1]):
        result = function(put(x), put(b) if b.ndim else b)
        assert result.dtype == dtype
        assert len(result.events) == 1
        np.testing.assert_allclose(result.get(), OF_TWO[name](x, b), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        function(0.75, put(y)[1:, ::2]).get(),
        OF_TWO[name](dtype(0.75), y[1:, ::2]),
        rtol=1e-5,
        atol=1e-5,
    )


def test_nans_are_no_maximum_but_spoil_a_difference(put):
    x, y = np.array([np.nan, 1.0]), np.array([2.0, np.nan])
    assert clmath.fmax(put(x), put(y)).get().tolist() == [2, 1]
    assert clmath.fmin(put(x), put(y)).get().tolist() == [2, 1]
    assert np.isnan(clmath.fdim(put(x), put(y)).get()).all()


def test_fma_rounds_once_and_mad_is_near(put):
    x = np.float64(1) + np.float64(2) ** -30
    ones = np.full(3, x)
    exact = clmath.fma(put(ones), put(ones), -(x * x)).get()
    assert (exact == 2.0**-60).all()  # what x * x lost
    np.testing.assert_allclose(clmath.mad(put(ones), 2.0, put(ones)).get(), 3 * ones)


def test_powers_and_roots(put):
    x = np.linspace(0.1, 4, 30).astype(np.float32)
    np.testing.assert_allclose(clmath.pow(put(x), 1.5).get(), x**1.5, rtol=1e-5)
    np.testing.assert_allclose(clmath.powr(put(x), put(x)).get(), x**x, rtol=1e-5)
    np.testing.assert_allclose(clmath.pown(put(-x), 3).get(), (-x) ** 3, rtol=1e-5)
    np.testing.assert_allclose(
        clmath.rootn(put(-x), put(np.full(30, 3))).get(), -np.cbrt(x), rtol=1e-5
    )
    np.testing.assert_allclose(clmath.rsqrt(put(x)).get(), 1 / np.sqrt(x), rtol=1e-5)
    assert np.isnan(clmath.powr(put(-x), 2.0).get()).all()
    n = np.arange(5)
    np.testing.assert_array_equal(clmath.pow(put(n), put(n)).get(), n**n)


def test_functions_with_two_results(put):
    x = np.array([-3.25, -1.5, -0.5, 0.25, 7.75, -1e-30], np.float32)
    sine, cosine = clmath.sincos(put(x))
    np.testing.assert_allclose(sine.get(), np.sin(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(cosine.get(), np.cos(x), rtol=1e-5, atol=1e-6)
    part, whole = clmath.fract(put(x))
    assert whole.get().tolist() == [-4, -2, -1, 0, 7, -1]
    assert part.get().tolist() == [0.75, 0.5, 0.5, 0.25, 0.75, np.float32(1 - 2.0**-24)]
    size, sign = clmath.lgamma_r(put(x[:5]))
    np.testing.assert_allclose(size.get(), _each(math.lgamma)(x[:5]), rtol=1e-4, atol=1e-5)
    assert sign.dtype == np.int32
    assert sign.get().tolist() == [np.sign(math.gamma(v)) for v in x[:5]]


def test_remquo(put):
    x, y = np.array([7.5, -7.5, 5.0, 100.0]), np.array([2.0, 2.0, -3.0, 0.75])
    rest, quotient = clmath.remquo(put(x), put(y))
    np.testing.assert_allclose(rest.get(), _each(math.remainder)(x, y))
    whole = np.rint(x / y).astype(int)
    assert quotient.dtype == np.int32
    got = quotient.get()
    assert (np.sign(got) == np.sign(whole)).all()
    assert (abs(got) % 128 == abs(whole) % 128).all()


def test_functions_of_integers(put):
    x = np.array([-5, 0, 1, 127, -128], np.int8)
    assert clmath.popcount(put(x)).get().tolist() == [bin(int(v) & 255).count("1") for v in x]
    assert clmath.popcount(put(x)).dtype == np.int8
    assert clmath.clz(put(x)).get().tolist() == [0, 8, 7, 1, 0]
    assert clmath.clz(put(np.array([1, 0], np.uint64))).get().tolist() == [63, 64]
    apart = clmath.abs_diff(put(x), put(x[::-1].copy()))
    assert apart.dtype == np.uint8
    assert apart.get().tolist() == abs(x.astype(int) - x[::-1].astype(int)).tolist()
    assert clmath.clamp(put(x), -4, 3).get().tolist() == np.clip(x, -4, 3).tolist()


def test_arguments_of_other_kinds_are_refused(put):
    floats = put(np.ones(3, np.float32))
    with pytest.raises(TypeError, match=r"popcount\(\) takes integers, not float32"):
        clmath.popcount(floats)
    with pytest.raises(TypeError, match=r"no fma\(\) of complex64"):
        clmath.fma(put(np.ones(3, np.complex64)), floats, floats)
    with pytest.raises(TypeError, match="array on the device"):
        clmath.hypot(1.0, 2.0)
    with pytest.raises(TypeError, match=r"remainder\(\) of no array"):
        clmath.remainder(1.0, 2.0)
    with pytest.raises(ValueError, match="broadcast"):
        clmath.remainder(floats, put(np.ones(4, np.float32)))


def test_nothing_of_no_elements(put):
    empty = put(np.ones((0, 3), np.float32))
    assert clmath.remainder(empty, 2.0).shape == (0, 3)
    assert clmath.fdim(empty, 2.0).shape == (0, 3)
