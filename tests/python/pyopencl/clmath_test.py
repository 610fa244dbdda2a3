# SPDX-License-Identifier: MIT
"""pyopencl.clmath, beside NumPy and Python's math."""

import math
import sys
from pathlib import Path

import numpy as np
import pyopencl.array as cl_array
import pyopencl.clmath as clmath
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import bessel_reference  # noqa: E402


@pytest.fixture
def put(queue):
    """put(values) is an array with these values."""
    return lambda values: cl_array.to_device(queue, np.asarray(values))


def _each(function):
    return lambda x: np.array([function(float(one)) for one in x])


# {name: (reference, from, to)}
FUNCTIONS = {
    "acos": (np.arccos, -1, 1),
    "acosh": (np.arccosh, 1, 50),
    "acospi": (lambda x: np.arccos(x) / np.pi, -1, 1),
    "asin": (np.arcsin, -1, 1),
    "asinh": (np.arcsinh, -20, 20),
    "asinpi": (lambda x: np.arcsin(x) / np.pi, -1, 1),
    "atan": (np.arctan, -20, 20),
    "atanh": (np.arctanh, -0.99, 0.99),
    "atanpi": (lambda x: np.arctan(x) / np.pi, -20, 20),
    "cbrt": (np.cbrt, -20, 20),
    "ceil": (np.ceil, -20, 20),
    "cos": (np.cos, -20, 20),
    "cosh": (np.cosh, -10, 10),
    "cospi": (lambda x: np.cos(np.pi * x), -4, 4),
    "erf": (_each(math.erf), -3, 3),
    "erfc": (_each(math.erfc), -3, 3),
    "exp": (np.exp, -10, 10),
    "exp10": (lambda x: 10.0**x, -5, 5),
    "exp2": (np.exp2, -10, 10),
    "expm1": (np.expm1, -5, 5),
    "fabs": (np.fabs, -20, 20),
    "floor": (np.floor, -20, 20),
    "lgamma": (_each(math.lgamma), 0.1, 20),
    "log": (np.log, 0.01, 50),
    "log10": (np.log10, 0.01, 50),
    "log1p": (np.log1p, -0.9, 50),
    "log2": (np.log2, 0.01, 50),
    "logb": (lambda x: np.floor(np.log2(x)), 0.3, 50),
    "rint": (np.rint, -20, 20),
    "round": (lambda x: np.copysign(np.floor(abs(x) + 0.5), x), -20, 20),
    "sin": (np.sin, -20, 20),
    "sinh": (np.sinh, -10, 10),
    "sinpi": (lambda x: np.sin(np.pi * x), -4, 4),
    "sqrt": (np.sqrt, 0, 50),
    "tan": (np.tan, -1.5, 1.5),
    "tanh": (np.tanh, -5, 5),
    "tanpi": (lambda x: np.tan(np.pi * x), -0.4, 0.4),
    "tgamma": (_each(math.gamma), 0.1, 20),
    "trunc": (np.trunc, -20, 20),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_one_array(queue, put, name):
    reference, low, high = FUNCTIONS[name]
    function = getattr(clmath, name)
    assert function.__name__ == name
    for dtype in (np.float32, np.float64):
        x = np.linspace(low, high, 101).astype(dtype)
        result = function(put(x))
        assert result.dtype == dtype
        assert len(result.events) == 1
        limit = 3e-5 if dtype == np.float32 else 1e-12
        expected = reference(x.astype(np.float64))
        np.testing.assert_allclose(result.get(), expected, rtol=limit, atol=limit)
    part = put(x)[10:20]
    np.testing.assert_allclose(function(part, queue).get(), expected[10:20], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "name", ["sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh"]
)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_functions_of_complex_numbers(put, name, dtype):
    z = (np.linspace(0.1, 2, 20) + 1j * np.linspace(-1, 1.5, 20)).astype(dtype)
    result = getattr(clmath, name)(put(z))
    assert result.dtype == dtype
    expected = getattr(np, name)(z.astype(np.complex128))
    limit = 1e-5 if dtype == np.complex64 else 1e-12
    np.testing.assert_allclose(result.get(), expected, rtol=limit)


def test_integers(put):
    x = np.arange(1, 10, dtype=np.int32)
    np.testing.assert_allclose(clmath.sqrt(put(x)).get(), np.sqrt(x))
    np.testing.assert_allclose(clmath.sinpi(put(x) / 2).get(), np.sin(np.pi * x / 2), atol=1e-12)


def test_ilogb_and_nan(put):
    x = np.array([1, 2, 3, 1024.5], np.float32)
    np.testing.assert_array_equal(clmath.ilogb(put(x)).get(), [0, 1, 1, 10])
    for given, dtype in (
        (np.uint32, np.float32),
        (np.uint64, np.float64),
        (np.float32, np.float32),
    ):
        result = clmath.nan(put(np.arange(3).astype(given)))
        assert result.dtype == dtype
        assert np.isnan(result.get()).all()


def test_orders_and_gaps(put):
    x = np.linspace(0, 1, 24).reshape(4, 6)
    for host in (x, np.asfortranarray(x)):
        for name in ("sin", "sinpi"):
            expected = np.sin((np.pi if name == "sinpi" else 1) * x)
            np.testing.assert_allclose(getattr(clmath, name)(put(host)).get(), expected, atol=1e-12)
    part = clmath.sinpi(put(x)[:, ::2])
    np.testing.assert_allclose(part.get(), np.sin(np.pi * x[:, ::2]), atol=1e-12)


def test_functions_of_two_arrays(put):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 50)).astype(np.float32)
    for dtype in (np.float32, np.float64):
        a, b = x.astype(dtype), y.astype(dtype)
        np.testing.assert_allclose(clmath.atan2(put(a), put(b)).get(), np.arctan2(a, b), rtol=1e-5)
        np.testing.assert_allclose(
            clmath.atan2pi(put(a), put(b)).get(), np.arctan2(a, b) / np.pi, rtol=1e-5
        )
        np.testing.assert_allclose(
            clmath.fmod(put(a), put(b)).get(), np.fmod(a, b), rtol=1e-5, atol=1e-6
        )
    np.testing.assert_allclose(clmath.fmod(put(x), 0.5).get(), np.fmod(x, np.float32(0.5)))
    n = np.arange(-20, 20, dtype=np.int32)
    np.testing.assert_array_equal(clmath.fmod(put(n), 7).get(), np.fmod(n, 7))


def test_parts_of_numbers(put):
    x = np.array([0.0, 1, -3.75, 1e10, 0.3], np.float32)
    significand, exponent = clmath.frexp(put(x))
    assert exponent.dtype == np.int32
    np.testing.assert_array_equal(significand.get(), np.frexp(x)[0])
    np.testing.assert_array_equal(exponent.get(), np.frexp(x)[1])
    fraction, whole = clmath.modf(put(x))
    np.testing.assert_array_equal(fraction.get(), np.modf(x)[0])
    np.testing.assert_array_equal(whole.get(), np.modf(x)[1])
    for dtype in (np.int8, np.int64, np.float32):
        powers = np.arange(5).astype(dtype)
        result = clmath.ldexp(put(x), put(powers))
        assert result.dtype == np.float32
        np.testing.assert_array_equal(result.get(), x * 2.0 ** np.arange(5))


def test_bad_input(put):
    with pytest.raises(TypeError, match="float"):
        clmath.sin(3.5)
    with pytest.raises(TypeError):
        clmath.erf(put(np.ones(3, np.complex64)))
    with pytest.raises(TypeError):
        clmath.sinpi(put(np.ones(3, np.complex64)))
    with pytest.raises(TypeError):
        clmath.atan2(1.0, 2.0)
    with pytest.raises(ValueError, match="with_queue"):
        clmath.sin(put(np.ones(3, np.float32)).with_queue(None))


# --- Bessel's and Hankel's ------------------------------------------------------------------------


def test_bessel_functions_of_real_numbers(put):
    x = np.array([1e-5, 0.3, 1.9, 2.1, 7, 12.5, 24, 49.5])
    for n in (0, 1, 2, 7, 29):
        expected = [bessel_reference.bessel_j(n, one).real for one in x]
        np.testing.assert_allclose(clmath.bessel_jn(n, put(x)).get(), expected, rtol=1e-10)
    for n in (0, 1):
        expected = [complex(bessel_reference.bessel_y(n, one)).real for one in x]
        np.testing.assert_allclose(clmath.bessel_yn(n, put(x)).get(), expected, rtol=1e-10)
    assert clmath.bessel_yn(0, put(np.zeros(1))).get() == -np.inf
    assert np.isnan(clmath.bessel_yn(1, put(-x)).get()).all()
    np.testing.assert_array_equal(
        clmath.bessel_jn(-3, put(x)).get(), clmath.bessel_jn(3, put(-x)).get()
    )


def test_bessel_functions_of_large_numbers(put):
    # J(n + 1) Y(n) - J(n) Y(n + 1) = 2 / (pi x)
    x = np.logspace(-4, 5, 200)
    for n in (0, 3, 28):
        j, above = (clmath.bessel_jn(k, put(x)).get() for k in (n, n + 1))
        y, y_above = (clmath.bessel_yn(k, put(x)).get() for k in (n, n + 1))
        is_finite = np.isfinite(y_above)
        assert is_finite.sum() > 100
        np.testing.assert_allclose(
            (above * y - j * y_above)[is_finite], (2 / np.pi / x)[is_finite], rtol=1e-10
        )


ON_RAYS = [a * turn for a in (0.01, 0.7, 1.5, 3.0, 9.0, 20.0) for turn in (1, 1 + 1j, 1j, -1 + 1j)]


def test_functions_of_complex_numbers_by_bessel_and_hankel(put):
    below = [z.conjugate() for z in map(complex, ON_RAYS) if z.imag]
    z = np.array([*ON_RAYS, *below], np.complex128)
    for n in (0, 1, 5, 40):
        expected = [bessel_reference.bessel_j(n, one) for one in z]
        np.testing.assert_allclose(clmath.bessel_jn(n, put(z)).get(), expected, rtol=2e-13)
    h0, h1 = clmath.hankel_01(put(z))
    for n, got in ((0, h0), (1, h1)):
        expected = [bessel_reference.hankel(n, one) for one in z]
        np.testing.assert_allclose(got.get(), expected, rtol=4e-13)


def test_bessel_functions_that_are_not_there(put):
    z = put(np.ones(3, np.complex128))
    with pytest.raises(NotImplementedError):
        clmath.bessel_yn(0, z)
    with pytest.raises(NotImplementedError):
        clmath.bessel_jn(0, put(np.ones(3, np.complex64)))
    with pytest.raises(NotImplementedError):
        clmath.hankel_01(put(np.ones(3)))
