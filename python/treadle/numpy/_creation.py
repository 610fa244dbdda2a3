# SPDX-License-Identifier: MIT
"""New arrays."""

from __future__ import annotations

from typing import Any

import numpy as _numpy
from numpy import float64, int64

from treadle._core import array as _array
from treadle._core.array import Array
from treadle._core.device import Device
from treadle._core.rules import result_type

__all__ = [
    "arange",
    "array",
    "asarray",
    "asnumpy",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def array(values: Any, dtype: Any = None, *, device: Device | None = None) -> Array:
    """A new array of values of the host, or a copy of an array."""
    if isinstance(values, Array):
        return values.astype(dtype) if dtype is not None else values.copy()
    return _array.array(values, dtype, device)


def asarray(values: Any, dtype: Any = None, *, device: Device | None = None) -> Array:
    """The same, but an array that has the dtype already is returned itself."""
    if isinstance(values, Array) and (dtype is None or values.dtype == _numpy.dtype(dtype)):
        return values
    return array(values, dtype, device=device)


def asnumpy(x: Any) -> _numpy.ndarray:
    """The elements on the host. Blocking."""
    return x.get() if isinstance(x, Array) else _numpy.asarray(x)


def empty(shape: Any, dtype: Any = float64, *, device: Device | None = None) -> Array:
    """Undefined elements."""
    return _array.empty(shape, dtype, device)


def full(shape: Any, fill_value: Any, dtype: Any = None, *, device: Device | None = None) -> Array:
    """Every element the same number; the dtype is the number's, unless it is given."""
    kind = _numpy.asarray(fill_value).dtype if dtype is None else dtype
    return _array.full(shape, fill_value, kind, device)


def zeros(shape: Any, dtype: Any = float64, *, device: Device | None = None) -> Array:
    """Every element 0."""
    return _array.full(shape, 0, dtype, device)


def ones(shape: Any, dtype: Any = float64, *, device: Device | None = None) -> Array:
    """Every element 1."""
    return _array.full(shape, 1, dtype, device)


def empty_like(x: Array, dtype: Any = None) -> Array:
    """Undefined elements, in the shape of x."""
    return _array.empty(x.shape, x.dtype if dtype is None else dtype, x.device)


def full_like(x: Array, fill_value: Any, dtype: Any = None) -> Array:
    """Every element the same number, in the shape of x."""
    return _array.full(x.shape, fill_value, x.dtype if dtype is None else dtype, x.device)


def zeros_like(x: Array, dtype: Any = None) -> Array:
    """Every element 0, in the shape of x."""
    return full_like(x, 0, dtype)


def ones_like(x: Array, dtype: Any = None) -> Array:
    """Every element 1, in the shape of x."""
    return full_like(x, 1, dtype)


def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Device | None = None
) -> Array:
    """start, start + step, ... before stop; from 0 on where only one number is given."""
    if stop is None:
        start, stop = 0, start
    kind = result_type(start, stop, step) if dtype is None else dtype
    if dtype is None and isinstance(kind, _numpy.dtype) and kind.kind == "b":
        kind = int64
    return _array.arange(start, stop, step, kind, device)


def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = float64,
    *,
    device: Device | None = None,
) -> Array:
    """`num` numbers from start to stop, which is the last one unless `endpoint` is false."""
    return _array.linspace(start, stop, num, endpoint, dtype, device)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    k: int = 0,
    dtype: Any = float64,
    *,
    device: Device | None = None,
) -> Array:
    """Ones on a diagonal, k to the right of the main one; zeros elsewhere."""
    return _array.eye(n_rows, n_rows if n_cols is None else n_cols, k, dtype, device)
