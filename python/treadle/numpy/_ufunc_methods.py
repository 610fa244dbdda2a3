# SPDX-License-Identifier: MIT
"""What NumPy's ufuncs of two operands have beside a call: accumulate, at, outer, reduce, reduceat.

Those that combine elements are of associative operations: others give results that depend on the
order, and are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as _numpy

from treadle._core import InvalidArgument, NotSupported, ShapeError
from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array

from ._creation import arange, asarray, asarrays, spread
from ._manipulation import as_list, checked_axes

# The reductions that reduce() of a function stands for.
REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
_ASSOCIATIVE = {
    *REDUCTIONS,
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "fmax",
    "fmin",
    "gcd",
    "lcm",
    "logaddexp",
    "logaddexp2",
    "logical_xor",
}


# What changes nothing, where it is not the least or largest number of a dtype.
_NEUTRAL = {
    **{"bitwise_and": -1, "bitwise_or": 0, "bitwise_xor": 0, "gcd": 0},
    **{"logical_xor": False, "logaddexp": -math.inf, "logaddexp2": -math.inf},
}


def _require_associative(name: str, method: str) -> None:
    if name not in _ASSOCIATIVE:
        raise NotSupported(
            f"{name}.{method}: {name} is not associative\n  try: one of "
            f"{', '.join(sorted(_ASSOCIATIVE))}"
        )


def _combined(name: str, x: Any, dtype: Any) -> Array:
    """Elements in the dtype that NumPy combines them in."""
    x = asarray(x)
    if dtype is not None:
        return x.astype(_numpy.dtype(dtype))
    if name in ("add", "multiply") and x.dtype.kind in "biu" and x.dtype.itemsize < 8:
        return x.astype(_numpy.uint64 if x.dtype.kind == "u" else _numpy.int64)
    # Such as logaddexp, of integers in floats, and logical_xor.
    return x.astype(_rules._resolve(name, x, x)[-1], copy=False)


def _accumulate(name: str) -> Callable[..., Array]:
    def accumulate(array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Array:
        """For each element what all up to it along an axis combine to."""
        _require_associative(name, "accumulate")
        x = _combined(name, array, dtype)
        if x.ndim == 0:
            raise ShapeError(f"{name}.accumulate of an array without axes\n  try: atleast_1d(x)")
        return spread(_array.scan(x, name, axis, False, False), out)

    return accumulate


def _reduceat(name: str) -> Callable[..., Array]:
    def reduceat(
        array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Array:
        """What elements from each index to before the next one combine to."""
        _require_associative(name, "reduceat")
        x = _combined(name, array, dtype)
        indices = asarrays((x, indices))[1]
        return spread(_array.reduceat(x, indices, name, axis), out)

    return reduceat


def _at(name: str) -> Callable[..., None]:
    def at(a: Array, indices: Any, b: Any) -> None:
        """Combines a[indices] with b in place, once for each time that a place is named."""
        own = "add" if name == "subtract" else name
        _require_associative(own, "at")
        if not isinstance(a, Array):
            raise TypeError(f"{name}.at() of a {type(a).__name__}, wanted: Array")
        if name == "subtract":
            b = -asarrays((a, b))[1].astype(a.dtype)
        _array.combine_at(a, places_of(a, indices), b, own)

    return at


def places_of(a: Array, indices: Any) -> Array:
    """Where in C's order of a's elements those of a[indices] are."""
    places = arange(a.size, device=a.device).reshape(a.shape)[indices]
    return asarrays((a, places))[1]


def _reduce(name: str, function: Callable[..., Array]) -> Callable[..., Array]:
    # over 6 parameters because they are NumPy's
    def reduce(
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Array:
        """What all elements along axes combine to."""
        _require_associative(name, "reduce")
        x = asarray(array)
        if name in REDUCTIONS:
            options: dict[str, Any] = {"axis": axis, "keepdims": keepdims, "where": where}
            if name in ("add", "multiply"):
                options["dtype"] = dtype
            if initial is not None:
                options["initial"] = initial
            return _array.reduce(REDUCTIONS[name], x, out=out, **options)
        x = _combined(name, x, dtype)
        if where is not True:
            neutral = _NEUTRAL.get(name, initial)
            if neutral is None:
                raise InvalidArgument(f"{name}.reduce with where= starts with no number: initial=")
            x = _array.apply("where", asarrays((x, where))[1], x, neutral)
        axes = None if axis is None else as_list(axis)
        if x.ndim == 0 and axes in ([0], [-1]):
            axes = []  # as NumPy has it
        for one in sorted(checked_axes(axes, x.ndim, f"{name}.reduce"), reverse=True):
            ends = asarrays((x, [0, x.shape[one]]))[1]
            x = _array.segmented_reduce(x, ends, None, name, one)
            if not keepdims:
                x = x.reshape(x.shape[:one] + x.shape[one + 1 :])
        return spread(x if initial is None else function(x, initial), out)

    return reduce


def _outer(name: str, function: Callable[..., Array]) -> Callable[..., Array]:
    def outer(A: Any, B: Any, /, **options: Any) -> Array:
        """The function of each element of A with each of B."""
        A, B = asarrays((A, B))
        return function(A.reshape(A.shape + (1,) * B.ndim), B, **options)

    return outer


def attach(name: str, function: Any) -> None:
    """Gives a function of two operands the methods."""
    methods = {
        "accumulate": _accumulate(name),
        "at": _at(name),
        "outer": _outer(name, function),
        "reduce": _reduce(name, function),
        "reduceat": _reduceat(name),
    }
    for method, own in methods.items():
        own.__qualname__ = f"{name}.{method}"
        setattr(function, method, own)
