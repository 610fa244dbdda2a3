# SPDX-License-Identifier: MIT
"""pycuda.gpuarray: operators, compared with NumPy's."""

import sys
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.gpuarray import GPUArray

sys.path.insert(0, str(Path(__file__).parent))
from gpuarray_values import floats, same  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")

REALS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
NUMBERS = [*REALS, np.float32, np.float64, np.complex64, np.complex128]


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("compute", [add, sub, mul, truediv, pow])
def test_arithmetic_of_two_arrays(dtype, compute):
    x = (np.arange(20) % 7 + 1).astype(dtype)
    y = (np.arange(20) % 3 + 1).astype(dtype)
    ours, theirs = compute(gpuarray.to_gpu(x), gpuarray.to_gpu(y)), compute(x, y)
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-5)


@pytest.mark.parametrize("other", [3, 2.5, np.float32(2.5), np.float64(2.5), np.int32(2), 1 + 2j])
@pytest.mark.parametrize("text", ["x + s", "s + x", "x - s", "s - x", "x * s", "x / s", "s / x"])
def test_arithmetic_with_numbers(other, text):
    values = floats(10, start=1)
    ours = eval(text, {"x": gpuarray.to_gpu(values), "s": other})
    theirs = eval(text, {"x": values, "s": other})
    assert isinstance(ours, GPUArray)
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [
        (np.int32, np.float32, np.float64),
        (np.int64, np.float32, np.float64),
        (np.uint8, np.int8, np.int16),
        (np.int32, np.complex64, np.complex128),
        (np.float32, np.float64, np.float64),
        (np.float32, np.complex64, np.complex64),
    ],
)
def test_dtypes_that_arrays_have_in_common(a, b, common):
    x, y = gpuarray.ones(3, a), gpuarray.ones(3, b)
    assert (x + y).dtype == common
    assert gpuarray._get_common_dtype(x, y) == common


def test_integers_are_divided_as_numbers():
    a = gpuarray.to_gpu(np.arange(1, 6, dtype=np.int32))
    same(a / 2, np.arange(1, 6) / 2)
    same(a / a, np.ones(5))
    same(3 / a, 3 / np.arange(1, 6))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64])
def test_unsigned_integers_wrap_round(dtype):
    x = np.array([0, 1, 5], dtype)
    a = gpuarray.to_gpu(x)
    same(-a, -x)
    same(a - 1, x - dtype(1))
    same(1 - a, dtype(1) - x)
    same(abs(a), x)


def test_orders_of_memory_do_not_mix_elements_up():
    x, y = floats(3, 4), np.asfortranarray(floats(3, 4, start=5))
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(a + b, x + y)
    same(b.astype(np.float64), y.astype(np.float64))
    same(b < a, (y < x).astype(np.float32))
    same(b + a.astype(np.float64), y + x.astype(np.float64))


def test_shapes_are_broadcast():
    x, y = floats(3, 4), floats(4, start=2)
    same(gpuarray.to_gpu(x) * gpuarray.to_gpu(y), x * y)
    same(gpuarray.to_gpu(np.float32(2).reshape(())) * gpuarray.to_gpu(y), 2 * y)
    with pytest.raises(ValueError, match=r"\(3,\) and \(3, 4\)"):
        gpuarray.to_gpu(x) + gpuarray.to_gpu(floats(3))


def test_arrays_of_numpy_are_operands():
    a = gpuarray.to_gpu(floats(4))
    same(a + floats(4), 2 * floats(4))
    same(floats(4) + a, 2 * floats(4))
    same(floats(4) < a + 1, np.ones(4, np.float32))
    same(np.float32(2) > a, (floats(4) < 2).astype(np.float32))
    same(np.float32(2) * a, 2 * floats(4))
    np.testing.assert_allclose(np.sin(a).get(), np.sin(floats(4)), rtol=1e-6)
    assert isinstance(np.where(a > 1, a, 0), GPUArray)
    a += floats(4)
    same(a, 2 * floats(4))


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
@pytest.mark.parametrize("other", [2, 2.0, np.float32(2), "array", "0-d"])
def test_in_place(sign, other):
    x = floats(6, start=1)
    a = before = gpuarray.to_gpu(x)
    address = a.ptr
    theirs = {"array": floats(6, start=3), "0-d": np.float32(3)}.get(other, other)
    ours = theirs if not isinstance(other, str) else gpuarray.to_gpu(np.asarray(theirs))
    scope = {"a": a, "x": x.copy(), "b": ours, "y": theirs}
    exec(f"a {sign}= b\nx {sign}= y", scope)
    assert scope["a"] is before
    assert before.ptr == address
    np.testing.assert_allclose(before.get(), scope["x"], rtol=1e-6)


def test_in_place_keeps_the_dtype():
    counts = gpuarray.to_gpu(np.array([1, 5, 9], np.int32))
    counts += gpuarray.to_gpu(np.array([0.5, 0.5, 0.75], np.float32))
    same(counts, np.array([1, 5, 9], np.int32))
    counts /= gpuarray.to_gpu(np.array([2, 2, 2], np.int32))
    same(counts, np.array([0, 2, 4], np.int32))
    with pytest.raises(TypeError, match="float64"):
        counts += 0.5
    with pytest.raises(TypeError):
        counts /= 2
    with pytest.raises(ValueError):
        counts += gpuarray.zeros(4, np.int32)
    counts **= 2
    same(counts, np.array([0, 4, 16], np.int32))


def test_in_place_on_views_and_on_what_waits():
    a = gpuarray.to_gpu(floats(8))
    waiting = a * 10
    a[::2] += a[1::2]
    x = floats(8)
    x[::2] += x[1::2]
    same(a, x)
    same(waiting, 10 * floats(8))


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.complex64])
def test_signs_and_magnitudes(dtype):
    x = (np.arange(6) - 3).astype(dtype)
    a = gpuarray.to_gpu(x)
    assert +a is a
    same(-a, -x)
    same(abs(a), abs(x))
    magnitudes = abs(gpuarray.to_gpu(np.array([3 + 4j], np.complex64)))
    assert magnitudes.dtype == np.float32
    assert magnitudes.get()[0] == 5


def test_powers():
    x = floats(5, start=1)
    a = gpuarray.to_gpu(x)
    np.testing.assert_allclose((a**2.5).get(), x**2.5, rtol=1e-6)
    np.testing.assert_allclose((2**a).get(), 2**x, rtol=1e-6)
    np.testing.assert_allclose((a**a).get(), x**x, rtol=1e-5)
    assert a._pow(2, new=False) is a
    same(a, x**2)
    assert a._pow(2, new=True) is not a


COMPARISONS = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@pytest.mark.parametrize("sign", COMPARISONS)
def test_comparisons_have_the_operands_dtype(sign):
    x, y = floats(6), floats(6)[::-1].copy()
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    compare = COMPARISONS[sign]
    same(compare(a, b), compare(x, y).astype(np.float32))
    same(compare(a, 3), compare(x, 3).astype(np.float32))
    same(compare(a, np.float64(3)), compare(x, 3).astype(np.float32))
    counts = gpuarray.to_gpu(np.arange(6, dtype=np.int8))
    assert compare(counts, a).dtype == np.float32
    assert compare(counts, 2.5).dtype == np.int8
    assert gpuarray._make_binary_op(sign)(a, b).dtype == np.float32


def test_comparisons_compare_the_numbers_themselves():
    counts = gpuarray.to_gpu(np.array([1, 2, 3], np.int8))
    same(counts < 2.5, np.array([1, 1, 0], np.int8))
    same(counts == 300, np.array([0, 0, 0], np.int8))


def test_comparisons_with_what_is_no_number():
    a = gpuarray.to_gpu(floats(3))
    assert (a == None) is False  # noqa: E711
    assert (a != "text") is True
    with pytest.raises(TypeError):
        a < "text"  # noqa: B015


def test_what_fits_no_operator():
    a = gpuarray.to_gpu(floats(3))
    for other in ("text", None, object()):
        with pytest.raises(TypeError):
            a + other
        with pytest.raises(TypeError):
            other - a


def test_mul_add():
    x, y = floats(6), floats(6, start=2)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(a.mul_add(2, b, 3), 2 * x + 3 * y)
    assert a.mul_add(np.float64(2), b, np.float64(3)).dtype == np.float32
    out = gpuarray.empty_like(a)
    assert a.mul_add(2, b, 3, out=out, stream=cuda.Stream()) is out
    same(out, 2 * x + 3 * y)
    timed = []
    a.mul_add(2, b, 3, add_timer=lambda count, seconds: timed.append((count, seconds())))
    assert timed[0][0] == 18
    assert timed[0][1] >= 0


def test_the_methods_behind_the_operators():
    x, y = floats(6, start=1), floats(6, start=2)
    a, b, out = gpuarray.to_gpu(x), gpuarray.to_gpu(y), gpuarray.empty(6, np.float32)
    same(a._axpbyz(2, b, -1, out), 2 * x - y)
    same(a._axpbz(2, 3, out), 2 * x + 3)
    same(a._elwise_multiply(b, out), x * y)
    same(a._div(b, out), x / y)
    same(a._rdiv_scalar(2, out), 2 / x)


def python_calls(compute):
    """The Python functions that run while it computes, itself excepted."""
    called = []
    sys.setprofile(lambda frame, event, _: event == "call" and called.append(frame.f_code.co_name))
    try:
        compute()
    finally:
        sys.setprofile(None)
    return called[1:]


@pytest.mark.parametrize(
    "text", ["x + y", "2 * x", "x ** 2", "1 - x", "-x", "x < y", "x == 0", "x.__iadd__(y)", "x & 3"]
)
def test_operators_run_no_python_code(text):
    names = {"x": gpuarray.to_gpu(np.arange(9)), "y": gpuarray.to_gpu(np.arange(9))}
    code = compile(text, "text", "eval")
    assert python_calls(lambda: eval(code, names)) == ["<module>"]


def test_divmod_gives_arrays_of_this_class():
    x = np.arange(9, dtype=np.float32)
    for ours, theirs in zip(divmod(gpuarray.to_gpu(x), 4), divmod(x, 4), strict=True):
        assert type(ours) is GPUArray
        np.testing.assert_array_equal(ours.get(), theirs)


def test_masks_are_combined_to_masks():
    x = np.arange(9, dtype=np.int32)
    ours = gpuarray.to_gpu(x)
    np.testing.assert_array_equal(ours[(ours > 2) & (ours < 7)].get(), x[(x > 2) & (x < 7)])


def test_operators_of_a_program_s_class_come_before_ours():
    class Louder(GPUArray):
        def __add__(self, other):
            return "mine", super().__add__(other)

    x = Louder(3, np.float32).fill(1)
    text, result = x + 1
    assert (text, type(result)) == ("mine", Louder)
    np.testing.assert_array_equal(result.get(), 2)
    assert type(x - 1) is Louder


def test_an_array_in_a_circle_with_its_allocator_is_collected():
    import gc
    import weakref

    def allocate(size_bytes):
        return cuda.mem_alloc(size_bytes)

    x = gpuarray.GPUArray(3, np.float32, allocator=allocate)
    allocate.array, gone = x, weakref.ref(allocate)
    del x, allocate
    gc.collect()
    assert gone() is None


def test_an_array_without_a_constructor_s_run_has_no_attributes():
    with pytest.raises(AttributeError, match="__init__"):
        GPUArray.__new__(GPUArray)._allocator  # noqa: B018
