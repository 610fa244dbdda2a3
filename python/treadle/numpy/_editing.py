# SPDX-License-Identifier: MIT
"""Elements put in and taken out, bits and places, and what calls a function of the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as _numpy

from treadle._core import DTypeError, IndexError, InvalidArgument, ShapeError
from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array
from treadle._required import required

from ._creation import arange, asarray, asarrays, on_host, ones, require_target, tri, zeros
from ._joining import concatenate, stack, vstack
from ._manipulation import as_list, atleast_1d, checked_axes
from ._selection import nonzero

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "block",
    "delete",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "insert",
    "ix_",
    "mask_indices",
    "packbits",
    "piecewise",
    "place",
    "putmask",
    "ravel_multi_index",
    "resize",
    "rollaxis",
    "row_stack",
    "tril_indices",
    "tril_indices_from",
    "trim_zeros",
    "triu_indices",
    "triu_indices_from",
    "unpackbits",
    "unravel_index",
]


def _positions(obj: Any, length: int, name: str) -> tuple[list[int], bool]:
    """The elements of an axis that an index, a slice, a mask or a list names; whether by a number
    alone."""
    obj = on_host(obj)
    if isinstance(obj, slice):
        return list(range(*obj.indices(length))), False
    if not hasattr(obj, "__len__") and not isinstance(obj, _numpy.ndarray):
        return [index(obj)], True
    given = _numpy.asarray(obj)
    if given.dtype == bool:
        if given.shape != (length,):
            raise IndexError(
                f"{name}: a mask of shape {given.shape} for an axis of length {length}; it has an "
                "element for each"
            )
        return _numpy.flatnonzero(given).tolist(), False
    if given.size and given.dtype.kind not in "iu":
        raise IndexError(f"{name}: indices are {given.dtype}; they are integers")
    if given.ndim > 1:
        raise IndexError(f"{name}: indices of shape {given.shape}; they have one axis at most")
    return given.reshape(-1).astype("i8").tolist(), given.ndim == 0


def _along(x: Array, axis: int | None, name: str) -> tuple[Array, int]:
    if axis is None:
        return x.ravel(), 0
    return x, _array.checked_axis(index(axis), x.ndim, name)


def _stored(name: str, target: Array, values: Any, casting: str = "safe") -> Array:
    """Values as they are stored in the dtype of an array: numbers of the host are numbers of that
    dtype, or refused; arrays are cast as `casting` allows."""
    if values is None or isinstance(
        values, bool | int | float | complex | list | tuple | _numpy.generic
    ):
        return asarray(_numpy.asarray(values, target.dtype), device=target.device)
    values = asarrays((target, values))[1]
    if values.dtype == target.dtype:
        return values
    if not _rules.can_cast(values.dtype, target.dtype, casting):
        raise DTypeError(
            f"{name}: values are {values.dtype}, which does not fit into an array of "
            f"{target.dtype}\n  try: values.astype({str(target.dtype)!r})"
        )
    return values.astype(target.dtype)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Array:
    """values before elements of an axis (of all in C's order): obj is an index, a slice, a mask or
    a list of indices. An array on the device that says where is copied to the host, which waits."""
    x, axis = _along(asarray(arr), axis, "insert")
    positions, is_one = _positions(obj, x.shape[axis], "insert")
    values = _stored("insert", x, values, "unsafe")
    if len(positions) == 1:  # as NumPy, several values may stand before one element
        values = values.reshape((1,) * (x.ndim - values.ndim) + values.shape)
        if is_one:
            values = _array.moveaxis(values, [0], [axis])
        positions = positions * values.shape[axis]
        while values.ndim > x.ndim and values.shape[0] == 1:
            values = values[0, ...]
    return _array.insert(x, positions, values, axis)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """Without the elements of an axis (of all in C's order) that obj names, as for insert(). Of an
    array on the device its elements are counted, which waits, and are not checked."""
    x, axis = _along(asarray(arr), axis, "delete")
    if isinstance(obj, Array):
        return _array.without(x, obj.reshape(-1) if obj.ndim == 0 else obj, axis)
    positions, _ = _positions(obj, x.shape[axis], "delete")
    return _array.erase(x, positions, axis)


def resize(a: Any, new_shape: int | Sequence[int]) -> Array:
    """The elements in C's order in another shape, from the first again where there are fewer."""
    return _array.resize(asarray(a), as_list(new_shape))


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    """Without zeros at the front ("f") and the back ("b"), along each axis or those named. Looks at
    the elements, and waits."""
    x = asarray(filt)
    axes = checked_axes(None if axis is None else as_list(axis), x.ndim, "trim_zeros")
    trim = required(trim, "trim", "'f', 'b' or 'fb'", "lower").lower()
    if not trim or set(trim) - set("fb"):
        raise InvalidArgument(f"trim={trim!r}: it is 'f', 'b' or 'fb'")
    kept: list[Any] = [slice(None)] * x.ndim
    for a in axes:
        others = tuple(b for b in range(x.ndim) if b != a)
        found = _numpy.flatnonzero(on_host((x != 0).any(axis=others) if others else x != 0))
        first, last = (found[0], found[-1] + 1) if found.size else (0, 0)
        kept[a] = slice(first if "f" in trim else None, last if "b" in trim or not last else None)
    return x[tuple(kept)]


def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """A view with an axis moved before another one."""
    x = asarray(a)
    n = x.ndim
    axis = _array.checked_axis(axis, n, "rollaxis")
    if not -n <= start <= n:
        raise IndexError(f"rollaxis: start={start} of an array of {n} axes")
    start = start + n if start < 0 else start
    return _array.moveaxis(x, [axis], [start - 1 if axis < start else start])


def row_stack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """vstack(): rows one below the other."""
    return vstack(tup, dtype=dtype, casting=casting)


def block(arrays: Any) -> Array:
    """Blocks of nested lists joined: those of the innermost lists along the last axis, those of the
    next along the last but one, and so on."""

    def leaves(part: Any) -> list[Any]:
        return [x for p in part for x in leaves(p)] if isinstance(part, list) else [part]

    def depth_of(part: Any) -> int:
        if not isinstance(part, list):
            return 0
        if not part:
            raise InvalidArgument("block: a list without arrays; each has one at least")
        depths = {depth_of(p) for p in part}
        if len(depths) > 1:
            raise InvalidArgument(f"block: lists are nested {sorted(depths)} deep; all alike")
        return 1 + depths.pop()

    depth, made = depth_of(arrays), iter(asarrays(leaves(arrays)))
    found = list(made)
    rank, nodes = max(depth, *(x.ndim for x in found)), iter(found)

    def joined(part: Any, level: int) -> Array:
        if not isinstance(part, list):
            x = next(nodes)
            return x.reshape((1,) * (rank - x.ndim) + x.shape)
        return concatenate([joined(p, level + 1) for p in part], rank - depth + level)

    return joined(arrays, 0) if depth else joined(arrays, 0).copy()


def diagflat(v: Any, k: int = 0) -> Array:
    """A square array of zeros with these elements, in C's order, on a diagonal."""
    return _array.diag(asarray(v).ravel(), k)


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The indices of the main diagonal of an array of `ndim` axes of length n."""
    count = index(ndim)
    return (arange(n),) * count


def diag_indices_from(arr: Any) -> tuple[Array, ...]:
    """The same for an array, whose axes are two at least and of one length."""
    shape = asarray(arr).shape
    if len(shape) < 2 or len(set(shape)) > 1:
        raise ShapeError(f"diag_indices_from: shape {shape}; it has two equal axes at least")
    return diag_indices(shape[0], len(shape))


def _is_mask(values: Any) -> bool:
    return isinstance(values, Array) and values.dtype.kind == "b"


def mask_indices(n: int, mask_func: Callable[..., Any], k: Any = 0) -> tuple[Array, ...]:
    """The indices of the elements of an n by n array that mask_func(x, k) leaves other
    than 0. Their number is waited for."""
    return nonzero(mask_func(ones((n, n), "i8"), k))


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The indices of the elements at and below a diagonal of an n by m array. Their number is
    waited for."""
    return nonzero(tri(n, n if m is None else m, k, "?"))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The same at and above a diagonal."""
    return nonzero(tri(n, n if m is None else m, k - 1, "?") == 0)


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """tril_indices() of an array's two axes."""
    rows, columns = _of_matrix(arr, "tril_indices_from")
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """triu_indices() of an array's two axes."""
    rows, columns = _of_matrix(arr, "triu_indices_from")
    return triu_indices(rows, k, columns)


def _of_matrix(arr: Any, name: str) -> tuple[int, int]:
    shape = asarray(arr).shape
    if len(shape) != 2:
        raise ShapeError(f"{name}: an array of shape {shape}; it has two axes")
    return shape


def ix_(*args: Any) -> tuple[Array, ...]:
    """Indices that choose a block: the i-th array varies along axis i of it. A mask stands for the
    places where it holds; those on the device are looked at, which waits."""
    made = []
    for i, given in enumerate(args):
        values = on_host(given) if _is_mask(given) else given
        if not isinstance(values, Array):
            values = _numpy.asarray(values)
            if values.size == 0:
                values = values.astype("i8")
            if values.dtype == bool:
                values = _numpy.flatnonzero(values) if values.ndim == 1 else values
        if values.ndim != 1:
            raise ShapeError(f"ix_: argument {i} has shape {values.shape}; it has one axis")
        made.append(asarray(values).reshape((1,) * i + (-1,) + (1,) * (len(args) - i - 1)))
    return tuple(made)


def packbits(a: Any, axis: int | None = None, bitorder: str = "big") -> Array:
    """Whether elements are not 0, eight in a uint8 along an axis, or in C's order of all."""
    x, axis = _along(atleast_1d(a), axis, "packbits")
    return _array.packbits(x, axis, bitorder)


def unpackbits(
    a: Any, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Array:
    """The bits of uint8 elements along an axis, or in C's order of all: `count` of them, those
    beyond the end 0; a negative count leaves out the last."""
    x, axis = _along(atleast_1d(a), axis, "unpackbits")
    bits = _array.unpackbits(x, axis, bitorder)
    if count is None:
        return bits
    length = bits.shape[axis]
    kept = bits[(slice(None),) * axis + (slice(0, count),)]
    if count <= length:
        return kept
    shape = (*bits.shape[:axis], count - length, *bits.shape[axis + 1 :])
    return concatenate([kept, zeros(shape, "u1", device=bits.device)], axis)


def unravel_index(indices: Any, shape: Any, order: Any = "C") -> tuple[Array, ...]:
    """Of each place in an array of this shape its index along each axis. Looks at the places, and
    waits: ValueError for one that is not there."""
    return tuple(_array.unravel_index(asarray(indices), as_list(shape), order))


def ravel_multi_index(
    multi_index: Sequence[Any], dims: Any, mode: Any = "raise", order: Any = "C"
) -> Array:
    """The place of each index, of which there is one array for each axis. mode: "raise", which
    looks at the indices, and waits, "wrap" or "clip"; or one for each axis."""
    lengths, parts = as_list(dims), list(multi_index)
    modes = [mode] * len(parts) if isinstance(mode, str) else list(mode)
    if len(parts) != len(lengths) or len(modes) != len(parts):
        raise ShapeError(
            f"ravel_multi_index: {len(parts)} indices for {len(lengths)} axes; there is one each"
        )
    arrays = asarrays(parts)
    if len(set(modes)) > 1:
        limits = zip(arrays, modes, lengths, strict=True)
        arrays = [x % n if m == "wrap" else x.clip(0, n - 1) if m == "clip" else x
                  for x, m, n in limits]  # fmt: skip
    one = modes[0] if len(set(modes)) == 1 else "raise"
    return _array.ravel_multi_index(arrays, lengths, None if one == "raise" else one, order)


def putmask(a: Array, mask: Any, values: Any) -> None:
    """a[i] = values[i] where the mask holds; values start again where they are fewer."""
    target = require_target("putmask", a)
    mask, values = asarrays((target, mask))[1], _stored("putmask", target, values)
    if mask.size != target.size:
        raise ShapeError(f"putmask: a mask of shape {mask.shape} for {target.shape}; of one size")
    if values.size == 0:
        return
    filled = values.ravel() if values.size == 1 else _array.resize(values, list(target.shape))
    filled = filled.reshape(()) if values.size == 1 else filled
    _array.assign_where(target, (mask != 0).reshape(target.shape), filled)


def place(arr: Array, mask: Any, vals: Any) -> None:
    """The elements where the mask holds become those of vals, one after the other, which start
    again where they are fewer."""
    target = require_target("place", arr)
    mask, vals = asarrays((target, mask))[1], _stored("place", target, vals)
    if mask.size != target.size:
        raise ShapeError(f"place: a mask of shape {mask.shape} for {target.shape}; of one size")
    holds = (mask != 0).ravel()
    if vals.size == 0:
        if bool(holds.any()):
            raise InvalidArgument("place: no values for the elements that the mask selects")
        return
    number = (holds.astype("i8").cumsum() - 1) % vals.size
    chosen = vals.ravel().take(_array.clip(number, 0, None))
    _array.assign_where(target, holds.reshape(target.shape), chosen.reshape(target.shape))


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    """Of each element the value of the function, or the number, whose condition is the last that
    holds; of one more function where none does, else 0. Functions get the elements that are chosen,
    whose number is waited for. The values are cast to the dtype of x, as NumPy casts them."""
    x = asarray(x)
    if not isinstance(condlist, list | tuple) or not any(
        hasattr(c, "__len__") or isinstance(c, Array) for c in condlist
    ):
        condlist = [condlist]
    conditions = [c.astype(bool) for c in asarrays((x, *condlist))[1:]]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise InvalidArgument(
            f"piecewise: {len(funclist)} functions for {len(conditions)} conditions; there is one "
            "for each, and perhaps another one"
        )
    made = zeros(x.shape, x.dtype, device=x.device)
    if len(funclist) > len(conditions):
        others = zeros(x.shape, "?", device=x.device)
        for condition in conditions:
            others = others | condition
        conditions.append(others == 0)
    for condition, value in zip(conditions, funclist, strict=True):
        if callable(value):
            chosen = x[condition]
            if chosen.size:
                values = asarrays((x, value(chosen, *args, **kw)))[1]
                place(made, condition, values.astype(made.dtype))
        else:
            _array.assign_where(made, condition, value)
    return made


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Array:
    """The results of a function of one axis, called with each row of the array along that axis."""
    x, axis = _along(asarray(arr), axis, "apply_along_axis")
    rows = _array.moveaxis(x, [axis], [x.ndim - 1])
    outer = rows.shape[:-1]
    if 0 in outer:
        raise ShapeError(f"apply_along_axis: no rows in an array of shape {x.shape}")
    results = [asarray(func1d(rows[i], *args, **kwargs)) for i in _numpy.ndindex(outer)]
    made = stack(results).reshape((*outer, *results[0].shape))
    inner = results[0].ndim
    return _array.moveaxis(
        made, list(range(len(outer), len(outer) + inner)), list(range(axis, axis + inner))
    )


def apply_over_axes(func: Callable[..., Any], a: Any, axes: int | Sequence[int]) -> Array:
    """A function f(x, axis) along one axis after the other; axes that it removes are kept."""
    x = asarray(a)
    for axis in as_list(axes):
        axis = _array.checked_axis(axis, x.ndim, "apply_over_axes")
        result = asarray(func(x, axis))
        x = result if result.ndim == x.ndim else _array.expand_dims(result, [axis])
    return x
