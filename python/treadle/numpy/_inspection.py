# SPDX-License-Identifier: MIT
"""What this namespace offers, as the array API standard asks for it; and what arrays are to
each other."""

from __future__ import annotations

from typing import Any

import numpy as _numpy

import treadle as _treadle
from treadle._core import array as _array
from treadle._core.array import Array
from treadle._core.device import Device

from ._creation import asarrays
from ._dtypes import isdtype

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "allclose",
    "array_equal",
    "array_equiv",
    "isclose",
    "isfortran",
    "may_share_memory",
    "ndim",
    "shape",
    "shares_memory",
    "size",
]

__array_api_version__ = "2025.12"

_DEFAULTS = {
    "real floating": _numpy.dtype("float64"),
    "complex floating": _numpy.dtype("complex128"),
    "integral": _numpy.dtype("int64"),
    "indexing": _numpy.dtype("int64"),
}
# The standard's; there is float16 beside.
_NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
_NAMES += ["float32", "float64", "complex64", "complex128"]


class _Devices(tuple[Device, ...]):
    """A tuple, as the standard of 2025.12 wants it, to which lists can be added as to the lists of
    standards before: SciPy does."""

    __slots__ = ()

    def __add__(self, others: Any) -> Any:
        return tuple.__add__(self, tuple(others) if isinstance(others, list) else others)


class NamespaceInfo:
    """The array API's inspection of a namespace."""

    def capabilities(self) -> dict[str, Any]:
        """Whether shapes may depend on values, and the most axes an array may have."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Where new arrays are made."""
        return _treadle.current_device()

    def default_dtypes(self, *, device: Device | None = None) -> dict[str, _numpy.dtype]:
        """Of new arrays whose dtype nothing says."""
        return dict(_DEFAULTS)

    def devices(self) -> tuple[Device, ...]:
        """Those of this machine that compute."""
        return _Devices(_treadle.devices())

    def dtypes(
        self, *, device: Device | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, _numpy.dtype]:
        """Those of a kind, by name."""
        dtypes = {name: _numpy.dtype(name) for name in _NAMES}
        if kind is None:
            return dtypes
        return {name: dtype for name, dtype in dtypes.items() if isdtype(dtype, kind)}


def __array_namespace_info__() -> NamespaceInfo:
    """What this namespace offers."""
    return NamespaceInfo()


def ndim(a: Any) -> int:
    """How many axes it has."""
    return _numpy.ndim(a) if not isinstance(a, Array) else a.ndim


def shape(a: Any) -> tuple[int, ...]:
    """The length of each axis."""
    extents = _numpy.shape(a) if not isinstance(a, Array) else a.shape
    if not isinstance(extents, tuple):  # a class has a property of the name
        raise TypeError(f"x is a {type(a).__name__}, wanted: an array or numbers")
    return extents


def size(a: Any, axis: int | None = None) -> int:
    """How many elements it has, or an axis."""
    extents = shape(a)
    return extents[axis] if axis is not None else a.size if isinstance(a, Array) else _numpy.size(a)


def isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    """Of each pair of elements, whether they are equal within a tolerance."""
    a, b = (float(x) if type(x) is int else x for x in (a, b))  # beyond the other's dtype, too
    return _array.isclose(a, b, rtol, atol, equal_nan)


def allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether all pairs of elements are equal within a tolerance. Waits for them."""
    close = isclose(_operand(a), _operand(b), rtol, atol, equal_nan)
    return bool(_array.reduce("all", close))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether two arrays have the same shape and equal elements. Waits for them."""
    a1, a2 = asarrays((a1, a2))
    return _array.array_equal(a1, a2, bool(equal_nan))


def _operand(x: Any) -> Any:
    return _numpy.asarray(x) if isinstance(x, list | tuple) else x


def _seen(x: Any) -> Array | None:
    """What another library made, where that is memory of a device: the host's arrays as bytes, for
    DLPack has not all of NumPy's dtypes."""
    if isinstance(x, Array):
        return x
    if isinstance(x, _numpy.ndarray):
        x = x[..., None].view("u1")
    elif hasattr(x, "__cuda_array_interface__"):
        return _array.foreign(x)
    try:
        return _array.from_dlpack(x, copy=False)
    except (AttributeError, BufferError, TypeError, ValueError):
        return None


def may_share_memory(a: Any, b: Any) -> bool:
    """Whether changing one may change the other, which may be NumPy's array of the CPU device's
    memory. False is certain; true may be said of views that interleave too intricately to tell."""
    if not isinstance(a, Array) and not isinstance(b, Array):
        return _numpy.may_share_memory(a, b)
    one, other = _seen(a), _seen(b)
    return one is not None and other is not None and _array.may_share_memory(one, other)


shares_memory = may_share_memory


def array_equiv(a1: Any, a2: Any) -> bool:
    """Whether two arrays broadcast together and are equal then. Waits."""
    return _array.array_equiv(*asarrays((a1, a2)))


def isfortran(a: Any) -> bool:
    """Whether the elements lie in Fortran's order and not in C's."""
    (x,) = asarrays((a,))
    return _array.is_contiguous(x, "F") and not _array.is_contiguous(x, "C")
