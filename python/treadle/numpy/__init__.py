# SPDX-License-Identifier: MIT
"""NumPy's names for arrays on a device.

    import treadle.numpy as tnp

    x = tnp.linspace(0, 1, 1000)
    y = 5 * x + 6 * tnp.sin(x)      # one kernel, when y is looked at
    print(y)

Functions take arrays, NumPy's numbers, and Python's, which take on the dtype of arrays they meet.
They return at once: shape and dtype are known, and are refused where they do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as _numpy
from numpy import (
    bool_,
    complex64,
    complex128,
    e,
    euler_gamma,
    float16,
    float32,
    float64,
    inf,
    int8,
    int16,
    int32,
    int64,
    nan,
    newaxis,
    pi,
    uint8,
    uint16,
    uint32,
    uint64,
)

from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array, evaluate
from treadle._core.device import Device
from treadle._core.rules import can_cast, promote_types, result_type

ndarray = Array


# --- creation


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


# --- manipulation


def reshape(x: Array, shape: int | Sequence[int]) -> Array:
    """The same elements in C's order under another shape: a view, or a copy where it takes one."""
    return x.reshape(shape)


def ravel(x: Array) -> Array:
    """One axis: a view, or a copy."""
    return x.ravel()


def squeeze(x: Array) -> Array:
    """A view without axes of length 1."""
    return x.squeeze()


def transpose(x: Array, axes: Sequence[int] | None = None) -> Array:
    """A view with its axes in another order; in reverse by default."""
    return x.transpose() if axes is None else x.transpose(axes)


permute_dims = transpose


def astype(x: Array, dtype: Any) -> Array:
    """The elements in another dtype, as a new array."""
    return x.astype(dtype)


def clip(x: Any, min: Any = None, max: Any = None, *, out: Array | None = None) -> Array:
    """Elements below min become min, above max max."""
    result = x if min is None else _array.apply("maximum", x, min)
    result = result if max is None else _array.apply("minimum", result, max)
    if out is None:
        return result if result is not x else x.copy()
    out[...] = result
    return out


# --- operations on elements: one function for each, by its name


def _function(name: str, arity: int) -> Callable[..., Array]:
    def function(*operands: Any, out: Array | None = None) -> Array:
        return _array.apply(name, *operands, out=out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"numpy.{name}() of arrays and numbers on a device, element by element.\n\n"
        f"Takes {arity} operand{'s' if arity > 1 else ''}, which are broadcast. `out` receives the "
        "result, cast as `same_kind` allows; it is refused where shape or dtype do not fit."
    )
    return function


_OPERATIONS = {name: _function(name, arity) for name, arity in _rules._operations()}
globals().update(_OPERATIONS)

# The array API's names for the same.
_ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "pow": "power",
    "round": "rint",
    "true_divide": "divide",
    "mod": "remainder",
}
globals().update({alias: _OPERATIONS[name] for alias, name in _ALIASES.items()})


def __getattr__(name: str) -> Callable[..., Array]:
    """For type checkers, which do not see the functions above."""
    raise AttributeError(f"module 'treadle.numpy' has no attribute {name!r}")


__all__ = [
    "Array",
    "arange",
    "array",
    "asarray",
    "asnumpy",
    "astype",
    "bool_",
    "can_cast",
    "clip",
    "complex128",
    "complex64",
    "e",
    "empty",
    "empty_like",
    "euler_gamma",
    "evaluate",
    "eye",
    "float16",
    "float32",
    "float64",
    "full",
    "full_like",
    "inf",
    "int16",
    "int32",
    "int64",
    "int8",
    "linspace",
    "nan",
    "ndarray",
    "newaxis",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "promote_types",
    "ravel",
    "reshape",
    "result_type",
    "squeeze",
    "transpose",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "zeros",
    "zeros_like",
    *_OPERATIONS,
    *_ALIASES,
]
