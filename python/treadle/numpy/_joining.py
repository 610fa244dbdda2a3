# SPDX-License-Identifier: MIT
"""New arrays of the elements of others, in other places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as _numpy

from treadle._core import DTypeError, NotSupported
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


def concatenate(
    arrays: Sequence[Any],
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    """One behind the other along an axis; with None all in one axis."""
    parts = asarrays(arrays)
    if dtype is not None:
        for x in parts:
            if not _rules.can_cast(x.dtype, _numpy.dtype(dtype), casting):
                raise DTypeError(
                    f"concatenate: {x.dtype} is not cast to dtype={dtype} as {casting}"
                )
        parts = [x.astype(dtype) for x in parts]
    if axis is None:
        parts, axis = [x.ravel() for x in parts], 0
    return written(_array.concatenate(parts, axis), out)


concat = concatenate


def stack(arrays: Sequence[Any], axis: int = 0, out: Array | None = None) -> Array:
    """Side by side along an axis that they do not have yet."""
    return written(_array.stack(asarrays(arrays), axis), out)


def hstack(arrays: Sequence[Any]) -> Array:
    """One behind the other along the second axis, or the only one."""
    return _array.hstack(asarrays(arrays))


def vstack(arrays: Sequence[Any]) -> Array:
    """Rows one below the other."""
    return _array.vstack(asarrays(arrays))


def dstack(arrays: Sequence[Any]) -> Array:
    """One behind the other along the third axis."""
    return _array.dstack(asarrays(arrays))


def column_stack(arrays: Sequence[Any]) -> Array:
    """Columns side by side."""
    return _array.column_stack(asarrays(arrays))


def append(x: Any, values: Any, axis: int | None = None) -> Array:
    """x and behind it values; with None both in one axis."""
    x, values = asarrays((x, values))
    return _array.append(x, values, axis)


def roll(x: Array, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Array:
    """Elements moved on, those behind the end to the beginning."""
    x = asarray(x)
    shifts = as_list(shift)
    if axis is None:
        flat = x.ravel()
        return _array.roll(flat, [sum(shifts)], [0]).reshape(x.shape)
    axes = as_list(axis)
    longest = max(len(axes), len(shifts))
    shifts, axes = (v * longest if len(v) == 1 else v for v in (shifts, axes))
    return _array.roll(x, shifts, axes)


def repeat(x: Any, repeats: int | Sequence[int], axis: int | None = None) -> Array:
    """Each element several times: as often for all, or as its own count says."""
    array = asarray(x)
    if not hasattr(repeats, "__iter__"):
        return array.repeat(repeats, axis)
    if axis is None:
        array, axis = array.ravel(), 0
    return _array.repeat_by_counts(array, as_list(repeats), axis)


def tile(x: Any, repetitions: int | Sequence[int]) -> Array:
    """The whole several times along each axis."""
    return _array.tile(asarray(x), as_list(repetitions))


def pad(x: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Array:
    """With a border of one number, or of a pair (before, behind) for each axis, or for all;
    pad_width is such pairs, too."""
    if mode != "constant":
        raise NotSupported(f"pad: mode is 'constant', not {mode!r}")
    array = asarray(x)
    widths = _numpy.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    if isinstance(constant_values, Array) and not constant_values.ndim:
        return _array.pad(array, widths, constant_values)
    numbers = _numpy.asarray(constant_values)  # each is stored as one of NumPy's
    if not numbers.ndim:
        return _array.pad(array, widths, numbers[()])
    pairs = _numpy.broadcast_to(numbers, (array.ndim, 2))
    return _array.pad_by_pairs(array, widths, list(map(tuple, pairs)))
