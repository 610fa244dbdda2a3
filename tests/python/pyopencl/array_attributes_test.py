# SPDX-License-Identifier: MIT
"""pyopencl.array: shape, dtype and strides that are assigned, as NumPy's arrays take them."""

import numpy as np
import pyopencl.array as cl_array
import pytest

import treadle


@pytest.fixture(params=[False, True], ids=["array", "subclass"])
def a(queue, request):
    values = np.arange(8, dtype=np.int32)
    if not request.param:
        return cl_array.to_device(queue, values)
    made = type("Theirs", (cl_array.Array,), {})(queue, 8, np.int32)
    made[...] = values
    return made


@pytest.mark.parametrize("shape", [(2, 4), [2, -1], 8, (1, 8, 1), np.int64(8)], ids=repr)
def test_shape(a, shape):
    host = np.arange(8, dtype=np.int32)
    memory, events = a.base_data, a.events
    a.shape = host.shape = shape
    assert a.shape == host.shape
    assert a.strides == host.strides
    assert a.ndim == host.ndim
    assert a.flags.c_contiguous
    assert a.base_data is memory
    assert a.events is events
    np.testing.assert_array_equal(a.get(), host)


def test_shapes_that_are_refused(a):
    for shape in ((3, 3), 7, (-1, -1), (-2, 4)):
        with pytest.raises(ValueError, match="shape"):
            a.shape = shape
    with pytest.raises(TypeError):
        a.shape = (2.0, 4)
    part = a[::2]
    part.shape = (2, 2)
    turned = part.T
    with pytest.raises(ValueError, match="reshape a copy"):
        turned.shape = 4
    assert a.shape == (8,)


def test_what_is_written_afterwards_is_seen_by_all_views(a):
    part = a[2:6]
    flags = part.flags
    part.shape = (2, 2)
    assert part.flags is not flags
    assert part.offset == 8
    part += 10
    np.testing.assert_array_equal(a.get(), [0, 1, 12, 13, 14, 15, 6, 7])


def test_shape_of_what_is_not_computed_yet(queue):
    made = cl_array.to_device(queue, np.arange(6, dtype=np.float32)) + 1
    made.shape = (3, 2)
    np.testing.assert_array_equal(made.get(), np.arange(6).reshape(3, 2) + 1)
    assert made.with_queue(None).shape == (3, 2)
    alone = made.with_queue(None)
    alone.shape = 6
    assert (alone.shape, made.shape) == ((6,), (3, 2))


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.complex64, "S2", [("a", "i4", 2)]])
def test_dtype(a, dtype):
    host = np.arange(8, dtype=np.int32).reshape(2, 4)
    a.shape = (2, 4)
    a.dtype = dtype
    expected = host.view(dtype)
    assert (a.dtype, a.shape, a.strides) == (expected.dtype, expected.shape, expected.strides)
    assert a.get().tobytes() == host.tobytes()


def test_dtypes_that_are_refused(a):
    a.shape = (4, 2)
    with pytest.raises(ValueError, match="last axis"):
        a.dtype = np.complex128  # two in memory, but none in a row
    for array in (a.T, a[:, :1].T):
        with pytest.raises(ValueError, match="last axis"):
            array.dtype = np.int16
    number = a[0, 0]
    with pytest.raises(ValueError, match="without axes"):
        number.dtype = np.int64
    number.dtype = np.uint32
    with pytest.raises((TypeError, AssertionError)):
        a.dtype = object
    assert a.dtype == np.int32


def test_another_dtype_is_no_mask(a):
    mask = a > 3
    mask.dtype = np.uint8
    np.testing.assert_array_equal(a[mask].get(), [0, 0, 0, 0, 1, 1, 1, 1])


def test_strides(a):
    part = a[:4]
    part.strides = (8,)
    np.testing.assert_array_equal((1 * part).get(), [0, 2, 4, 6])
    assert not part.flags.forc
    for strides in ((12,), (-4,), (4, 4)):
        with pytest.raises(ValueError, match=r"reaches|strides"):
            part.strides = strides
    with pytest.raises(TypeError):
        part.strides = (4.0,)
    assert part.strides == (8,)


@pytest.mark.parametrize("dtype", ["S4", "U2", "V3", [("id", "i4"), ("name", "S4")]])
def test_text_and_raw_bytes_are_moved(queue, dtype):
    host = np.zeros(5, dtype)
    host.view(np.uint8)[:: host.itemsize] = np.arange(5) + 65
    assert (cl_array.zeros(queue, 5, dtype).get() == np.zeros(5, dtype)).all()
    a = cl_array.to_device(queue, host)
    assert a.dtype == host.dtype
    assert (a.get() == host).all()
    assert (a[1:3].copy().get() == host[1:3]).all()
    with pytest.raises(treadle.DTypeError):
        a + a
