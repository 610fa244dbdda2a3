# SPDX-License-Identifier: MIT
"""Dtypes: what they are, and what becomes of them."""

from __future__ import annotations

from typing import Any

import numpy as _numpy
from numpy import dtype, issubdtype, mintypecode

from treadle._core import DTypeError, InvalidArgument
from treadle._core import rules as _rules
from treadle._core.array import Array
from treadle._core.device import Device
from treadle._required import required

__all__ = [
    "astype",
    "can_cast",
    "common_type",
    "dtype",
    "finfo",
    "iinfo",
    "iscomplexobj",
    "isdtype",
    "isrealobj",
    "issubdtype",
    "min_scalar_type",
    "mintypecode",
    "promote_types",
    "result_type",
]

# The array API's kinds, by NumPy's letters.
_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}

promote_types = _rules.promote_types
result_type = _rules.result_type


def astype(
    x: Array, dtype: Any, /, *, copy: bool = True, device: Device | str | None = None
) -> Array:
    """The elements in another dtype; x itself, with copy=False, where it has that already."""
    if not isinstance(x, Array):
        raise DTypeError(f"astype() of a {type(x).__name__}: asarray(x, dtype) makes an Array")
    moved = x if device is None else x.to_device(device)
    return moved if not copy and x.dtype == _numpy.dtype(dtype) else moved.astype(dtype)


def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    """Whether values may be cast: "no", "equiv", "safe", "same_kind" or "unsafe"."""
    return _rules.can_cast(from_.dtype if isinstance(from_, Array) else from_, to, casting)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether it is of a kind ("integral"), one of several, or equal to another dtype."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if not isinstance(kind, str):
        return _numpy.dtype(dtype) == _numpy.dtype(kind)
    if kind not in _KINDS:
        raise InvalidArgument(f"the kind {kind!r} of dtypes; there is {', '.join(_KINDS)}")
    return _numpy.dtype(dtype).kind in _KINDS[kind]


class FloatLimits:
    """What numpy.finfo tells of a floating dtype; limits are Python's floats, as the array API has
    them, so that they leave dtypes as they are."""

    def __init__(self, dtype: Any) -> None:
        self._numpys = _numpy.finfo(dtype)
        self.bits, self.dtype = int(self._numpys.bits), self._numpys.dtype
        self.eps, self.smallest_normal = float(self._numpys.eps), float(self._numpys.tiny)
        self.max, self.min = float(self._numpys.max), float(self._numpys.min)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._numpys, name)

    def __repr__(self) -> str:
        return repr(self._numpys)


def finfo(type: Any, /) -> FloatLimits:
    """Limits of a floating dtype, or of that of an array."""
    return FloatLimits(type.dtype if isinstance(type, Array) else type)


def iinfo(type: Any, /) -> _numpy.iinfo:
    """Limits of an integer dtype, or of that of an array."""
    return _numpy.iinfo(type.dtype if isinstance(type, Array) else type)


def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is complex."""
    return _numpy.iscomplexobj(_numpy.empty(0, x.dtype) if isinstance(x, Array) else x)


def isrealobj(x: Any) -> bool:
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def common_type(*arrays: Any) -> type[_numpy.inexact]:
    """The floating dtype that all have room in; float64 for integers."""
    given = [required(x, "an argument of common_type()", "an array", "dtype") for x in arrays]
    return _numpy.common_type(*(_numpy.empty(0, x.dtype) for x in given))


def min_scalar_type(a: Any) -> _numpy.dtype:
    """The least dtype that has a number; of an array with axes its own."""
    if isinstance(a, Array):
        return a.dtype if a.ndim else _numpy.min_scalar_type(a.get())
    return _numpy.min_scalar_type(a)
