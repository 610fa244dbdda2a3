# SPDX-License-Identifier: MIT
"""The same elements otherwise: views, unless it is said."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from treadle._core import InvalidArgument, ShapeError
from treadle._core import array as _array
from treadle._core.array import Array

from ._creation import arange, asarray, asarrays, order_of, zeros

__all__ = [
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "diag",
    "diagonal",
    "dsplit",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "imag",
    "indices",
    "matrix_transpose",
    "meshgrid",
    "moveaxis",
    "permute_dims",
    "ravel",
    "real",
    "reshape",
    "rot90",
    "split",
    "squeeze",
    "swapaxes",
    "transpose",
    "tril",
    "triu",
    "unstack",
    "vsplit",
]


def as_list(values: int | Sequence[int]) -> list[int]:
    """An axis or several, as a list."""
    return [index(value) for value in values] if hasattr(values, "__iter__") else [index(values)]


def checked_axes(axes: Sequence[int] | None, rank: int, name: str) -> list[int]:
    """Axes counted from the first of `rank`; all for None. IndexError for one that is not there,
    ValueError for one that is named twice."""
    if axes is None:
        return list(range(rank))
    found = [_array.checked_axis(index(axis), rank, name) for axis in axes]
    if len(set(found)) < len(found):
        raise InvalidArgument(f"{name}: repeated axis in {tuple(axes)}")
    return found


def reshape(
    a: Any, shape: int | Sequence[int], order: str = "C", *, copy: bool | None = None
) -> Array:
    """The same elements under another shape: a view, or a copy where it takes one. `order` is that
    in which they are counted. With copy=True it always is one, with copy=False ValueError says
    where it must be."""
    a = asarray(a)
    lengths = as_list(shape)
    result = _array.reshape(a, lengths, order_of(a, order))
    if copy is None:
        return result
    is_view = a.size == 0 or _array.may_share_memory(result, a)
    if not copy and not is_view:
        raise ShapeError(
            f"the shape {tuple(lengths)} of an array of shape {a.shape} and strides {a.strides} "
            "takes a copy, which copy=False forbids"
        )
    return result.copy("K") if copy and is_view else result


def real(val: Any) -> Array:
    """The real parts, as a view; of real numbers the array itself."""
    return asarray(val).real


def imag(val: Any) -> Array:
    """The imaginary parts, as a view; of real numbers zeros, which cannot be written to."""
    return asarray(val).imag


def ravel(a: Any, order: str = "C") -> Array:
    """One axis: a view, or a copy. With order "K" elements are counted as they lie in memory."""
    return Array.ravel(asarray(a), order)


def squeeze(a: Array, axis: int | Sequence[int] | None = None) -> Array:
    """Without axes of length 1, or without those that are named."""
    a = asarray(a)
    return a.squeeze() if axis is None else _array.squeeze(a, as_list(axis))


def expand_dims(a: Array, axis: int | Sequence[int] = 0) -> Array:
    """With axes of length 1, numbered as in the result."""
    return _array.expand_dims(asarray(a), as_list(axis))


def transpose(a: Array, axes: Sequence[int] | None = None) -> Array:
    """With axes in another order; in reverse by default."""
    a = asarray(a)
    return a.transpose() if axes is None else a.transpose(axes)


permute_dims = transpose


def matrix_transpose(x: Array) -> Array:
    """With the last two axes in each other's place."""
    return asarray(x).mT


def swapaxes(a: Array, axis1: int, axis2: int) -> Array:
    """With two axes in each other's place."""
    return asarray(a).swapaxes(axis1, axis2)


def moveaxis(a: Array, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """With axes moved to other places; the others stay in their order."""
    return _array.moveaxis(asarray(a), as_list(source), as_list(destination))


def flip(m: Array, axis: int | Sequence[int] | None = None) -> Array:
    """From the last element to the first, along all axes or some."""
    m = asarray(m)
    return _array.flip(m, list(range(m.ndim)) if axis is None else as_list(axis))


def flipud(m: Array) -> Array:
    """The first axis from last to first."""
    return flip(m, 0)


def fliplr(m: Array) -> Array:
    """The second axis from last to first."""
    return flip(m, 1)


def rot90(m: Array, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """Turned k times by a quarter, from the first axis to the second."""
    return _array.rot90(asarray(m), k, *as_list(axes))


def broadcast_to(array: Any, shape: int | Sequence[int]) -> Array:
    """With axes of length 1 repeated; it cannot be written to."""
    return _array.broadcast_to(asarray(array), as_list(shape))


def broadcast_arrays(*arrays: Any) -> tuple[Array, ...]:
    """All in the shape that they are broadcast to."""
    return tuple(_array.broadcast_arrays(asarrays(arrays)))


def meshgrid(
    *arrays: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    """Coordinates of a grid; of indexing "xy" the first varies along the second axis."""
    if indexing not in ("xy", "ij"):
        raise InvalidArgument(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    lines = [x.ravel() for x in asarrays(arrays)]
    grids = _array.meshgrid(lines, indexing == "xy", bool(sparse))
    return tuple(grid.copy() for grid in grids) if copy else tuple(grids)


def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Elements (i, i + offset) of two axes, as a new last one."""
    return _array.diagonal(asarray(a), offset, axis1, axis2)


def diag(v: Any, k: int = 0) -> Array:
    """A square array of zeros with these elements on a diagonal that is k to the right of the main
    one; of an array of two axes a read-only view of that diagonal."""
    return _array.diag(asarray(v), k)


def _rows(x: Any) -> Array:
    """An array of two axes at least: one axis is each row of a square."""
    x = asarray(x)
    return _array.broadcast_to(x, (x.size, x.size)) if x.ndim == 1 else x


def tril(m: Any, k: int = 0) -> Array:
    """A new array with zeros above the diagonal that is k to the right of the main one."""
    return _array.tril(_rows(m), k)


def triu(m: Any, k: int = 0) -> Array:
    """A new array with zeros below it."""
    return _array.triu(_rows(m), k)


def array_split(ary: Array, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """Parts between positions, or as many parts, of which the first may be longer by one."""
    ary = asarray(ary)
    if hasattr(indices_or_sections, "__iter__"):
        return _array.split(ary, as_list(indices_or_sections), axis)
    return _array.array_split(ary, index(indices_or_sections), axis)


def split(ary: Array, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """Parts between positions, or as many equal parts."""
    ary = asarray(ary)
    length = ary.shape[_array.checked_axis(index(axis), ary.ndim, "split")]
    if not hasattr(indices_or_sections, "__iter__") and length % index(indices_or_sections):
        raise ShapeError(
            f"split: {length} elements are no {indices_or_sections} equal parts; "
            "array_split() makes the first longer"
        )
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary: Array, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """split() along the second axis, or the only one."""
    ary = asarray(ary)
    if ary.ndim == 0:
        raise ShapeError("hsplit: the array has no axes; it takes one or more")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: Array, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """split() along the first axis of two or more."""
    ary = asarray(ary)
    if ary.ndim < 2:
        raise ShapeError(f"vsplit: the array has shape {ary.shape}; split() takes one axis")
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Array, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """split() along the third axis."""
    ary = asarray(ary)
    if ary.ndim < 3:
        raise ShapeError(f"dsplit: the array has shape {ary.shape}; it takes three axes")
    return split(ary, indices_or_sections, 2)


def unstack(x: Array, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts along an axis, without it."""
    return tuple(_array.unstack(asarray(x), axis))


def _each(function: Any) -> Any:
    def of_each(*arrays: Any) -> Any:
        results = tuple(function(asarray(x)) for x in arrays)
        return results[0] if len(results) == 1 else results

    of_each.__name__ = of_each.__qualname__ = function.__name__
    of_each.__doc__ = function.__doc__
    return of_each


@_each
def atleast_1d(x: Array) -> Array:
    """With one axis or more; a tuple of several arrays."""
    return x.reshape(1) if x.ndim == 0 else x


@_each
def atleast_2d(x: Array) -> Array:
    """With two axes or more, of which the first is added; a tuple of several arrays."""
    return x.reshape(1, -1) if x.ndim < 2 else x


@_each
def atleast_3d(x: Array) -> Array:
    """With three axes or more, as NumPy adds them; a tuple of several arrays."""
    if x.ndim == 2:
        return expand_dims(x, 2)
    return x.reshape(1, -1, 1) if x.ndim < 2 else x


def indices(dimensions: Sequence[int], dtype: Any = int, sparse: bool = False) -> Any:
    """Of each element of such an array its place along axis 0, along axis 1, ...: one array, or
    (sparse) a tuple of arrays that broadcast."""
    if sparse:
        lines = [arange(length, dtype=dtype) for length in dimensions]
        return meshgrid(*lines, copy=False, sparse=True, indexing="ij")
    if len(dimensions) == 0:
        return zeros((0,), dtype=dtype)
    return asarray(_array.indices(dimensions), dtype)
