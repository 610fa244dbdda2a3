# SPDX-License-Identifier: MIT
"""PyCUDA's kernels for arithmetic on arrays: text, order of arguments and types of each."""

import sys
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.elementwise as elementwise
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from elementwise_arrays import DeviceArray  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")

GRID, BLOCK = (3, 1), (32, 1, 1)
N = 200
f4, f8, c8, c16, i4, u4, i8 = "f4", "f8", "c8", "c16", "i4", "u4", "i8"


def values(dtype, start=1):
    """Different, not 0, of both signs where there are signs."""
    numbers = np.arange(start, start + N)
    if np.dtype(dtype).kind != "u":
        numbers = np.where(numbers % 3 == 0, -numbers, numbers)
    if np.dtype(dtype).kind == "c":
        return (numbers + 1j * numbers[::-1]).astype(dtype)
    return numbers.astype(dtype)


def run(function, *arguments, outputs=1, n=N):
    """Launches; the last of the arrays among the arguments are outputs, which are returned."""
    passed = [a.gpudata if isinstance(a, DeviceArray) else a for a in arguments]
    function.prepared_call(GRID, BLOCK, *passed, n)
    arrays = [a for a in arguments if isinstance(a, DeviceArray)]
    results = [a.get() for a in arrays[-outputs:]]
    return results if outputs > 1 else results[0]


def new(dtype, n=N):
    return DeviceArray(np.zeros(n, dtype))


X, Y = (
    {d: values(d) for d in (f4, f8, c8, c16, i4, u4, i8)},
    {d: values(d, 5) for d in (f4, f8, c8, c16, i4, u4, i8)},
)


@pytest.mark.parametrize(
    ("dest", "src"), [(f4, f4), (f8, i4), (i4, f4), (c8, f4), (c16, c8), (c8, c16), (c8, i4)]
)
def test_copy(dest, src):
    kernel = elementwise.get_copy_kernel(np.dtype(dest), np.dtype(src))
    out = new(dest)
    passed = [out.gpudata, DeviceArray(X[src])]
    kernel.prepared_call(GRID, BLOCK, passed[0], passed[1].gpudata, N)
    np.testing.assert_array_equal(out.get(), X[src].astype(dest))


@pytest.mark.parametrize("dtype", [f4, u4, c16])
def test_fill_and_reverse(dtype):
    out = run(elementwise.get_fill_kernel(dtype), 7, new(dtype))
    np.testing.assert_array_equal(out, np.full(N, 7, dtype))
    out = run(elementwise.get_reverse_kernel(dtype), DeviceArray(X[dtype]), new(dtype))
    np.testing.assert_array_equal(out, X[dtype][::-1])


@pytest.mark.parametrize("dtype", [f4, f8, i4, u4, i8, c8])
def test_arange(dtype):
    kernel = elementwise.get_arange_kernel(dtype)
    out = new(dtype)
    kernel.prepared_call(GRID, BLOCK, out.gpudata, 3, 2, N)
    np.testing.assert_array_equal(out.get(), np.arange(3, 3 + 2 * N, 2).astype(dtype))


def test_arange_of_floats_is_rounded_once():
    out = new(f4)
    start, step = np.float32(1000000.0), np.float32(0.1)
    elementwise.get_arange_kernel(f4).prepared_call(GRID, BLOCK, out.gpudata, start, step, N)
    exact = np.float64(start) + np.arange(N) * np.float64(step)
    np.testing.assert_array_equal(out.get(), exact.astype(f4))


def test_put():
    places = np.random.default_rng(1).permutation(N).astype(i4)
    outs = new(f8), new(f8)
    results = run(
        _sources_last(elementwise.get_put_kernel(f8, i4, 2), 2),
        DeviceArray(places), DeviceArray(X[f8]), DeviceArray(Y[f8]), *outs, outputs=2,
    )  # fmt: skip
    for result, source in zip(results, (X[f8], Y[f8]), strict=True):
        np.testing.assert_array_equal(result[places], source)


def _sources_last(kernel, count):
    """The same with outputs behind sources, as run() takes them."""

    class Reordered:
        def prepared_call(self, grid, block, index, *rest):
            sources, outputs, n = rest[:count], rest[count : 2 * count], rest[-1]
            kernel.prepared_call(grid, block, index, *outputs, *sources, n)

    return Reordered()


def test_take_reads_what_its_references_are_bound_to():
    kernel, references = elementwise.get_take_kernel(c16, u4, 2)
    index = np.random.default_rng(2).integers(0, N, N).astype(u4)
    with pytest.raises(cuda.LogicError, match="source 0"):
        run(kernel, DeviceArray(index), new(c16), new(c16), outputs=2)
    sources = DeviceArray(X[c16]), DeviceArray(Y[c16])
    for reference, source in zip(references, sources, strict=True):
        reference.set_format(None, 4)
        reference.set_flags(1)
        assert reference.set_address(source.gpudata, X[c16].nbytes, allow_offset=True) == 0
    outs = run(kernel, DeviceArray(index), new(c16), new(c16), outputs=2)
    np.testing.assert_array_equal(outs[0], X[c16][index])
    np.testing.assert_array_equal(outs[1], Y[c16][index])
    out = new(c16), new(c16)
    index = DeviceArray(index)
    kernel.prepared_async_call(
        GRID, BLOCK, None, index.gpudata, *(o.gpudata for o in out), N, shared_size=0
    )
    seconds = kernel.prepared_timed_call(GRID, BLOCK, index.gpudata, *(o.gpudata for o in out), N)
    assert seconds() >= 0
    np.testing.assert_array_equal(out[1].get(), outs[1])


@pytest.mark.parametrize("with_offsets", [False, True])
def test_take_put(with_offsets):
    kernel, references = elementwise.get_take_put_kernel(f4, i4, with_offsets, 1)
    to = np.random.default_rng(3).permutation(N).astype(i4)
    source = DeviceArray(X[f4])
    references[0].set_address(source.gpudata, X[f4].nbytes)
    half = np.arange(N, dtype=i4) // 2
    out = new(f4)
    arguments = [DeviceArray(to), DeviceArray(half), out, *([5] if with_offsets else [])]
    result = run(kernel, *arguments)
    np.testing.assert_array_equal(result[to], X[f4][half + 5 * with_offsets])


def test_linear_combination():
    kernel, references = elementwise.get_linear_combination_kernel(
        ((False, np.dtype(f4), np.dtype(f4)), (True, np.dtype(f8), np.dtype(i4))), np.dtype(f8)
    )
    factor = DeviceArray(np.array([3.0]))
    references[0].set_address(factor.gpudata, 8)
    out = run(kernel, 2.0, DeviceArray(X[f4]), DeviceArray(X[i4]), new(f8))
    np.testing.assert_array_equal(out, 2.0 * X[f4].astype(f8) + 3.0 * X[i4])


@pytest.mark.parametrize(
    ("x", "y", "z"),
    [(f4, f4, f4), (f4, f8, f8), (i4, f8, f8), (c8, f4, c8), (f4, c16, c16), (u4, u4, u4)],
)
@pytest.mark.parametrize("scalars", [(False, False), (True, False), (False, True)])
def test_axpbyz(x, y, z, scalars):
    kernel = elementwise.get_axpbyz_kernel(*map(np.dtype, (x, y, z)), *scalars)
    left = X[x][:1] if scalars[0] else X[x]
    right = Y[y][:1] if scalars[1] else Y[y]
    out = run(kernel, 2, DeviceArray(left), 3, DeviceArray(right), new(z))
    np.testing.assert_allclose(out, (2 * left.astype(z) + 3 * right.astype(z)).astype(z), rtol=1e-6)


@pytest.mark.parametrize(("x", "z"), [(f4, f4), (i4, f8), (f4, c8), (u4, u4)])
def test_axpbz_and_rdivide(x, z):
    out = run(elementwise.get_axpbz_kernel(x, z), 2, DeviceArray(X[x]), 3, new(z))
    np.testing.assert_allclose(out, 2 * X[x].astype(z) + 3)
    out = run(elementwise.get_rdivide_elwise_kernel(x, z), DeviceArray(X[x]), 100, new(z))
    quotient = 100 // X[x] if z == u4 else np.asarray(100 / X[x].astype(z), z)
    np.testing.assert_allclose(out, quotient, rtol=1e-6)


@pytest.mark.parametrize(
    ("operator", "x", "y", "z"),
    [
        (operator, *dtypes)
        for operator in ("*", "/", "==", "<")
        for dtypes in ((f4, f4, f4), (i4, f8, f8), (c8, f4, c8))
        if (operator, dtypes[2]) != ("<", c8)
    ],
)
def test_binary_operators(operator, x, y, z):
    kernel = elementwise.get_binary_op_kernel(*map(np.dtype, (x, y, z)), operator)
    out = run(kernel, DeviceArray(X[x]), DeviceArray(Y[y]), new(z))
    left, right = X[x].astype(z), Y[y].astype(z)
    calls = {"*": np.multiply, "/": np.divide, "<": np.less, "==": np.equal}
    np.testing.assert_allclose(out, calls[operator](left, right).astype(z), rtol=1e-6)


def test_operators_with_an_operand_of_no_dimensions():
    kernel = elementwise.get_binary_op_kernel(f4, f4, f4, "-", False, True)
    out = run(kernel, DeviceArray(X[f4]), DeviceArray(np.float32([5])), new(f4))
    np.testing.assert_array_equal(out, X[f4] - 5)


@pytest.mark.parametrize(
    ("x", "a", "operator", "expected"),
    [(f4, f4, "<=", X[f4] <= 9), (i4, f8, ">", X[i4] > 9), (c8, f8, "!=", X[c8] != 9)],
)
def test_operators_with_a_number(x, a, operator, expected):
    kernel = elementwise.get_scalar_op_kernel(x, a, "?", operator)
    np.testing.assert_array_equal(run(kernel, DeviceArray(X[x]), 9, new("?")), expected)


@pytest.mark.parametrize("dtype", [f4, i4, "?", c8])
def test_logical_not(dtype):
    given = (np.arange(N) % 2).astype(dtype)
    out = run(elementwise.get_logical_not_kernel(dtype, "?"), DeviceArray(given), new("?"))
    np.testing.assert_array_equal(out, given == 0)


@pytest.mark.parametrize("z", [f4, f8, c8, i8, u4])
@pytest.mark.parametrize("arrays", [(True, True), (True, False), (False, True)])
def test_powers(z, arrays):
    base = (np.arange(N) % 5 + 1).astype(z)
    exponent = (np.arange(N) % 7).astype(z)
    kernel = elementwise.get_pow_array_kernel(z, z, z, *arrays)
    x = DeviceArray(base) if arrays[0] else base[3]
    y = DeviceArray(exponent) if arrays[1] else exponent[3]
    expected = (base if arrays[0] else base[3]) ** (exponent if arrays[1] else exponent[3])
    np.testing.assert_allclose(run(kernel, x, y, new(z)), expected.astype(z), rtol=2e-6)


def test_powers_of_integers_are_exact_and_wrap():
    base = np.array([3, -3, 10, -1, -1, 2, 1, 7], i8)
    exponent = np.array([39, 39, 20, -3, -2, -1, -5, 0], i8)
    kernel = elementwise.get_pow_array_kernel(i8, i8, i8, True, True)
    out = run(kernel, DeviceArray(base), DeviceArray(exponent), new(i8, 8), n=8)
    wrapped = (10**20 + 2**63) % 2**64 - 2**63
    np.testing.assert_array_equal(out, [3**39, -(3**39), wrapped, -1, 1, 0, 1, 1])
    with pytest.raises(AssertionError):
        elementwise.get_pow_array_kernel(f4, f4, f4, False, False)


def test_functions_of_one_and_two():
    kernel = elementwise.get_unary_func_kernel("fabsf", f4)
    np.testing.assert_array_equal(run(kernel, DeviceArray(X[f4]), new(f4)), abs(X[f4]))
    kernel = elementwise.get_unary_func_kernel("pycuda::abs", c16, f8)
    np.testing.assert_allclose(run(kernel, DeviceArray(X[c16]), new(f8)), abs(X[c16]))
    kernel = elementwise.get_binary_func_kernel("hypot", f8, f8, f8)
    out = run(kernel, DeviceArray(X[f8]), DeviceArray(Y[f8]), new(f8))
    np.testing.assert_allclose(out, np.hypot(X[f8], Y[f8]))
    kernel = elementwise.get_binary_func_scalar_kernel("fmod", f8, f8, f8)
    np.testing.assert_array_equal(run(kernel, DeviceArray(X[f8]), 7, new(f8)), np.fmod(X[f8], 7))


@pytest.mark.parametrize("func", ["min", "max"])
@pytest.mark.parametrize("use_scalar", [False, True])
@pytest.mark.parametrize(("x", "y", "z"), [(f4, f4, f4), (f4, f8, f8), (i4, i4, i4), (u4, u4, u4)])
def test_smaller_and_larger(func, use_scalar, x, y, z):
    kernel = elementwise.get_binary_minmax_kernel(func, *map(np.dtype, (x, y, z)), use_scalar)
    second = 20 if use_scalar else DeviceArray(Y[y])
    expected = {"min": np.minimum, "max": np.maximum}[func](X[x], 20 if use_scalar else Y[y])
    np.testing.assert_array_equal(run(kernel, DeviceArray(X[x]), second, new(z)), expected)


def test_no_number_is_passed_over():
    kernel = elementwise.get_binary_minmax_kernel("max", f4, f4, f4, True)
    out = run(kernel, DeviceArray(np.full(N, np.nan, f4)), 2, new(f4))
    np.testing.assert_array_equal(out, np.full(N, 2, f4))


@pytest.mark.parametrize("dtype", [f4, f8])
def test_floats_taken_apart(dtype):
    x, y = values(dtype) / 8, values(dtype, 3)
    out = run(elementwise.get_fmod_kernel(dtype), DeviceArray(x), DeviceArray(y), new(dtype))
    np.testing.assert_array_equal(out, np.fmod(x, y))
    whole, fraction = run(
        elementwise.get_modf_kernel(dtype), DeviceArray(x), new(dtype), new(dtype), outputs=2
    )
    np.testing.assert_array_equal(fraction, np.modf(x)[0])
    np.testing.assert_array_equal(whole, np.modf(x)[1])
    significand, exponent = run(
        elementwise.get_frexp_kernel(dtype), DeviceArray(x), new(dtype), new(dtype), outputs=2
    )
    np.testing.assert_array_equal(significand, np.frexp(x)[0])
    np.testing.assert_array_equal(exponent, np.frexp(x)[1])
    out = run(
        elementwise.get_ldexp_kernel(dtype), DeviceArray(significand), DeviceArray(exponent),
        new(dtype),
    )  # fmt: skip
    np.testing.assert_array_equal(out, x)
    assert elementwise.get_fmod_kernel() is elementwise.get_fmod_kernel()


@pytest.mark.parametrize(("dtype", "real"), [(c8, f4), (c16, f8)])
def test_parts_of_complex_numbers(dtype, real):
    x = DeviceArray(X[dtype])
    out = run(elementwise.get_real_kernel(dtype, real), x, new(real))
    np.testing.assert_array_equal(out, X[dtype].real)
    out = run(elementwise.get_imag_kernel(dtype, real), x, new(real))
    np.testing.assert_array_equal(out, X[dtype].imag)
    out = run(elementwise.get_conj_kernel(dtype, dtype), x, new(dtype))
    np.testing.assert_array_equal(out, X[dtype].conj())
    out = run(elementwise.get_conj_kernel(dtype, c16), x, new(c16))
    np.testing.assert_array_equal(out, X[dtype].conj())


@pytest.mark.parametrize("crit", [f4, i4, "?"])
def test_choices(crit):
    condition = (np.arange(N) % 3 - (crit != "?")).astype(crit)
    arguments = [DeviceArray(condition), DeviceArray(X[f8]), DeviceArray(Y[f8]), new(f8)]
    out = run(elementwise.get_if_positive_kernel(crit, f8), *arguments)
    np.testing.assert_array_equal(out, np.where(condition > 0, X[f8], Y[f8]))
    out = run(elementwise.get_where_kernel(crit, f8), *arguments)
    np.testing.assert_array_equal(out, np.where(condition != 0, X[f8], Y[f8]))


def test_a_dtype_that_is_not_given():
    with pytest.raises(TypeError, match="in_dtype is None, wanted: a dtype"):
        elementwise.get_unary_func_kernel("sin", None)


def test_every_kernel_has_its_test():
    text = Path(__file__).read_text()
    from treadle.pycuda import _elementwise_kernels

    missing = [name for name in _elementwise_kernels.TEXTS if f"elementwise.{name}" not in text]
    assert missing == []
