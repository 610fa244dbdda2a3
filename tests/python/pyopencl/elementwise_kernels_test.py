# SPDX-License-Identifier: MIT
"""PyOpenCL's kernels for arithmetic on arrays: text, order of arguments and types of each."""

import sys
from pathlib import Path

import numpy as np
import pyopencl.elementwise as elementwise
import pytest
from pyopencl.elementwise import ArgumentKind

sys.path.insert(0, str(Path(__file__).parent))
from buffer_arrays import DeviceArray  # noqa: E402

N = 100
f4, f8, c8, c16, i4, u4, i8, i1 = "f4", "f8", "c8", "c16", "i4", "u4", "i8", "i1"
OFFSET = 16  # of every array in its buffer, in bytes


def values(dtype, start=1):
    """Different, not 0, of both signs where there are signs."""
    numbers = np.arange(start, start + N)
    if np.dtype(dtype).kind != "u":
        numbers = np.where(numbers % 3 == 0, -numbers, numbers)
    if np.dtype(dtype).kind == "c":
        return (numbers + 1j * numbers[::-1]).astype(dtype)
    return numbers.astype(dtype)


X = {d: values(d) for d in (f4, f8, c8, c16, i4, u4, i8)}
Y = {d: values(d, 5) for d in (f4, f8, c8, c16, i4, u4, i8)}


@pytest.fixture
def run(context, queue):
    """run(getter, parameters, output dtypes, *inputs): what the getter's kernel computes."""

    def launch(getter, parameters, dtypes, *inputs, n=N):
        kernel = getter(context, *parameters)
        assert getter(context, *parameters) is kernel
        outputs = [DeviceArray(queue, np.zeros(n, d), OFFSET) for d in dtypes.split()]
        passed = [DeviceArray(queue, a, OFFSET) if isinstance(a, np.ndarray) else a for a in inputs]
        kernel(queue, (64,), (32,), *outputs, *passed, n)
        results = [out.get() for out in outputs]
        return results if len(results) > 1 else results[0]

    return launch


@pytest.mark.parametrize(("dest", "src"), [(f8, i4), (i4, f4), (c8, f4), (c16, c8), (c8, c16)])
def test_copy(run, dest, src):
    out = run(elementwise.get_copy_kernel, (dest, src), dest, X[src])
    np.testing.assert_array_equal(out, X[src].astype(dest))


@pytest.mark.parametrize("dtype", [f4, u4, c16])
def test_fill_and_reverse(run, dtype):
    out = run(elementwise.get_fill_kernel, (dtype,), dtype, np.dtype(dtype).type(7))
    np.testing.assert_array_equal(out, np.full(N, 7, dtype))
    out = run(elementwise.get_reverse_kernel, (dtype,), dtype, X[dtype])
    np.testing.assert_array_equal(out, X[dtype][::-1])


@pytest.mark.parametrize("dtype", [f4, f8, i4, u4, i8, c8])
def test_arange(run, dtype):
    three, two = np.dtype(dtype).type(3), np.dtype(dtype).type(2)
    out = run(elementwise.get_arange_kernel, (dtype,), dtype, three, two)
    np.testing.assert_array_equal(out, np.arange(3, 3 + 2 * N, 2).astype(dtype))


def test_take_and_put(run):
    index = np.random.default_rng(1).permutation(N).astype(i4)
    a, b = X[f8], Y[f8]
    outs = run(elementwise.get_take_kernel, (f8, i4, 2), "f8 f8", a, b, index)
    np.testing.assert_array_equal(outs, [a[index], b[index]])
    outs = run(elementwise.get_put_kernel, (f8, i4, 2), "f8 f8", index, a, b)
    np.testing.assert_array_equal([out[index] for out in outs], [a, b])
    half = np.arange(N, dtype=i4) // 2
    out = run(elementwise.get_take_put_kernel, (f8, i4, False, 1), f8, index, half, a)
    np.testing.assert_array_equal(out[index], a[half])
    out = run(elementwise.get_take_put_kernel, (f8, i4, True, 1), f8, index, half, a, 5)
    np.testing.assert_array_equal(out[index], a[half + 5])


@pytest.mark.parametrize("dtype", [f4, c8])
def test_diff(run, dtype):
    out = run(elementwise.get_diff_kernel, (dtype,), dtype, X[dtype], n=N - 1)
    np.testing.assert_array_equal(out, np.diff(X[dtype]))


@pytest.mark.parametrize(
    ("x", "y", "z"),
    [(f4, f4, f4), (f4, f8, f8), (i4, f8, f8), (c8, f4, c8), (f4, c16, c16), (f4, f4, c8)],
)
@pytest.mark.parametrize("scalars", [(False, False), (True, False), (False, True)])
def test_sums_products_and_quotients(run, x, y, z, scalars):
    left = X[x][:1] if scalars[0] else X[x]
    right = Y[y][:1] if scalars[1] else Y[y]
    a, b = np.dtype(x).type(2), np.dtype(y).type(3)
    dtypes = (x, y, z, *scalars)
    out = run(elementwise.get_axpbyz_kernel, dtypes, z, a, left, b, right)
    wide_left, wide_right = left.astype(z), right.astype(z)
    np.testing.assert_allclose(out, np.broadcast_to(2 * wide_left + 3 * wide_right, N), rtol=1e-6)
    out = run(elementwise.get_multiply_kernel, dtypes, z, left, right)
    np.testing.assert_allclose(out, wide_left * wide_right, rtol=1e-6)
    out = run(elementwise.get_divide_kernel, dtypes, z, left, right)
    np.testing.assert_allclose(out, wide_left / wide_right, rtol=2e-6)


@pytest.mark.parametrize(
    ("a", "x", "b", "z"), [(f4, f4, f4, f4), (f8, i4, f4, f8), (f4, f4, c8, c8), (c8, f4, f4, c8)]
)
def test_sums_and_quotients_with_numbers(run, a, x, b, z):
    two, three = np.dtype(a).type(2), np.dtype(b).type(3)
    out = run(elementwise.get_axpbz_kernel, (a, x, b, z), z, two, X[x], three)
    np.testing.assert_allclose(out, 2 * X[x].astype(z) + 3)
    out = run(elementwise.get_rdivide_elwise_kernel, (x, b, z), z, X[x], three)
    np.testing.assert_allclose(out, 3 / X[x].astype(z), rtol=1e-6)


@pytest.mark.parametrize("z", [f4, f8, c8, i8, u4])
@pytest.mark.parametrize("arrays", [(True, True), (True, False), (False, True)])
def test_powers(run, z, arrays):
    base = (np.arange(N) % 5 + 1).astype(z)
    exponent = (np.arange(N) % 7).astype(z)
    x = base if arrays[0] else base[3]
    y = exponent if arrays[1] else exponent[3]
    out = run(elementwise.get_pow_kernel, (z, z, z, *arrays), z, x, y)
    np.testing.assert_allclose(out, x**y, rtol=5e-6)


def test_powers_of_integers_are_exact_and_wrap(run):
    base = np.array([3, -3, 10, -1, -1, 2, 1, 7], i8)
    exponent = np.array([39, 39, 20, -3, -2, -1, -5, 0], i8)
    out = run(elementwise.get_pow_kernel, (i8, i8, i8, True, True), i8, base, exponent, n=8)
    wrapped = (10**20 + 2**63) % 2**64 - 2**63
    np.testing.assert_array_equal(out, [3**39, -(3**39), wrapped, -1, 1, 0, 1, 1])


def test_powers_of_complex_and_real_numbers(run):
    out = run(elementwise.get_pow_kernel, (c16, f8, c16, True, False), c16, X[c16], -1.0)
    np.testing.assert_allclose(out, 1 / X[c16], rtol=1e-13)
    out = run(elementwise.get_pow_kernel, (f8, c16, c16, False, True), c16, 2.0, X[c16] / 50)
    np.testing.assert_allclose(out, 2.0 ** (X[c16] / 50), rtol=1e-12)


def test_operators(run):
    out = run(elementwise.get_unop_kernel, ("~", i4, i4), i4, X[i4])
    np.testing.assert_array_equal(out, ~X[i4])
    getter = elementwise.get_array_scalar_binop_kernel
    out = run(getter, ("%", u4, u4, u4), u4, X[u4], 7)
    np.testing.assert_array_equal(out, X[u4] % 7)
    getter = elementwise.get_array_binop_kernel
    np.testing.assert_array_equal(run(getter, ("^", i4, i4, i4), i4, X[i4], Y[i4]), X[i4] ^ Y[i4])
    out = run(getter, ("&", i4, i4, i4, False, True), i4, X[i4], Y[i4][:1])
    np.testing.assert_array_equal(out, X[i4] & Y[i4][0])


@pytest.mark.parametrize("dtype", [f4, i4, c8])
def test_comparisons(run, dtype):
    other = np.where(np.arange(N) % 2, X[dtype], Y[dtype])
    number = X[dtype][10]
    compare = {"==": np.equal, "!=": np.not_equal, "<": np.less}
    for operator in ("==", "!=") if dtype == c8 else compare:
        out = run(
            elementwise.get_array_comparison_kernel, (operator, dtype, dtype), i1, X[dtype], other
        )
        np.testing.assert_array_equal(out, compare[operator](X[dtype], other))
        out = run(
            elementwise.get_array_scalar_comparison_kernel, (operator, dtype), i1, other, number
        )
        np.testing.assert_array_equal(out, compare[operator](other, number))
    zeros = (np.arange(N) % 2).astype(dtype)
    out = run(elementwise.get_logical_not_kernel, (dtype,), i1, zeros)
    np.testing.assert_array_equal(out, zeros == 0)


def test_complex_numbers_have_no_order(context):
    with pytest.raises(TypeError, match="no order"):
        elementwise.get_array_comparison_kernel(context, "<", c8, c8)
    with pytest.raises(TypeError, match="no result of dtype float32"):
        elementwise.get_copy_kernel(context, f4, c8)


def test_functions(run):
    out = run(elementwise.get_unary_func_kernel, ("fabs", f4), f4, X[f4])
    np.testing.assert_array_equal(out, abs(X[f4]))
    out = run(elementwise.get_unary_func_kernel, ("cdouble_abs", c16, f8), f8, X[c16])
    np.testing.assert_allclose(out, abs(X[c16]))
    parameters = ("twice_and", f8, f8, f8, "double twice_and(double x, double y) {return 2*x+y;}")
    out = run(elementwise.get_binary_func_kernel, parameters, f8, X[f8], Y[f8])
    np.testing.assert_array_equal(out, 2 * X[f8] + Y[f8])
    out = run(elementwise.get_float_binary_func_kernel, ("atan2", i4, f4, f4), f4, X[i4], Y[f4])
    np.testing.assert_allclose(out, np.arctan2(X[i4].astype(f4), Y[f4]), rtol=1e-6)


@pytest.mark.parametrize("dtype", [f4, f8])
def test_floats_taken_apart(run, dtype):
    x, y = values(dtype) / 8, values(dtype, 3)
    out = run(elementwise.get_fmod_kernel, (dtype, dtype, dtype), dtype, x, y)
    np.testing.assert_array_equal(out, np.fmod(x, y))
    parts = run(elementwise.get_modf_kernel, (dtype,) * 3, f"{dtype} {dtype}", x)
    np.testing.assert_array_equal(parts, np.modf(x)[::-1])
    parts = run(elementwise.get_frexp_kernel, (dtype, i4, dtype), f"{dtype} i4", x)
    np.testing.assert_array_equal(parts, np.frexp(x))
    out = run(elementwise.get_ldexp_kernel, (dtype, dtype, i4), dtype, *parts)
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("what", ["min", "max"])
@pytest.mark.parametrize("kind", list(ArgumentKind))
@pytest.mark.parametrize("dtype", [f4, i4])
def test_smaller_and_larger(run, what, kind, dtype):
    second = {
        ArgumentKind.ARRAY: Y[dtype],
        ArgumentKind.DEV_SCALAR: Y[dtype][:1],
        ArgumentKind.SCALAR: Y[dtype][0],
    }[kind]
    parameters = (what, dtype, dtype, dtype, ArgumentKind.ARRAY, kind)
    out = run(elementwise.get_minmaximum_kernel, parameters, dtype, X[dtype], second)
    expected = {"min": np.minimum, "max": np.maximum}[what](X[dtype], second)
    np.testing.assert_array_equal(out, expected)


def test_what_is_no_number_stays_so(run):
    x, y = X[f4].copy(), Y[f4].copy()
    x[3], y[5] = np.nan, np.nan
    for what, function in (("min", np.minimum), ("max", np.maximum)):
        out = run(elementwise.get_minmaximum_kernel, (what, f4, f4, f4), f4, x, y)
        np.testing.assert_array_equal(out, function(x, y))


@pytest.mark.parametrize("crit", [f4, i4])
def test_choices(run, crit):
    condition = (np.arange(N) % 3 - 1).astype(crit)
    then, other = X[f8], Y[f8]
    getter = elementwise.get_if_positive_kernel
    out = run(getter, (crit, f8), f8, condition, then, other)
    np.testing.assert_array_equal(out, np.where(condition > 0, then, other))
    out = run(getter, (crit, f8, False, False, False, True), f8, condition, then[:1], 7.0)
    np.testing.assert_array_equal(out, np.where(condition > 0, then[0], 7.0))


def test_kinds_of_operands(queue):
    kinds = {
        ArgumentKind.ARRAY: (np.zeros(3), ("*x", "x[i]")),
        ArgumentKind.DEV_SCALAR: (DeviceArray(queue, np.float32(3)), ("*x", "x[0]")),
        ArgumentKind.SCALAR: (np.float32(3), ("x", "x")),
    }
    for kind, (operand, texts) in kinds.items():
        assert elementwise.get_argument_kind(operand) == kind
        assert elementwise.get_decl_and_access_for_kind("x", kind) == texts
    assert elementwise.get_argument_kind(3) == ArgumentKind.SCALAR


def test_names_of_dtypes():
    assert elementwise.complex_dtype_to_name(np.complex64) == "cfloat"
    assert elementwise.complex_dtype_to_name("c16") == "cdouble"
    with pytest.raises(RuntimeError, match="invalid complex type"):
        elementwise.complex_dtype_to_name(f4)
    assert elementwise.real_dtype(c8) == np.float32
    assert elementwise.real_dtype(i4) == np.int32


def test_a_dtype_that_is_not_given(context):
    with pytest.raises(TypeError, match="out_dtype is None, wanted: a dtype"):
        elementwise.get_unary_func_kernel(context, "sin", None)


def test_every_kernel_has_its_test():
    from treadle.pyopencl import _elementwise_kernels

    text = Path(__file__).read_text()
    missing = [name for name in _elementwise_kernels.TEXTS if name not in text]
    assert missing == []
