# SPDX-License-Identifier: MIT
"""pycuda.cumath: functions of elements, compared with NumPy's."""

import sys
from pathlib import Path

import numpy as np
import pycuda.cumath as cumath
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from gpuarray_values import same  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")

NUMPY = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}
OF_REALS = ["fabs", "ceil", "floor", "asin", "acos", "atan"]
OF_COMPLEX = ["exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"]
NAMES = [*OF_REALS, *OF_COMPLEX]


def theirs(name):
    return NUMPY.get(name) or getattr(np, name)


def numbers(dtype):
    return ((np.arange(300) + 0.5) / 310).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", NAMES)
def test_functions_of_real_numbers(name, dtype):
    x = numbers(dtype)
    ours = getattr(cumath, name)(gpuarray.to_gpu(x))
    assert isinstance(ours, gpuarray.GPUArray)
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours.get(), theirs(name)(x), rtol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_functions_of_complex_numbers(name):
    z = (numbers(np.float32) + 1j * numbers(np.float32)[::-1]).astype(np.complex64)
    ours = getattr(cumath, name)(gpuarray.to_gpu(z))
    assert ours.dtype == np.complex64
    np.testing.assert_allclose(ours.get(), theirs(name)(z), rtol=1e-5)


def test_integers_become_floating_numbers():
    counts = gpuarray.arange(5, dtype=np.int32)
    same(cumath.sqrt(counts), np.sqrt(np.arange(5, dtype=np.int32)))


def test_expressions_are_one_kernel():
    a = gpuarray.to_gpu(numbers(np.float32))
    b = cumath.sin(a) * cumath.cos(a)
    assert b.is_pending
    np.testing.assert_allclose(b.get(), np.sin(a.get()) * np.cos(a.get()), rtol=1e-6)


def test_results_go_into_out_on_a_stream():
    x = numbers(np.float32)
    a = gpuarray.to_gpu(x)
    out = gpuarray.empty_like(a)
    assert cumath.exp(a, out=out, stream=cuda.Stream()) is out
    np.testing.assert_allclose(out.get(), np.exp(x), rtol=1e-6)
    with pytest.warns(DeprecationWarning, match="'out' or 'stream'"):
        assert cumath.log(a, out) is out
    np.testing.assert_allclose(out.get(), np.log(x), rtol=1e-6, atol=1e-7)
    with pytest.warns(DeprecationWarning):
        np.testing.assert_allclose(cumath.sin(a, cuda.Stream()).get(), np.sin(x), rtol=1e-6)
    with pytest.raises(ValueError, match=r"\(3,\)"):
        cumath.sin(a, out=gpuarray.empty(3, np.float32))
    with pytest.raises(TypeError, match="float64"):
        cumath.sin(a, out=gpuarray.empty(300, np.float64))
    with pytest.raises(TypeError):
        cumath.sin(a, allocator=None)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_with_two_operands_or_results(dtype):
    x = ((np.arange(200) - 100) * 0.37).astype(dtype)
    y = ((np.arange(200) % 7) + 0.3).astype(dtype)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(cumath.fmod(a, b), np.fmod(x, y))
    fractions, wholes = cumath.modf(a)
    same(fractions, np.modf(x)[0])
    same(wholes, np.modf(x)[1])
    significands, exponents = cumath.frexp(a, stream=cuda.Stream())
    same(significands, np.frexp(x)[0])
    same(exponents, np.frexp(x)[1].astype(dtype))
    same(cumath.ldexp(significands, exponents), x)
    same(cumath.ldexp(a, gpuarray.to_gpu(np.full(200, 3, np.int32))), np.ldexp(x, 3))


def test_two_results_of_integers():
    x = np.arange(-5, 6, dtype=np.int32)
    for name in ("frexp", "modf"):
        first, second = getattr(cumath, name)(gpuarray.to_gpu(x))
        expected = getattr(np, name)(x)
        same(first, expected[0])
        same(second, expected[1].astype(np.float64))


def test_an_unknown_function():
    with pytest.raises(AttributeError, match="no attribute 'sine'"):
        cumath.sine  # noqa: B018
