# SPDX-License-Identifier: MIT
"""Arrays for textures from arrays of NumPy and of the device, and textures that read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle._required import required
from treadle.pycuda import _enums
from treadle.pycuda import _native as _driver

# Textures cannot read these numbers. A texture reads several integers, which a kernel joins: format
# and channels of the types in pycuda-helpers.hpp.
BITS_AS_INTEGERS = {
    np.dtype("f8"): (_enums.array_format.SIGNED_INT32, 2),
    np.dtype("c8"): (_enums.array_format.UNSIGNED_INT32, 2),
    np.dtype("c16"): (_enums.array_format.SIGNED_INT32, 4),
}
_FORMATS = {
    np.dtype("u1"): _enums.array_format.UNSIGNED_INT8,
    np.dtype("u2"): _enums.array_format.UNSIGNED_INT16,
    np.dtype("u4"): _enums.array_format.UNSIGNED_INT32,
    np.dtype("i1"): _enums.array_format.SIGNED_INT8,
    np.dtype("i2"): _enums.array_format.SIGNED_INT16,
    np.dtype("i4"): _enums.array_format.SIGNED_INT32,
    np.dtype("f4"): _enums.array_format.FLOAT,
}


def dtype_to_array_format(dtype: Any) -> Any:
    """The array_format of one number: of integers of 8, 16 and 32 bits, and of float32."""
    found = _FORMATS.get(np.dtype(dtype))
    if found is None:
        raise TypeError(f"no array holds elements of {np.dtype(dtype)}")
    return found


def _element(dtype: np.dtype) -> tuple[Any, int]:
    """Format and channels. Double and complex numbers use integers with the same bits."""
    if dtype in BITS_AS_INTEGERS:
        return _enums.array_format.SIGNED_INT32, BITS_AS_INTEGERS[dtype][1]
    return dtype_to_array_format(dtype), 1


def _refuse_order(order: str) -> None:
    if order not in ("C", "F"):
        raise _driver.LogicError(f"order must be either F or C, not {order!r}")


def _in_rows(ary: Any, order: str) -> Any:
    """The array with its slowest axis first, without gaps. x of the texture is the last axis of an
    array in C's order, and the first axis of an array in Fortran's order."""
    view = ary if order == "C" else ary.T
    if view.flags.c_contiguous:
        return view
    if isinstance(view, np.ndarray):
        return np.ascontiguousarray(view)
    return view.copy("C")


def _array(shape: tuple[int, ...], element: tuple[Any, int], flags: int) -> _driver.Array:
    descriptor = _driver.ArrayDescriptor3D()
    descriptor.height, descriptor.width = shape[-2:]
    descriptor.depth = shape[0] if len(shape) == 3 else 0
    descriptor.format, descriptor.num_channels = element
    if flags and len(shape) == 2:
        flags |= _enums.array3d_flags.ARRAY3D_LAYERED
        descriptor.depth = 1
    descriptor.flags = flags
    return _driver.Array(descriptor)


def _fill(array: _driver.Array, rows: Any, row_bytes: int) -> _driver.Array:
    copy = _driver.Memcpy3D()
    if isinstance(rows, np.ndarray):
        copy.set_src_host(rows)
    else:
        copy.set_src_device(rows.gpudata)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = row_bytes
    copy.src_height = copy.height = rows.shape[0] if rows.ndim == 2 else rows.shape[1]
    copy.depth = 1 if rows.ndim == 2 else rows.shape[0]
    copy()
    return array


def _as_array(ary: Any, order: str, is_surface: bool) -> _driver.Array:
    required(ary, "array", "an array of numbers", "ndim", "dtype", "strides")
    if ary.ndim not in (2, 3):
        raise _driver.LogicError(f"an array of 2 or 3 axes is wanted, not of {ary.ndim}")
    _refuse_order(order)
    rows = _in_rows(ary, order)
    flags = _enums.array3d_flags.SURFACE_LDST if is_surface else 0
    array = _array(rows.shape, _element(rows.dtype), flags)
    return _fill(array, rows, rows.shape[-1] * rows.dtype.itemsize)


def np_to_array(nparray: np.ndarray, order: str, allowSurfaceBind: bool = False) -> _driver.Array:
    """A new Array with a copy of an array of 2 or 3 axes. Its x is the last axis in order "C", the
    first in order "F". Double and complex numbers are stored as integers, which fp_tex2D and
    its like read. With `allowSurfaceBind` a surface may be bound to it."""
    return _as_array(np.asarray(nparray), order, allowSurfaceBind)


def gpuarray_to_array(gpuarray: Any, order: str, allowSurfaceBind: bool = False) -> _driver.Array:
    """The same for an array on the device."""
    return _as_array(gpuarray, order, allowSurfaceBind)


def matrix_to_array(
    matrix: np.ndarray, order: str, allow_double_hack: bool = False
) -> _driver.Array:
    """A new Array with a copy of a matrix: x is its last axis in order "C", its first in order "F".
    With `allow_double_hack` doubles are stored as two integers each, which fp_tex2D reads."""
    matrix = np.asarray(matrix)
    if matrix.ndim != 2:
        raise _driver.LogicError(f"a matrix is wanted, not an array of {matrix.ndim} axes")
    order = required(order, "order", "'C' or 'F'", "upper").upper()
    _refuse_order(order)
    if not (allow_double_hack and matrix.dtype == np.float64):
        dtype_to_array_format(matrix.dtype)  # raises
    rows = _in_rows(matrix, order)
    array = _array(rows.shape, _element(rows.dtype), 0)
    return _fill(array, rows, rows.shape[-1] * rows.dtype.itemsize)


def make_multichannel_2d_array(ndarray: np.ndarray, order: str) -> _driver.Array:
    """A new Array of elements of several numbers: from shape (height, width, channels) in order
    "C", (channels, width, height) in order "F"."""
    ndarray = np.asarray(ndarray)
    if ndarray.ndim != 3:
        raise _driver.LogicError(f"an array of 3 axes is wanted, not of {ndarray.ndim}")
    order = required(order, "order", "'C' or 'F'", "upper").upper()
    _refuse_order(order)
    rows = _in_rows(ndarray, order)
    height, width, channels = rows.shape
    array = _array((height, width), (dtype_to_array_format(rows.dtype), channels), 0)
    rows = rows.reshape(height, width * channels)
    return _fill(array, rows, rows.shape[1] * rows.dtype.itemsize)


def bind_array_to_texref(ary: _driver.Array, texref: _driver.TextureReference) -> None:
    """Binds an array, read without interpolation; the edge goes on outside."""
    required(texref, "texref", "a TextureReference", "set_array").set_array(ary)
    texref.set_address_mode(0, _enums.address_mode.CLAMP)
    texref.set_address_mode(1, _enums.address_mode.CLAMP)
    texref.set_filter_mode(_enums.filter_mode.POINT)


def matrix_to_texref(matrix: np.ndarray, texref: _driver.TextureReference, order: str) -> None:
    """Binds a new array with a copy of a matrix."""
    bind_array_to_texref(matrix_to_array(matrix, order), texref)
