# SPDX-License-Identifier: MIT
"""pycuda.gpuarray: arrays as PyCUDA's programs make, read and subclass them."""

import copy
import gc
import pickle
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import GPUArray

import treadle.numpy as tnp
from treadle._core.array import Array

sys.path.insert(0, str(Path(__file__).parent))
from gpuarray_values import floats, same  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")

REALS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
NUMBERS = [*REALS, np.float32, np.float64, np.complex64, np.complex128]


# --- making and reading ---------------------------------------------------------------------------


def test_empty_is_the_class():
    assert gpuarray.empty is GPUArray
    a = gpuarray.empty((3, 4), np.float32)
    assert isinstance(a, Array)
    assert (a.shape, a.dtype, a.size, a.mem_size, a.ndim) == ((3, 4), np.float32, 12, 12, 2)
    assert (a.nbytes, a.itemsize, a.strides) == (48, 4, (16, 4))
    assert a.allocator is cuda.mem_alloc
    assert a.base is None
    assert type(a).__module__ == "pycuda.gpuarray"


@pytest.mark.parametrize(
    ("shape", "expected"),
    [(3, (3,)), (np.int64(3), (3,)), ([2, 3], (2, 3)), (np.array([2, 3]), (2, 3)), ((), ())],
)
def test_shapes_are_lengths_of_any_kind(shape, expected):
    a = gpuarray.zeros(shape, np.float32)
    assert a.shape == expected
    assert all(type(length) is int for length in a.shape)


def test_orders_and_strides():
    fortran = GPUArray((2, 3), np.float64, order="F")
    assert fortran.strides == (8, 16)
    assert fortran.flags.f_contiguous
    assert not fortran.flags.c_contiguous
    given = GPUArray((2, 3), np.float32, strides=(4, 8))
    given.set(floats(2, 3))
    np.testing.assert_array_equal(given.get(), floats(2, 3))
    wide = GPUArray((2, 3), np.float32, strides=(32, 4))
    wide.fill(3)
    assert not wide.flags.forc
    np.testing.assert_array_equal(wide.get(), np.full((2, 3), 3, np.float32))


@pytest.mark.parametrize("dtype", [np.bool_, np.float16, *NUMBERS])
def test_to_the_device_and_back(dtype):
    values = np.arange(24).reshape(2, 3, 4).astype(dtype)
    same(gpuarray.to_gpu(values), values)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        np.asfortranarray,
        lambda x: x.T,
        lambda x: x.transpose(1, 2, 0),
        lambda x: x[::2, :, 1:3],
        lambda x: x[::-1],
        lambda x: x[:, :1],
        lambda x: x[:, :0],
        lambda x: x[1, 1, 1],
    ],
)
def test_the_order_of_axes_stays(view):
    values = view(np.arange(4 * 3 * 5, dtype=np.float32).reshape(4, 3, 5))
    a = gpuarray.to_gpu(np.asarray(values))
    same(a, values)
    assert a.flags.forc or values.ndim == 3
    order = np.argsort([-abs(stride) for stride in np.asarray(values).strides], kind="stable")
    if values.size > 1 and min(values.shape) > 1:
        assert list(np.argsort([-s for s in a.strides], kind="stable")) == list(order)
        assert a.get().strides == a.strides


def test_gets_into_arrays_that_exist():
    a = gpuarray.to_gpu(floats(3, 4))
    for target in (np.empty((3, 4), np.float32), np.empty((3, 4), np.float32, order="F")):
        assert a.get(target) is target
        np.testing.assert_array_equal(target, floats(3, 4))
    wide = np.zeros((3, 8), np.float32)
    a.get(wide[:, ::2])
    np.testing.assert_array_equal(wide[:, ::2], floats(3, 4))
    assert not wide[:, 1::2].any()
    flat = np.empty(12, np.float32)
    with pytest.warns(DeprecationWarning, match=r"shape \(3, 4\) into one of shape \(12,\)"):
        a.get(flat)
    np.testing.assert_array_equal(flat, floats(12))
    with pytest.raises(ValueError, match="12 elements"):
        a.get(np.empty(5, np.float32))
    with pytest.raises(TypeError, match="float32 is copied into one of float64"):
        a.get(np.empty((3, 4)))


def test_sets_from_arrays_of_the_host_and_the_device():
    a = gpuarray.zeros((3, 4), np.float32)
    a.set(floats(3, 4))
    same(a, floats(3, 4))
    a.set(np.asfortranarray(floats(3, 4, start=5)))
    same(a, floats(3, 4, start=5))
    a.set(gpuarray.to_gpu(np.asfortranarray(floats(3, 4))))
    same(a, floats(3, 4))
    with pytest.warns(UserWarning, match="shape"):
        a.set(floats(12, start=1))
    same(a, floats(3, 4, start=1))
    with pytest.raises(ValueError, match="5 elements"):
        a.set(floats(5))
    with pytest.raises(ValueError, match="float64"):
        a.set(np.zeros((3, 4)))


def test_transfers_on_streams():
    stream = cuda.Stream()
    pinned = cuda.pagelocked_empty((100, 10), np.float32)
    pinned[...] = floats(100, 10)
    a = gpuarray.to_gpu_async(pinned, stream=stream)
    doubled = cuda.pagelocked_empty_like(pinned)
    b = a + a
    assert b.get_async(stream, doubled) is doubled
    stream.synchronize()
    np.testing.assert_array_equal(doubled, 2 * floats(100, 10))
    a.set_async(floats(100, 10, start=1), stream=stream)
    result = a.get_async(stream)
    stream.synchronize()
    np.testing.assert_array_equal(result, floats(100, 10, start=1))
    assert isinstance(a.get(pagelocked=True).base.base, cuda.PagelockedHostAllocation)


def test_arrays_outlive_the_streams_they_were_made_on():
    a = gpuarray.to_gpu_async(floats(10), stream=cuda.Stream())
    b = a.astype(np.float64, stream=cuda.Stream())
    gc.collect()
    same(a + 1, floats(10) + 1)
    same(b, floats(10).astype(np.float64))


def test_copies():
    a = gpuarray.to_gpu(np.asfortranarray(floats(3, 4)))
    b = a.copy()
    a.fill(0)
    same(b, floats(3, 4))
    assert b.strides == (4, 12)
    strided = gpuarray.to_gpu(floats(4, 6))[:, ::2].copy()
    same(strided, floats(4, 6)[:, ::2])
    assert strided.flags.c_contiguous


def test_pickling_and_copying():
    a = gpuarray.to_gpu(floats(3, 4))
    for twin in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        same(twin, floats(3, 4))
        assert twin.ptr != a.ptr


def test_text_length_truth_and_iteration():
    values = floats(2, 3)
    a = gpuarray.to_gpu(values)
    assert str(a) == str(values)
    assert repr(a) == repr(values)
    assert len(a) == 2
    assert [row.get().tolist() for row in a] == values.tolist()
    assert bool(gpuarray.to_gpu(np.array([2.0])))
    assert not gpuarray.to_gpu(np.array(0))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a)
    with pytest.raises(ValueError):
        bool(gpuarray.zeros(0, np.float32))
    with pytest.raises(TypeError):
        len(gpuarray.zeros((), np.float32))
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)


@pytest.mark.parametrize("make", [gpuarray.zeros, gpuarray.ones])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.float32, np.complex64])
def test_arrays_of_one_value(make, order, dtype):
    a = make((3, 4), dtype, order=order)
    same(a, getattr(np, make.__name__)((3, 4), dtype))
    assert a.flags.f_contiguous == (order == "F")
    assert make(3).dtype == np.float64


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("made", [gpuarray.empty_like, gpuarray.zeros_like, gpuarray.ones_like])
def test_arrays_like_others(order, made):
    host = np.asfortranarray(floats(3, 4))
    a = made(gpuarray.to_gpu(host), order=order)
    theirs = np.ones_like(host, order=order)
    assert a.strides == theirs.strides
    if made is not gpuarray.empty_like:
        same(a, theirs if made is gpuarray.ones_like else theirs * 0)
    assert made(a, np.int16).dtype == np.int16
    with pytest.raises(ValueError, match="Unsupported order"):
        made(a, order="Z")


def test_arrays_like_views_are_dense():
    view = gpuarray.to_gpu(floats(6, 8))[::2, ::2]
    for made in (gpuarray.zeros_like(view), gpuarray.ones_like(view), view.copy()):
        assert made.flags.c_contiguous
    same(gpuarray.ones_like(view), np.ones((3, 4), np.float32))


@pytest.mark.parametrize(
    ("args", "kwargs", "expected"),
    [
        ((10,), {"dtype": np.float32}, np.arange(10, dtype=np.float32)),
        ((2, 10), {"dtype": np.int32}, np.arange(2, 10, dtype=np.int32)),
        ((2, 10, 3, np.dtype(np.float64)), {}, np.arange(2, 10, 3, np.float64)),
        ((2, 10, 3, np.int64), {}, np.arange(2, 10, 3, np.int64)),
        ((10, 2, -3), {"dtype": np.float32}, np.arange(10, 2, -3, np.float32)),
        ((0,), {"dtype": np.float32}, np.arange(0, dtype=np.float32)),
        ((5, 2), {"dtype": np.float32}, np.arange(5, 2, dtype=np.float32)),
        ((), {"start": 1, "stop": 4, "dtype": np.int16}, np.arange(1, 4, dtype=np.int16)),
        ((0, 1, 0.1), {"dtype": np.float32}, np.arange(0, 1, 0.1).astype(np.float32)),
    ],
)
def test_arange(args, kwargs, expected):
    same(gpuarray.arange(*args, **kwargs), expected)


def test_arange_guesses_and_refuses():
    with pytest.warns(UserWarning, match="int64"):
        same(gpuarray.arange(5), np.arange(5))
    with pytest.raises(ValueError, match="order_of"):
        gpuarray.arange(5, order_of=3)
    with pytest.raises(ValueError, match="'stop'"):
        gpuarray.arange(5, stop=3)
    with pytest.raises(TypeError, match="stop"):
        gpuarray.arange(start=3)
    large = gpuarray.arange(2**24 + 8, dtype=np.float32)
    np.testing.assert_array_equal(large[-8:].get(), np.arange(2**24, 2**24 + 8).astype(np.float32))


# --- no elements ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
def test_arrays_without_elements(shape):
    x = np.zeros(shape, np.float32)
    a = gpuarray.to_gpu(x)
    same(a, x)
    same(a + 1, x)
    same(a < a, x)
    same(a.copy(), x)
    same(a.fill(3), x)
    same(a.T, x.T)
    same(a.reshape(-1), x.reshape(-1))
    same(a.astype(np.int32), x.astype(np.int32))
    same(a[::2], x[::2])
    a += 1
    a[...] = 5
    assert list(a) == [] or shape[0]
    assert gpuarray.zeros(shape, np.float32).flags.forc


# --- subclasses -----------------------------------------------------------------------------------


class Labelled(GPUArray):
    """A subclass with a constructor of its own."""

    made = 0

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        Labelled.made += 1
        self.label = "new"


def test_results_of_subclasses_are_made_by_their_constructor():
    a = Labelled((4,), np.float32)
    a.set(floats(4))
    made = Labelled.made
    b = a + 1
    assert type(b) is Labelled
    assert b.label == "new"
    assert Labelled.made == made + 1
    np.testing.assert_array_equal(b.get(), floats(4) + 1)
    c = gpuarray.to_gpu(floats(4)) + a
    assert type(c) is GPUArray
    assert type(a[1:]) is GPUArray
    assert type(a._new_like_me(np.float64)) is Labelled
    a += 1
    assert a.label == "new"


class Placed(GPUArray):
    """A subclass that keeps numbers of its own where PyCUDA has them, and gets memory later."""

    def __init__(self, shape, dtype, gpudata=None, nbytes=None, **keywords):
        super().__init__(shape, dtype, gpudata=gpudata, **keywords)
        self.nbytes = nbytes


@pytest.mark.parametrize("strides", [None, (4,)])
def test_memory_may_be_given_later(strides):
    a = Placed((4,), np.float32, gpudata=0, nbytes=64, strides=strides)
    assert a.nbytes == 64
    memory = cuda.mem_alloc(16)
    cuda.memcpy_htod(memory, floats(4))
    a.gpudata = memory
    same(a, floats(4))
    assert gpuarray.to_gpu(floats(4)).nbytes == 16
    nothing = GPUArray((4,), np.float32, allocator=lambda size: 0)
    nothing.gpudata = memory
    same(nothing, floats(4))


@pytest.mark.parametrize("dtype", ["S4", "U2", [("id", "i4"), ("name", "S4")]])
def test_text_is_moved(dtype):
    host = np.zeros(3, dtype)
    same(gpuarray.zeros(3, dtype), host)
    same(gpuarray.zeros_like(gpuarray.to_gpu(host)), host)
    host.view(np.uint8)[:: host.itemsize] = np.arange(3) + 65
    same(gpuarray.to_gpu(host), host)
    same(gpuarray.to_gpu(host)[1:].copy(), host[1:])


def test_arrays_are_iterated_but_are_no_collections():
    """Programs tell arrays from lists of arrays by it."""
    for kind in (GPUArray, Placed):
        a = kind((3, 2), np.float32)
        a.fill(1)
        assert not isinstance(a, Iterable)
        assert [row.shape for row in a] == [(2,)] * 3
    with pytest.raises(TypeError, match="without axes"):
        iter(gpuarray.to_gpu(np.float32(1)))

    with pytest.raises(TypeError, match="without axes"):
        iter(GPUArray.__new__(GPUArray))  # not made yet

    class Rows(GPUArray):
        def __iter__(self):
            return iter("rows")

    assert list(Rows((3, 2), np.float32)) == list("rows")


# --- records -------------------------------------------------------------------------------------

needs_records = pytest.mark.skipif(
    not hasattr(tnp, "take"), reason="arrays of records come with indexing"
)


@needs_records
def test_arrays_of_records():
    pair = np.dtype([("a", np.int32), ("b", np.float32)])
    x = np.array([(1, 2), (3, 4), (5, 6)], pair)
    a = gpuarray.to_gpu(x)
    same(a, x)
    same(a[::-1], x[::-1])
    same(a.copy(), x)
    a[1] = np.array((7, 8), pair)
    x[1] = (7, 8)
    same(a, x)
    same(a.fill(np.array((9, 9), pair)), np.full(3, np.array((9, 9), pair)))
    same(gpuarray.zeros(3, pair), np.zeros(3, pair))
    same(gpuarray.zeros_like(a), np.zeros(3, pair))


@needs_records
def test_short_vectors():
    vec = gpuarray.vec
    a = gpuarray.zeros(4, vec.float3)
    a[2] = vec.make_float3(1, 2, 3)
    assert a.get()[2].tolist() == (1, 2, 3)
    kernel = ElementwiseKernel("float3 *x, float3 by", "x[i].y += by.z")
    kernel(a, vec.make_float3(0, 0, 7))
    assert a.get()["y"].tolist() == [7, 7, 9, 7]
