# SPDX-License-Identifier: MIT
"""New arrays of the elements of others, in other places."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as _numpy

from treadle._core import DTypeError, InvalidArgument, ShapeError
from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array

from ._creation import asarray, asarrays, written
from ._manipulation import as_list

__all__ = [
    "append",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "pad",
    "repeat",
    "roll",
    "stack",
    "tile",
    "vstack",
]


def _in_dtype(name: str, arrays: Sequence[Any], dtype: Any, casting: str) -> list[Array]:
    """The arrays, cast as `casting` allows where a dtype is given."""
    parts = asarrays(arrays)
    if dtype is None:
        return parts
    for x in parts:
        if not _rules.can_cast(x.dtype, _numpy.dtype(dtype), casting):
            raise DTypeError(f"{name}: {x.dtype} is not cast to dtype={dtype} as {casting}")
    return [x.astype(dtype) for x in parts]


def concatenate(
    arrays: Sequence[Any],
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    """One behind the other along an axis; with None all in one axis."""
    parts = _in_dtype("concatenate", arrays, dtype, casting)
    if axis is None:
        parts, axis = [x.ravel() for x in parts], 0
    return written(_array.concatenate(parts, axis), out)


concat = concatenate


def stack(
    arrays: Sequence[Any],
    axis: int = 0,
    out: Array | None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    """Side by side along an axis that they do not have yet."""
    return written(_array.stack(_in_dtype("stack", arrays, dtype, casting), axis), out)


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """One behind the other along the second axis, or the only one."""
    return _array.hstack(_in_dtype("hstack", tup, dtype, casting))


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Rows one below the other."""
    return _array.vstack(_in_dtype("vstack", tup, dtype, casting))


def dstack(tup: Sequence[Any]) -> Array:
    """One behind the other along the third axis."""
    return _array.dstack(asarrays(tup))


def column_stack(tup: Sequence[Any]) -> Array:
    """Columns side by side."""
    return _array.column_stack(asarrays(tup))


def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """arr and behind it values; with None both in one axis."""
    arr, values = asarrays((arr, values))
    return _array.append(arr, values, axis)


def roll(a: Array, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Array:
    """Elements moved on, those behind the end to the beginning."""
    a = asarray(a)
    shifts = as_list(shift)
    if axis is None and a.ndim != 1:
        return _array.roll(a.ravel(), [sum(shifts)], [0]).reshape(a.shape)
    axes = as_list(0 if axis is None else axis)
    longest = max(len(axes), len(shifts))
    shifts, axes = (v * longest if len(v) == 1 else v for v in (shifts, axes))
    return _array.roll(a, shifts, axes)


def repeat(a: Any, repeats: int | Sequence[int], axis: int | None = None) -> Array:
    """Each element several times: as often for all, or as its own count says."""
    array = asarray(a)
    if not hasattr(repeats, "__iter__"):
        return array.repeat(repeats, axis)
    if axis is None:
        array, axis = array.ravel(), 0
    return _array.repeat_by_counts(array, as_list(repeats), axis)


def tile(A: Any, reps: int | Sequence[int]) -> Array:
    """The whole several times along each axis."""
    return _array.tile(asarray(A), as_list(reps))


def pad(x: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Array:
    """With a border by one of NumPy's modes: "constant" of constant_values=, "edge", "reflect" and
    "symmetric" with reflect_type=, "wrap", "linear_ramp" to end_values=, "maximum", "mean",
    "median" and "minimum" of stat_length=, "empty". Widths and options are a number, a pair
    (before, behind) or one for each axis; pad_width is pairs by axes in a dict, too. A function as
    the mode is called on the host as NumPy does."""
    array = asarray(x)
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * array.ndim
        for axis, pair in pad_width.items():
            pairs[axis] = tuple(_numpy.broadcast_to(pair, 2).tolist())
        pad_width = pairs
    if callable(mode):
        made = _numpy.pad(array.get(), pad_width, mode, **options)
        return asarray(made, device=array.device)
    if mode not in _PAD_OPTIONS:
        raise InvalidArgument(f"pad: mode={mode!r}; it is one of {', '.join(sorted(_PAD_OPTIONS))}")
    if unknown := set(options) - {_PAD_OPTIONS[mode]}:
        raise InvalidArgument(f"pad: mode={mode!r} takes no argument {min(unknown)!r}")
    option = options.get(_PAD_OPTIONS[mode], 0 if mode in ("constant", "linear_ramp") else None)
    widths = _widths("pad_width", pad_width, array)
    if mode in ("constant", "empty"):
        return _bordered(array, widths, 0 if mode == "empty" else option)
    is_odd, lengths, ends = False, [], []
    if mode in ("reflect", "symmetric"):
        if option not in (None, "even", "odd"):
            raise InvalidArgument(f"pad: reflect_type={option!r}; it is 'even' or 'odd'")
        is_odd = option == "odd"
    elif mode == "linear_ramp":
        ends = _pairs("end_values", option, array)
    elif option is not None:
        lengths = _widths("stat_length", option, array)
    return _array.pad_by_mode(array, widths, mode, is_odd, lengths, ends)


_PAD_OPTIONS = {
    **{"constant": "constant_values", "linear_ramp": "end_values"},
    **dict.fromkeys(("reflect", "symmetric"), "reflect_type"),
    **dict.fromkeys(("maximum", "mean", "median", "minimum"), "stat_length"),
    **dict.fromkeys(("edge", "wrap", "empty"), ""),
}


def _pairs(name: str, given: Any, array: Array) -> list[tuple[Any, Any]]:
    try:
        pairs = _numpy.broadcast_to(given, (array.ndim, 2))
    except ValueError:
        raise ShapeError(
            f"pad: {name}={given!r} for {array.ndim} axes; it is a number, a pair, or pairs for all"
        ) from None
    return list(map(tuple, pairs))


def _widths(name: str, given: Any, array: Array) -> list[tuple[int, int]]:
    return [(index(before), index(behind)) for before, behind in _pairs(name, given, array)]


def _bordered(array: Array, widths: list[tuple[int, int]], constant_values: Any) -> Array:
    if isinstance(constant_values, Array) and not constant_values.ndim:
        return _array.pad(array, widths, constant_values)
    numbers = _numpy.asarray(constant_values)  # each is stored as one of NumPy's
    if not numbers.ndim:
        return _array.pad(array, widths, numbers[()])
    return _array.pad_by_pairs(array, widths, _pairs("constant_values", numbers, array))
