# SPDX-License-Identifier: MIT
"""NumPy arrays in host memory of the driver: page-locked, aligned, managed, registered."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

from treadle._required import required
from treadle.pycuda import _native as _driver

Shape = int | Iterable[int]
Order = Literal["C", "F"]


def _shape(shape: Any) -> tuple[int, ...]:
    try:
        return (operator.index(shape),)
    except TypeError:
        pass
    if isinstance(shape, float):
        shape = (shape,)
    try:
        return tuple(operator.index(length) for length in shape)
    except TypeError:
        raise TypeError(
            f"shape must be an integer or integers, not {shape}: where / divides, write //"
        ) from None


def without_objects(dtype: np.dtype) -> np.dtype:
    """The dtype. TypeError for Python objects, which live in no memory of a driver's."""
    if dtype.hasobject:
        raise TypeError(
            f"dtype is {dtype}, whose elements are Python objects; wanted: numbers or records of "
            "numbers, such as numpy.float32"
        )
    return dtype


def _array(allocate: Callable[[int], Any], shape: Any, dtype: Any, order: Order) -> np.ndarray:
    dtype = without_objects(np.dtype(dtype))
    shape = _shape(shape)
    if any(length < 0 for length in shape):
        raise ValueError(f"negative dimensions are not allowed: shape {shape}")
    if order not in ("C", "F"):
        raise _driver.LogicError(f"unrecognized order specifier {order!r}")
    return np.ndarray(shape, dtype, allocate(math.prod(shape) * dtype.itemsize), order=order)


def _order_of(array: np.ndarray) -> Order:
    if array.flags.c_contiguous:
        return "C"
    if array.flags.f_contiguous:
        return "F"
    raise ValueError("could not detect array order")


def _zeroed(array: np.ndarray) -> np.ndarray:
    array.fill(0)
    return array


def pagelocked_empty(
    shape: Shape, dtype: Any, order: Order = "C", mem_flags: int = 0
) -> np.ndarray:
    """An uninitialised array in page-locked memory; `mem_flags` from host_alloc_flags."""
    return _array(lambda n: _driver._pagelocked_allocation(n, mem_flags), shape, dtype, order)


def pagelocked_zeros(
    shape: Shape, dtype: Any, order: Order = "C", mem_flags: int = 0
) -> np.ndarray:
    """A zeroed array in page-locked memory."""
    return _zeroed(pagelocked_empty(shape, dtype, order, mem_flags))


def _like(array: Any) -> tuple[Any, Any, Order]:
    required(array, "array", "an array", "shape", "dtype", "flags")
    return array.shape, array.dtype, _order_of(array)


def pagelocked_empty_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """An uninitialised page-locked array of another's shape, dtype and order."""
    return pagelocked_empty(*_like(array), mem_flags)


def pagelocked_zeros_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """A zeroed page-locked array of another's shape, dtype and order."""
    return _zeroed(pagelocked_empty_like(array, mem_flags))


def aligned_empty(
    shape: Shape, dtype: Any, order: Order = "C", alignment: int = 4096
) -> np.ndarray:
    """An uninitialised array whose address is a multiple of `alignment`."""
    return _array(lambda n: _driver._aligned_allocation(n, alignment), shape, dtype, order)


def aligned_zeros(
    shape: Shape, dtype: Any, order: Order = "C", alignment: int = 4096
) -> np.ndarray:
    """A zeroed array whose address is a multiple of `alignment`."""
    return _zeroed(aligned_empty(shape, dtype, order, alignment))


def aligned_empty_like(array: np.ndarray, alignment: int = 4096) -> np.ndarray:
    """An uninitialised aligned array of another's shape, dtype and order."""
    return aligned_empty(*_like(array), alignment)


def aligned_zeros_like(array: np.ndarray, alignment: int = 4096) -> np.ndarray:
    """A zeroed aligned array of another's shape, dtype and order."""
    return _zeroed(aligned_empty_like(array, alignment))


def managed_empty(shape: Shape, dtype: Any, order: Order = "C", mem_flags: int = 0) -> np.ndarray:
    """An uninitialised array that host and device share; `mem_flags` from mem_attach_flags."""
    return _array(lambda n: _driver._managed_allocation(n, mem_flags), shape, dtype, order)


def managed_zeros(shape: Shape, dtype: Any, order: Order = "C", mem_flags: int = 0) -> np.ndarray:
    """A zeroed array that host and device share."""
    return _zeroed(managed_empty(shape, dtype, order, mem_flags))


def managed_empty_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """An uninitialised managed array of another's shape, dtype and order."""
    return managed_empty(*_like(array), mem_flags)


def managed_zeros_like(array: np.ndarray, mem_flags: int = 0) -> np.ndarray:
    """A zeroed managed array of another's shape, dtype and order."""
    return _zeroed(managed_empty_like(array, mem_flags))


def register_host_memory(ary: np.ndarray, flags: int = 0) -> np.ndarray:
    """A view of `ary` whose memory is page-locked while the view lives."""
    if not isinstance(ary, np.ndarray):
        raise _driver.LogicError(
            "register_host_memory failed: invalid argument - "
            f"an ndarray is wanted, not {type(ary).__name__}"
        )
    if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
        raise _driver.LogicError(
            "register_host_memory failed: invalid argument - the array is not contiguous"
        )
    memory: Any = _driver._register_array(ary, flags)  # a buffer; the stub cannot declare that
    return np.ndarray(ary.shape, ary.dtype, memory, strides=ary.strides)
