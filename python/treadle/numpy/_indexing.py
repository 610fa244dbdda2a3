# SPDX-License-Identifier: MIT
"""Elements chosen by indices.

Indices of the host (lists, NumPy's arrays) are checked before anything runs: IndexError. Those on
the device are not looked at, since that would wait for them: negative ones count from the end, one
beyond its axis reads some element of the axis and writes none. mode="raise" looks and waits. Where
a place is written twice one of its values is there afterwards, and nobody knows which.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as _numpy

from treadle._core import DTypeError, IndexError, InvalidArgument, ShapeError
from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array
from treadle._required import required

from ._creation import asarray, of_lists, require_target, written

__all__ = [
    "choose",
    "copyto",
    "fill_diagonal",
    "put",
    "put_along_axis",
    "select",
    "take",
    "take_along_axis",
]


def _checked(indices: Any, length: int, mode: str | None) -> tuple[Any, str | None]:
    """The indices, looked at where that was asked for, and the mode for all that is left."""
    if mode == "raise" and isinstance(indices, Array):
        host = indices.get()
        wrong = host[(host < -length) | (host >= length)]
        if wrong.size:
            raise IndexError(f"index {wrong.flat[0]} is out of bounds for {length} elements")
    return indices, None if mode == "raise" else mode


def take(
    a: Any,
    indices: Any,
    axis: int | None = None,
    out: Array | None = None,
    mode: str | None = None,
) -> Array:
    """Parts of a at indices along an axis, or elements in C's order of all.

    The result waits until somebody looks: take(x, i) * 2 is one kernel. mode is None (host indices
    are checked), "raise" (all are), "wrap" (counted on from the other end) or "clip".
    """
    array = asarray(a)
    if axis is not None:
        array = array.reshape(1) if array.ndim == 0 else array  # as NumPy has it
        axis = _array.checked_axis(index(axis), array.ndim, "take")
    length = array.size if axis is None else array.shape[axis]
    indices, mode = _checked(indices, length, mode)
    return written(array.take(indices, axis, mode=mode), out)


def put(a: Array, ind: Any, v: Any, mode: str | None = None) -> None:
    """Sets elements at indices in C's order; values start again where they are fewer."""
    ind, mode = _checked(ind, require_target("put", a).size, mode)
    a.put(ind, v, mode)


def take_along_axis(arr: Array, indices: Any, axis: int | None = -1) -> Array:
    """For each index the element there along an axis, beside it along all others."""
    if axis is None:
        arr, axis = required(arr, "x", "an Array", "ravel").ravel(), 0
    return _array.take_along_axis(arr, indices, axis)


def put_along_axis(arr: Array, indices: Any, values: Any, axis: int) -> None:
    """Sets those elements."""
    _array.put_along_axis(arr, indices, values, axis)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """Of each element the choice whose condition is the first that holds."""
    place = next((x.device for x in [*condlist, *choicelist] if isinstance(x, Array)), None)
    masks = [asarray(x, device=None if isinstance(x, Array) else place) for x in condlist]
    return _array.select(masks, of_lists(choicelist), default)


def choose(
    a: Any, choices: Sequence[Any], out: Array | None = None, mode: str | None = None
) -> Array:
    """Of each element that of the choice whose number a says. mode is None or "clip" (below 0 and
    beyond, the first and the last), "wrap" (counted on from the other end) or "raise", which looks
    and waits."""
    a, *choices = of_lists([a, *choices])
    a = asarray(a)
    if not _rules.can_cast(a.dtype, _numpy.int64, "safe"):
        raise DTypeError(f"choose: a is {a.dtype}; which of the choices is an integer")
    shape = _numpy.broadcast_shapes(a.shape, *map(_numpy.shape, choices))
    looks = mode == "raise" and 0 not in shape
    if looks and not 0 <= int(a.min()) <= int(a.max()) < len(choices):
        raise InvalidArgument(f"choose: a number beyond the {len(choices)} choices")
    if mode not in (None, "clip", "raise", "wrap"):
        raise InvalidArgument(f"choose: mode={mode!r}; it is 'clip', 'wrap' or 'raise'")
    return written(_array.choose(a % len(choices) if mode == "wrap" else a, choices), out)


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """dst[...] = src, where the mask `where` is True. DTypeError unless `casting` allows it."""
    is_truth = type(src) is int and require_target("copyto", dst).dtype == bool
    if is_truth and not -(2**63) <= src < 2**63:
        raise OverflowError(f"copyto: {src} has more than 63 bits")
    if not _is_storable(src, require_target("copyto", dst).dtype, casting):
        given = getattr(src, "dtype", type(src).__name__)
        raise DTypeError(f"copyto: {given} is not cast to {dst.dtype} as casting={casting!r}")
    is_whole = isinstance(src, complex | list | tuple) and casting == "unsafe"
    if is_whole or isinstance(src, _numpy.generic):
        src = _numpy.asarray(src)  # whose elements are cast, whatever they are
    if where is True:
        if src is not dst or not dst.ndim:  # NumPy lets a read-only one be copied onto itself
            dst[...] = src
    else:
        mask = asarray(where, device=None if isinstance(where, Array) else dst.device)
        _array.assign_where(dst, mask, src)


def _is_storable(value: Any, dtype: _numpy.dtype, casting: str) -> bool:
    """Python's numbers are of every dtype that has such numbers, whatever its precision."""
    if casting == "unsafe":
        return True
    if not isinstance(value, Array | _numpy.ndarray | _numpy.generic):
        if type(value) in _ORDER_OF_KINDS:
            found = _ORDER_OF_KINDS[type(value)]
            return found <= _ORDER_OF_KINDS[_numpy.dtype(dtype).kind]
        value = _numpy.asarray(value)
        if value.dtype.kind not in _ORDER_OF_KINDS:
            return False
    return _rules.can_cast(value.dtype, dtype, casting)


_ORDER_OF_KINDS: dict[Any, int] = {
    **{bool: 0, int: 1, float: 2, complex: 3},
    **{"b": 0, "i": 1, "u": 1, "f": 2, "c": 3, "V": -1},
}


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    """Assigns to the diagonal of a matrix, or of an array of equal axes; several values start again
    where they are fewer. wrap: in a matrix of more rows, to further diagonals below the first."""
    target = require_target("fill_diagonal", a)
    lengths = target.shape
    if len(lengths) < 2 or (len(lengths) > 2 and len(set(lengths)) > 1):
        raise ShapeError(f"fill_diagonal() of shape {lengths}: two axes, or more of one length")
    if len(lengths) == 2 and _numpy.ndim(val) == 0 and not wrap:
        return _array.fill_diagonal(target, val)
    step = sum(int(_numpy.prod(lengths[axis + 1 :])) for axis in range(len(lengths)))
    end = target.size if wrap or len(lengths) > 2 else min(target.size, lengths[1] ** 2)
    target.flat[0:end:step] = val
