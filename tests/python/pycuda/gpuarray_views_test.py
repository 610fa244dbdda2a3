# SPDX-License-Identifier: MIT
"""pycuda.gpuarray: methods and views, compared with NumPy's."""

import sys
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest

import treadle.numpy as tnp

sys.path.insert(0, str(Path(__file__).parent))
from gpuarray_values import floats, same  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")


# --- methods --------------------------------------------------------------------------------------


def test_fill():
    a = gpuarray.empty((3, 4), np.int16)
    assert a.fill(7) is a
    assert a.fill(np.int16(8), stream=cuda.Stream()) is a
    same(a, np.full((3, 4), 8, np.int16))
    with pytest.raises(OverflowError):
        a.fill(2**20)


@pytest.mark.parametrize("dtype", [np.int32, np.float64, np.complex64, np.bool_])
def test_astype(dtype):
    x = floats(3, 4) - 5
    same(gpuarray.to_gpu(x).astype(dtype), x.astype(dtype))
    same(gpuarray.to_gpu(x).astype(dtype, stream=cuda.Stream()), x.astype(dtype))
    a = gpuarray.to_gpu(x)
    assert a.astype(np.float32).ptr != a.ptr


def test_reverse():
    a = gpuarray.to_gpu(floats(7))
    backwards = a.reverse()
    same(backwards, floats(7)[::-1])
    assert backwards.flags.c_contiguous
    same(gpuarray.to_gpu(floats(2, 3)).reverse(), floats(6)[::-1].reshape(2, 3))
    by_columns = gpuarray.to_gpu(np.asfortranarray(floats(2, 3)))
    backwards = by_columns.reverse()
    same(backwards, floats(2, 3)[::-1, ::-1])
    assert backwards.strides == by_columns.strides


def test_parts_of_complex_numbers():
    z = (floats(5) + 1j * floats(5, start=3)).astype(np.complex64)
    a = gpuarray.to_gpu(z)
    same(a.real, z.real)
    same(a.imag, z.imag)
    assert a.real.flags.c_contiguous
    same(a.conj(), z.conj())
    same(a.conjugate(), z.conj())
    out = gpuarray.empty(5, np.complex128)
    assert a.conj(out=out) is out
    same(out, z.conj().astype(np.complex128))
    real = gpuarray.to_gpu(floats(5))
    assert real.real is real
    assert real.conj() is real
    same(real.imag, np.zeros(5, np.float32))


# --- views ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "order"),
    [((12,), "C"), ((4, 3), "C"), ((2, -1), "C"), ((4, 3), "F"), ((-1,), "F"), ((2, 2, 3), "C")],
)
@pytest.mark.parametrize("memory", ["C", "F"])
def test_reshape_follows_numpy(shape, order, memory):
    x = np.array(floats(3, 4), order=memory)
    a = gpuarray.to_gpu(x)
    same(a.reshape(shape, order=order), x.reshape(shape, order=order))
    same(a.reshape(*shape, order=order), x.reshape(shape, order=order))
    same(gpuarray.reshape(a, *shape, order=order), x.reshape(shape, order=order))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("memory", ["C", "F"])
@pytest.mark.parametrize("shape", [(2, 3, 4), (6, 4), (24,), (1, 24)])
def test_reshape_of_what_has_no_gaps_is_contiguous_in_its_order(shape, order, memory):
    a = gpuarray.to_gpu(np.asarray(floats(2, 3, 4), order=memory))
    made = a.reshape(shape, order=order)
    assert getattr(made.flags, f"{order.lower()}_contiguous")
    same(made, floats(2, 3, 4).reshape(shape, order=order))


def test_reshape_gives_views_where_it_can():
    a = gpuarray.to_gpu(floats(3, 4))
    assert a.reshape(3, 4) is a
    flat = a.reshape(12)
    assert flat.base is a
    flat += 1
    same(a, floats(3, 4) + 1)
    same(a.ravel(), floats(12) + 1)
    with pytest.raises(ValueError, match="one unknown dimension"):
        a.reshape(-1, -1)
    with pytest.raises(ValueError, match="unchanged"):
        a.reshape(5, 3)
    with pytest.raises(ValueError, match="unchanged"):
        a.reshape(5, -1)


def test_views_of_another_dtype():
    a = gpuarray.to_gpu(floats(2, 4))
    same(a.view(np.int32), floats(2, 4).view(np.int32))
    same(a.view(np.float64), floats(2, 4).view(np.float64))
    same(a.view(np.uint16), floats(2, 4).view(np.uint16))
    same(a[:, :2].view(np.complex64), floats(2, 4)[:, :2].view(np.complex64))
    for index in (np.s_[:, ::2], np.s_[::-1, 1::2], np.s_[1]):
        same(a[index].view(np.int32), floats(2, 4)[index].view(np.int32))
    same(a.T[::2].view(np.uint32), floats(2, 4).T[::2].view(np.uint32))
    with pytest.raises(ValueError, match="not compatible"):
        gpuarray.to_gpu(floats(3)).view(np.float64)
    with pytest.raises(ValueError):
        gpuarray.to_gpu(np.float32(1).reshape(())).view(np.int32)
    assert a.view().base is a


def test_axes_in_other_orders():
    x = floats(2, 3, 4)
    a = gpuarray.to_gpu(x)
    same(a.T, x.T)
    same(a.transpose(), x.T)
    same(a.transpose((1, 2, 0)), x.transpose(1, 2, 0))
    same(gpuarray.transpose(a, (2, 0, 1)), x.transpose(2, 0, 1))
    same(a[:, ::2].T, x[:, ::2].T)
    assert a.T.base is a
    assert a.T.T.base is a
    with pytest.raises(ValueError, match="axes don't match"):
        a.transpose((0, 1))
    same(gpuarray.to_gpu(x[:1, :, :1]).squeeze(), x[0, :, 0])
    same(gpuarray.zeros((), np.float32).T, np.zeros((), np.float32))
    same(gpuarray.zeros((0, 3), np.float32).T, np.zeros((3, 0), np.float32))


INDICES = [
    np.s_[3],
    np.s_[-1],
    np.s_[1:4],
    np.s_[::2],
    np.s_[::-1],
    np.s_[4:1:-2],
    np.s_[5:3],
    np.s_[2, 1],
    np.s_[2, 1, 0],
    np.s_[:, 1],
    np.s_[..., 1],
    np.s_[..., None],
    np.s_[None, :, 1:],
    np.s_[1, ..., 2],
    np.s_[np.int64(2)],
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indices_follow_numpy(index):
    x = floats(6, 3, 4)
    a = gpuarray.to_gpu(x)
    same(a[index], x[index])
    assert a[index].base is a
    y = x.copy()
    y[index] = 7
    a[index] = 7
    same(a, y)
    value = floats(*np.shape(x[index]), start=100)
    y[index] = value
    a[index] = gpuarray.to_gpu(value)
    same(a, y)
    a[index] = value * 2
    y[index] = value * 2
    same(a, y)


def test_indices_that_are_refused():
    a = gpuarray.to_gpu(floats(3, 4))
    for index in (5, np.s_[0, 9], np.s_[0, 0, 0], "text", 1.5):
        with pytest.raises(IndexError):
            a[index]
    with pytest.raises(ValueError):
        a[0] = floats(7)
    with pytest.raises(TypeError):
        a[0] = "text"


def test_copies_of_views_of_any_strides():
    x = np.arange(5 * 6 * 7 * 4, dtype=np.int32).reshape(5, 6, 7, 4)
    a, b = gpuarray.to_gpu(x), gpuarray.zeros((5, 6, 7, 4), np.int32)
    b[1:4, ::2, 2:6, ::-1] = a[1:4, ::2, 2:6]
    y = np.zeros_like(x)
    y[1:4, ::2, 2:6, ::-1] = x[1:4, ::2, 2:6]
    same(b, y)
    target = np.zeros((3, 6, 7, 4), np.int32)
    gpuarray._memcpy_discontig(target, a[1:4])
    np.testing.assert_array_equal(target, x[1:4])
    gpuarray._memcpy_discontig(b[:3], np.asfortranarray(x[2:]))
    same(b[:3], x[2:])
    gpuarray._memcpy_discontig(b.T, a.T, stream=cuda.Stream())
    same(b, x)
    with pytest.raises(ValueError, match="shape"):
        gpuarray._memcpy_discontig(target, a)


def test_treadle_s_functions_copy_arrays():
    a = gpuarray.to_gpu(floats(3, 4))
    assert a.copy("F").strides == (4, 12)
    same(a.copy("F"), floats(3, 4))
    np.testing.assert_array_equal(tnp.array(a, order="F").get(), floats(3, 4))
    np.testing.assert_array_equal(tnp.clip(a, 2, 5).get(), floats(3, 4).clip(2, 5))
