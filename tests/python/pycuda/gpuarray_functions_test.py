# SPDX-License-Identifier: MIT
"""pycuda.gpuarray: functions of arrays, compared with NumPy's."""

import sys
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pycuda.tools as tools
import pytest

import treadle.numpy as tnp

sys.path.insert(0, str(Path(__file__).parent))
from gpuarray_values import CountingAllocator, floats, same  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")


def test_choices():
    x, y, z = floats(6) - 3, floats(6, start=10), floats(6, start=20)
    a, b, c = (gpuarray.to_gpu(v) for v in (x, y, z))
    same(gpuarray.if_positive(a, b, c), np.where(x > 0, y, z))
    same(gpuarray.where(a, b, c), np.where(x != 0, y, z))
    same(gpuarray.where(a > 1, b, 0), np.where(x > 1, y, np.float32(0)))
    out = gpuarray.empty(6, np.float32)
    assert gpuarray.if_positive(a, b, c, out=out, stream=cuda.Stream()) is out
    same(out, np.where(x > 0, y, z))
    with pytest.raises(ValueError):
        gpuarray.where(a, b, gpuarray.zeros(5, np.float32))
    with pytest.raises(ValueError):
        gpuarray.if_positive(a, gpuarray.zeros(5, np.float32), c)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32, np.float64])
def test_extrema_of_pairs(dtype):
    x = (np.arange(8) % 5).astype(dtype)
    y = (np.arange(8)[::-1] % 3).astype(dtype)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(gpuarray.minimum(a, b), np.minimum(x, y))
    same(gpuarray.maximum(a, b), np.maximum(x, y))
    same(gpuarray.maximum(a, 2), np.maximum(x, dtype(2)))
    same(gpuarray.minimum(2, a), np.minimum(x, dtype(2)))
    out = gpuarray.empty(8, dtype)
    assert gpuarray.minimum(a, b, out=out) is out
    same(out, np.minimum(x, y))


def test_extrema_pass_over_what_is_no_number():
    a = gpuarray.to_gpu(np.array([1, np.nan, 3], np.float32))
    same(gpuarray.minimum(a, 2), np.array([1, 2, 2], np.float32))
    same(gpuarray.maximum(a, 2), np.array([2, 2, 3], np.float32))
    with pytest.raises(TypeError, match="array on the device"):
        gpuarray.maximum(1, 2)


def test_logical_functions():
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(gpuarray.logical_and(a, b), x & y)
    same(gpuarray.logical_or(a, b), x | y)
    same(gpuarray.logical_not(a), ~x)
    same(gpuarray.logical_and(a, 1), x)
    same(gpuarray.logical_or(False, a), x)
    out = gpuarray.empty(4, np.bool_)
    for function, expected in (
        (lambda: gpuarray.logical_and(a, 1, out=out), x),
        (lambda: gpuarray.logical_or(a, b, out=out), x | y),
        (lambda: gpuarray.logical_not(a, out=out), ~x),
    ):
        assert function() is out
        same(out, expected)
    allocator = CountingAllocator()
    assert gpuarray.logical_and(a, b, allocator=allocator).allocator is allocator
    assert allocator.sizes == [4]
    same(gpuarray.logical_not(gpuarray.to_gpu(floats(3))), floats(3) == 0)
    with pytest.raises(TypeError):
        gpuarray.logical_and(True, False)


def test_names_that_others_use():
    a, b = gpuarray.to_gpu(floats(3)), gpuarray.to_gpu(np.arange(3))
    assert gpuarray._builtin_min(2, 3) == 2
    assert gpuarray._builtin_max(2, 3) == 3
    assert gpuarray._compact_strides(np.zeros((4, 6), np.float32)[:, ::2].T) == (4, 12)
    assert gpuarray._get_broadcasted_binary_op_result(a, b).dtype == np.float64
    assert gpuarray._get_broadcasted_binary_op_result(a, 2, lambda x, y: "i2").shape == (3,)
    assert gpuarray._array_like_helper(a, None, "C").shape == (3,)
    assert gpuarray.ArrayFlags(a).forc
    assert gpuarray.vec.float4.itemsize == 16
    assert gpuarray.splay(5)[1] == (32, 1, 1)


def test_arrays_are_operands_of_treadle_s_functions():
    a = gpuarray.to_gpu(floats(4))
    np.testing.assert_allclose(tnp.sin(a).get(), np.sin(floats(4)), rtol=1e-6)


def test_a_context_is_needed():
    cuda.Context.pop()
    try:
        with pytest.raises(cuda.LogicError, match="context"):
            gpuarray.zeros(3, np.float32)
    finally:
        tools.make_default_context()


# --- reductions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("size", [1, 7, 5000])
def test_sums(dtype, size):
    x = (np.arange(size) % 7).astype(dtype)
    a = gpuarray.to_gpu(x)
    same(gpuarray.sum(a), x.sum(dtype=dtype))
    wide = np.complex128 if dtype == np.complex64 else np.float64
    same(gpuarray.sum(a, dtype=wide), x.sum(dtype=wide))


def test_sums_do_not_widen_but_of_bool():
    ones = gpuarray.ones(300, np.int8)
    same(gpuarray.sum(ones), np.int8(300 - 256))
    same(gpuarray.sum(ones, dtype=np.int32), np.int32(300))
    ones = gpuarray.ones(3, np.bool_)
    same(gpuarray.sum(ones), np.int64(3))
    same(gpuarray.sum(~ones), np.int64(0))
    same(gpuarray.sum(ones, dtype=np.bool_), np.True_)
    same(gpuarray.sum(ones, dtype=np.int32), np.int32(3))
    same(gpuarray.dot(ones, ones), np.int64(3))
    same(gpuarray.sum(gpuarray.zeros(0, np.float32)), np.float32(0))


def test_sums_of_expressions_and_views():
    x = floats(40, 50) / 100
    a = gpuarray.to_gpu(x)
    np.testing.assert_allclose(gpuarray.sum(2 * a + a**2).get(), (2 * x + x**2).sum(), rtol=1e-5)
    np.testing.assert_allclose(gpuarray.sum(a[::3, 1::2].T).get(), x[::3, 1::2].sum(), rtol=1e-5)
    total = gpuarray.sum(a)
    same(a / total, x / total.get())


def test_sums_on_streams_and_by_allocators():
    allocator = CountingAllocator()
    a = gpuarray.to_gpu(floats(1000))
    total = gpuarray.sum(a, stream=cuda.Stream(), allocator=allocator)
    assert allocator.sizes == [4]
    same(total, floats(1000).sum())


def test_truth_of_all_elements():
    x = np.array([0, 0, 3], np.float32)
    a = gpuarray.to_gpu(x)
    for ours, theirs in (
        (gpuarray.any(a), True),
        (gpuarray.all(a), False),
        (a.any(), True),
        (a.all(stream=cuda.Stream()), False),
        (gpuarray.any(a[:2]), False),
        (gpuarray.all(gpuarray.ones(3, np.complex64)), True),
    ):
        same(ours, np.bool_(theirs))


def test_products_of_all_elements():
    x, y = floats(4, 5) / 7, np.asfortranarray(floats(4, 5, start=2))
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    np.testing.assert_allclose(gpuarray.dot(a, b).get(), (x * y).sum(), rtol=1e-6)
    np.testing.assert_allclose(gpuarray.dot(a, b.reshape(20)).get(), x.ravel() @ y.ravel(), 1e-6)
    assert gpuarray.dot(a, b, dtype=np.float64).dtype == np.float64
    z = (floats(3) + 1j).astype(np.complex64)
    c = gpuarray.to_gpu(z)
    np.testing.assert_allclose(gpuarray.dot(c, c).get(), (z * z).sum(), rtol=1e-6)
    counts = gpuarray.arange(5, dtype=np.int32)
    same(gpuarray.dot(counts, counts), np.int32(30))
    with pytest.raises(ValueError, match="20 and 3"):
        gpuarray.dot(a, c)


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64, np.float32, np.float64])
def test_extrema(dtype):
    x = ((np.arange(1000) * 37) % 101 - (0 if dtype == np.uint32 else 50)).astype(dtype)
    a = gpuarray.to_gpu(x)
    same(gpuarray.min(a), x.min())
    same(gpuarray.max(a, stream=cuda.Stream()), x.max())


def test_extrema_of_arrays_pass_over_what_is_no_number():
    a = gpuarray.to_gpu(np.array([np.nan, 1, 5, np.nan], np.float32))
    same(gpuarray.min(a), np.float32(1))
    same(gpuarray.max(a), np.float32(5))


def test_numpy_s_methods_give_gpuarrays():
    x = floats(3, 4)
    a = gpuarray.to_gpu(x)
    same(a.sum(axis=0), x.sum(axis=0))
    same(a.mean(axis=1, keepdims=True), x.mean(axis=1, keepdims=True))
    assert type(a[0].dot(a[1])) is gpuarray.GPUArray
    same(a[0].dot(a[1]), x[0].dot(x[1]))
    same(a.argmax(), x.argmax())
    same(a.max(0), x.max(0))


# --- elements in other places --------------------------------------------------------------------

INDEX = np.array([3, 0, 3, 2], np.int32)
needs_indexing = pytest.mark.skipif(
    not hasattr(tnp, "take"), reason="treadle.numpy has no take() and concatenate() yet"
)


@needs_indexing
def test_take():
    x = floats(6, start=10)
    a, index = gpuarray.to_gpu(x), gpuarray.to_gpu(INDEX)
    same(gpuarray.take(a, index), x[INDEX])
    out = gpuarray.empty(4, np.float32)
    assert gpuarray.take(a, index, out=out, stream=cuda.Stream()) is out
    same(out, x[INDEX])
    same(gpuarray.take(gpuarray.to_gpu(x.reshape(2, 3)), index), x[INDEX])


@needs_indexing
def test_several_arrays_at_once():
    x, y = floats(6, start=10), floats(6, start=50)
    arrays, index = [gpuarray.to_gpu(x), gpuarray.to_gpu(y)], gpuarray.to_gpu(INDEX)
    for ours, theirs in zip(gpuarray.multi_take(arrays, index), (x, y), strict=True):
        same(ours, theirs[INDEX])
    assert gpuarray.multi_take([], index) == []
    to = np.array([1, 5, 0, 2], np.int32)
    places = gpuarray.to_gpu(to)
    out = [gpuarray.zeros(6, np.float32) for _ in arrays]
    assert gpuarray.multi_take_put(arrays, places, index, out=out) is out
    for ours, theirs in zip(out, (x, y), strict=True):
        expected = np.zeros(6, np.float32)
        expected[to] = theirs[INDEX]
        same(ours, expected)
    moved = gpuarray.multi_take_put(arrays, places, index, dest_shape=6, src_offsets=[0, 1])
    np.testing.assert_array_equal(moved[1].get()[to], y[INDEX + 1])
    out = [gpuarray.zeros(6, np.float32) for _ in arrays]
    gpuarray.multi_put([a[:4] for a in arrays], places, out=out)
    for ours, theirs in zip(out, (x, y), strict=True):
        expected = np.zeros(6, np.float32)
        expected[to] = theirs[:4]
        same(ours, expected)
    assert gpuarray.multi_put(arrays[:1], gpuarray.arange(6, dtype=np.int32), 8)[0].shape == (8,)


def test_no_arrays_at_once():
    index = gpuarray.to_gpu(INDEX)
    assert gpuarray.multi_take([], index) == []
    assert gpuarray.multi_put([], index) == []
    assert gpuarray.multi_take_put([], index, index) == []


def test_what_does_not_fit_several_arrays():
    a, index = gpuarray.to_gpu(floats(6)), gpuarray.to_gpu(INDEX)
    with pytest.raises(TypeError, match="int64"):
        gpuarray.multi_take_put([a], index, index.astype(np.int64), 6)
    with pytest.raises(ValueError, match="one axis"):
        gpuarray.multi_take_put([a], index, index[:3], 6)
    with pytest.raises(ValueError, match="dest_shape or out"):
        gpuarray.multi_put([a], index)
    with pytest.raises(ValueError, match="out has 2 entries for 1"):
        gpuarray.multi_put([a], index, out=[a, a])


@needs_indexing
def test_subsets():
    x, y = floats(6, start=10), floats(6) - 2
    a, b, index = gpuarray.to_gpu(x), gpuarray.to_gpu(y), gpuarray.to_gpu(INDEX)
    same(gpuarray.subset_sum(index, a), x[INDEX].sum())
    same(gpuarray.subset_sum(index, a, dtype=np.float64), np.float64(x[INDEX].sum()))
    same(gpuarray.subset_sum(index, (a > 0).astype(np.bool_)), (x[INDEX] > 0).sum())
    same(gpuarray.subset_dot(index, a, b), (x[INDEX] * y[INDEX]).sum())
    same(gpuarray.subset_min(index, b), y[INDEX].min())
    same(gpuarray.subset_max(index, b, stream=cuda.Stream()), y[INDEX].max())


@needs_indexing
def test_concatenate():
    x, y = floats(2, 3), floats(4, 3, start=9)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(gpuarray.concatenate([a, b]), np.concatenate([x, y]))
    same(gpuarray.concatenate((a, a), axis=-1), np.concatenate([x, x], axis=1))
    mixed = gpuarray.concatenate([a, b.astype(np.float64)])
    same(mixed, np.concatenate([x, y.astype(np.float64)]))
    allocator = CountingAllocator()
    assert gpuarray.concatenate([a, b], allocator=allocator).allocator is allocator
    with pytest.raises(ValueError):
        gpuarray.concatenate([a, b], axis=1)
    for join in (gpuarray.concatenate, gpuarray.stack):
        with pytest.raises(ValueError, match="no arrays: pass one or more"):
            join([])


@needs_indexing
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_stack(axis):
    x, y = floats(2, 3), floats(2, 3, start=9)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    for stacked in (gpuarray.stack([a, b], axis=axis), gpuarray.stack([a * 1, b.copy()], axis)):
        same(stacked, np.stack([x, y], axis=axis))
        assert stacked.flags.c_contiguous == (axis in (0, -3))
        assert stacked.flags.f_contiguous == (axis not in (0, -3))
    with pytest.raises(ValueError):
        gpuarray.stack([a, a.T], axis=axis)
    for wrong in (3, -4):
        with pytest.raises(ValueError):
            gpuarray.stack([a, b], axis=wrong)


@needs_indexing
def test_indices_on_the_device_that_are_out_of_range_read_what_indexing_reads():
    """Nobody waits for them, so they are no error, and stay within the array."""
    x, places = gpuarray.to_gpu(floats(5)), gpuarray.to_gpu(np.array([0, 7, -1, -9], np.int32))
    wanted = floats(5)[[0, 4, 4, 0]]
    for taken in (gpuarray.take(x, places), x[places], gpuarray.multi_take([x], places)[0]):
        same(taken, wanted)
    np.testing.assert_array_equal(tnp.take(x, places).get(), wanted)
    with pytest.raises(IndexError, match="7"):
        tnp.take(x, places, mode="raise")
