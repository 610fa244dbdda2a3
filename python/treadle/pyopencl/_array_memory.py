# SPDX-License-Identifier: MIT
"""What pyopencl.array.Array is made of: its arguments, how elements lie in memory, and native
arrays in memory that is given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import treadle
from treadle import _face_array
from treadle._contiguity import c_contiguous_strides, f_contiguous_strides
from treadle._core import array as _native
from treadle._core.array import Array as NativeArray
from treadle._error_classes import combined
from treadle.pyopencl import _cl
from treadle.pyopencl._array_places import Place

_POOLS = (_cl.MemoryPool, _cl.ImmediateAllocator, _cl.DeferredAllocator)


def strides_of(shape: Sequence[int], dtype: np.dtype, order: str) -> tuple[int, ...]:
    """Those of memory without gaps in an order. Raises ValueError for what is no order."""
    if 0 in shape and order in tuple("cCfF"):  # as NumPy's strides, which differ from 2.4 on
        return np.empty(shape, dtype, "C" if order in "cC" else "F").strides
    if order in ("c", "C"):
        return c_contiguous_strides(dtype.itemsize, shape)
    if order in ("f", "F"):
        return f_contiguous_strides(dtype.itemsize, shape)
    raise ValueError(f"order={order!r}: an array's is 'C' or 'F'")


def dtype_of(dtype: Any) -> np.dtype:
    """The dtype. Raises an AssertionError, as PyOpenCL, for that of Python's objects."""
    made = np.dtype(dtype)
    if made.kind == "O":
        raise combined(treadle.DTypeError, AssertionError)(
            "arrays on a device have no elements of dtype object"
        )
    return made


def is_pool(allocator: Any) -> bool:
    """Whether memory that it gives is known to nobody else: a pool or an allocator of this package,
    or its allocate()."""
    return type(getattr(allocator, "__self__", allocator)) in _POOLS


def in_memory(
    data: Any, place: Place, offset: int, layout: tuple[np.dtype, Any, Any], is_unshared: bool
) -> NativeArray:
    """A native array in a memory object of OpenCL's."""
    dtype, shape, strides = layout
    steps = [(length - 1) * stride for length, stride in zip(shape, strides, strict=True)]
    low = offset + sum(step for step in steps if step < 0)
    high = offset + sum(step for step in steps if step > 0) + dtype.itemsize
    if low < 0 or high > data.size:
        raise ValueError(
            f"an array of shape {shape} and {dtype} at offset {offset} reaches from byte {low} to "
            f"{high} of memory of {data.size} bytes"
        )
    place_in_memory = place.device, data.int_ptr, offset
    with place.stream:  # work on it uses this stream, so no other has to wait
        return _face_array.adopted(data, place_in_memory, layout, is_unshared)


def new_memory(place: Place, layout: tuple[np.dtype, Any, Any]) -> NativeArray:
    """A native array in memory of its own, with these strides."""
    dtype, shape, strides = layout
    with place.stream:
        dense = _native.empty((math.prod(shape),), dtype, place.device)
    return _native.viewed(dense, dtype, shape, strides)


class _Keeping(np.ndarray):
    memory: Any


def keeping(host: np.ndarray, memory: Any) -> np.ndarray:
    """The host's array, which keeps memory of a device: whoever keeps it keeps both."""
    made = host.view(_Keeping)
    made.memory = memory
    return made
