# SPDX-License-Identifier: MIT
"""Functions of GPUArrays: those of pycuda.gpuarray that make no array of nothing."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import treadle.numpy
from treadle._contiguity import get_common_dtype
from treadle._core import array as _array
from treadle._core.array import Array
from treadle._face_array import (
    cast,
    first_array,
    in_one_kernel,
    stacked_backwards,
    sum_dtype,
    total,
)
from treadle.pycuda import _native as cuda
from treadle.pycuda._gpuarray import GPUArray, require_gpuarray

__all__ = [
    "all",
    "any",
    "concatenate",
    "dot",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "max",
    "maximum",
    "min",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "reshape",
    "stack",
    "subset_dot",
    "subset_max",
    "subset_min",
    "subset_sum",
    "sum",
    "take",
    "transpose",
    "where",
]

tnp: Any = treadle.numpy  # Any: newer names are looked up in each call
Stream = cuda.Stream | None
Allocator = Callable[[int], Any] | None


def _get_common_dtype(obj1: Any, obj2: Any) -> np.dtype:
    return get_common_dtype(obj1, obj2, True)


def _get_broadcasted_binary_op_result(
    obj1: Any, obj2: Any, dtype_getter: Callable[[Any, Any], Any] = _get_common_dtype
) -> GPUArray:
    """Undefined elements, for the result of an operation on two operands."""
    first = first_array(obj1, obj2)
    shape = np.broadcast_shapes(getattr(obj1, "shape", ()), getattr(obj2, "shape", ()))
    dtype = np.dtype(dtype_getter(obj1, obj2))
    if shape == first.shape:
        return first._new_like_me(dtype)
    return GPUArray(shape, dtype, first.allocator)


def _make_binary_op(operator: str) -> Callable[[GPUArray, Any], GPUArray]:
    """The method of an operator by its sign: _make_binary_op("<")."""
    names = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
    name = f"__{names[operator]}__"
    return lambda self, other: getattr(self, name)(other)


# --- elements of several arrays ------------------------------------------------------------------


def _chosen(
    condition: Callable[[], Array], operands: tuple[Any, Any, Any], out: Any, stream: Stream
) -> GPUArray:
    criterion, then_, else_ = operands
    first = first_array(then_, else_, criterion)
    return first._run(
        stream, lambda: first._give(_array.apply("where", condition(), then_, else_), out=out)
    )


def if_positive(
    criterion: GPUArray, then_: Any, else_: Any, out: GPUArray | None = None, stream: Stream = None
) -> GPUArray:
    """then_ where criterion > 0, else_ elsewhere."""
    return _chosen(
        lambda: _array.apply("greater", criterion, 0), (criterion, then_, else_), out, stream
    )


def where(
    criterion: GPUArray, then_: Any, else_: Any, out: GPUArray | None = None, stream: Stream = None
) -> GPUArray:
    """then_ where criterion is not 0, else_ elsewhere."""
    return _chosen(
        lambda: _array.apply("not_equal", criterion, 0), (criterion, then_, else_), out, stream
    )


def _extremum(name: str, a: Any, b: Any, out: Any, stream: Stream) -> GPUArray:
    first = first_array(a, b)
    return first._run(stream, lambda: first._give(_array.apply(name, a, b), out=out))


def minimum(a: Any, b: Any, out: GPUArray | None = None, stream: Stream = None) -> GPUArray:
    """The smaller one of each pair; the other one of a NaN."""
    return _extremum("fmin", a, b, out, stream)


def maximum(a: Any, b: Any, out: GPUArray | None = None, stream: Stream = None) -> GPUArray:
    """The larger one of each pair; the other one of a NaN."""
    return _extremum("fmax", a, b, out, stream)


def logical_and(
    x1: Any, x2: Any, /, out: GPUArray | None = None, *, allocator: Allocator = None
) -> GPUArray:
    """Whether both are not 0, as bool."""
    return first_array(x1, x2)._give(_array.apply("logical_and", x1, x2), allocator, out)


def logical_or(
    x1: Any, x2: Any, /, out: GPUArray | None = None, *, allocator: Allocator = None
) -> GPUArray:
    """Whether one is not 0, as bool."""
    return first_array(x1, x2)._give(_array.apply("logical_or", x1, x2), allocator, out)


def logical_not(
    x: GPUArray, /, out: GPUArray | None = None, *, allocator: Allocator = cuda.mem_alloc
) -> GPUArray:
    """Whether it is 0, as bool."""
    allocator = None if allocator is cuda.mem_alloc else allocator
    return first_array(x)._give(_array.apply("logical_not", x), allocator, out)


# --- elements in other places --------------------------------------------------------------------


def take(
    a: GPUArray, indices: GPUArray, out: GPUArray | None = None, stream: Stream = None
) -> GPUArray:
    """out[i] = a[indices[i]], of all elements of `a` in a row."""
    require_gpuarray(a)
    return a._run(stream, lambda: a._give(tnp.take(a, indices), out=out))


def multi_take(
    arrays: Sequence[GPUArray],
    indices: GPUArray,
    out: Sequence[GPUArray] | None = None,
    stream: Stream = None,
) -> list[GPUArray]:
    """take() of each array."""
    outs = [None] * len(arrays) if out is None else out
    _same_number("out", outs, arrays)
    return [take(a, indices, o, stream) for a, o in zip(arrays, outs, strict=True)]


def _same_number(name: str, some: Sequence[Any], arrays: Sequence[Any]) -> None:
    if len(some) != len(arrays):
        raise ValueError(f"{name} has {len(some)} entries for {len(arrays)} arrays")


def _index_pair(dest_indices: GPUArray, src_indices: GPUArray) -> None:
    if require_gpuarray(dest_indices).dtype != require_gpuarray(src_indices).dtype:
        raise TypeError(
            f"dest_indices are of {dest_indices.dtype}, src_indices of {src_indices.dtype}"
        )
    if len(dest_indices.shape) > 1 or dest_indices.shape != src_indices.shape:
        raise ValueError(
            f"indices must have one axis and be as many: dest_indices has the shape "
            f"{dest_indices.shape}, src_indices {src_indices.shape}"
        )


def _destinations(arrays: Sequence[GPUArray], dest_shape: Any, out: Any) -> Sequence[GPUArray]:
    if out is not None:
        _same_number("out", out, arrays)
        return out
    if dest_shape is None:
        raise ValueError("dest_shape or out must be given")
    return [GPUArray(dest_shape, a.dtype, a.allocator) for a in map(require_gpuarray, arrays)]


# over 6 parameters because they are PyCUDA's
def multi_take_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    src_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: Stream = None,
    src_offsets: Sequence[Any] | None = None,
) -> Sequence[GPUArray]:
    """out[dest_indices[i]] = a[src_indices[i] + offset] of each array."""
    _index_pair(dest_indices, src_indices)
    if not arrays:
        return []
    targets = _destinations(arrays, dest_shape, out)
    offsets = [0] * len(arrays) if src_offsets is None else src_offsets
    _same_number("src_offsets", offsets, arrays)

    def move(a: GPUArray, target: GPUArray, offset: Any) -> GPUArray:
        tnp.put(target, dest_indices, tnp.take(a, _array.apply("add", src_indices, int(offset))))
        return target

    for a, target, offset in zip(arrays, targets, offsets, strict=True):
        require_gpuarray(a)._run(stream, functools.partial(move, a, target, offset))
    return targets


def multi_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: Stream = None,
) -> Sequence[GPUArray]:
    """out[dest_indices[i]] = a[i] of each array."""
    if not arrays:
        return []
    targets = _destinations(arrays, dest_shape, out)

    def move(a: GPUArray, target: GPUArray) -> GPUArray:
        tnp.put(target, dest_indices, Array.reshape(a, (a.size,)))
        return target

    for a, target in zip(arrays, targets, strict=True):
        require_gpuarray(a)._run(stream, functools.partial(move, a, target))
    return targets


def concatenate(arrays: Sequence[GPUArray], axis: int = 0, allocator: Allocator = None) -> GPUArray:
    """One behind the other along an axis, in their common dtype."""
    arrays = list(arrays)
    return first_array(*arrays)._give(tnp.concatenate(arrays, axis=axis), allocator)


def stack(arrays: Sequence[GPUArray], axis: int = 0, allocator: Allocator = None) -> GPUArray:
    """One behind the other along a new axis; in C's order in memory if that is the first one, else
    in Fortran's."""
    arrays = list(arrays)
    first = first_array(*arrays)
    is_first_axis = not -first.ndim <= axis <= first.ndim or axis == 0  # or an axis that is refused
    if is_first_axis or builtins.any(array.shape != first.shape for array in arrays):
        return first._give(tnp.stack(arrays, axis=axis), allocator)
    return first._give(stacked_backwards(arrays, axis), allocator)


def transpose(a: GPUArray, axes: Sequence[int] | None = None) -> GPUArray:
    """a.transpose(axes)"""
    return require_gpuarray(a).transpose(axes)


def reshape(a: GPUArray, *shape: Any, **kwargs: Any) -> GPUArray:
    """a.reshape(*shape)"""
    return require_gpuarray(a).reshape(*shape, **kwargs)


# --- reductions ----------------------------------------------------------------------------------


def _reduced(
    a: GPUArray, compute: Callable[[], Array], stream: Stream, allocator: Allocator = None
) -> GPUArray:
    return require_gpuarray(a)._run(stream, lambda: a._give(compute(), allocator))


def _subset(subset: GPUArray, a: GPUArray) -> Array:
    chosen = tnp.take(a, subset)
    _array.evaluate(chosen)  # reductions do not gather
    return chosen


def sum(
    a: GPUArray, dtype: Any = None, stream: Stream = None, allocator: Allocator = None
) -> GPUArray:
    """Of all elements, in their own dtype unless another is given; as an array of no axes. Of bool
    it is how many are true, as int64."""
    dtype = sum_dtype(require_gpuarray(a).dtype) if dtype is None else dtype
    return _reduced(a, lambda: total(a, dtype), stream, allocator)


def any(a: GPUArray, stream: Stream = None, allocator: Allocator = None) -> GPUArray:
    """Whether an element is not 0."""
    return _reduced(a, lambda: tnp.any(a), stream, allocator)


def all(a: GPUArray, stream: Stream = None, allocator: Allocator = None) -> GPUArray:
    """Whether no element is 0."""
    return _reduced(a, lambda: tnp.all(a), stream, allocator)


def _dot(a: Array, b: Array, dtype: Any) -> Array:
    if a.size != b.size:
        raise ValueError(f"dot() of {a.size} and {b.size} elements")
    dtype = sum_dtype(_get_common_dtype(a, b)) if dtype is None else np.dtype(dtype)
    if a.shape != b.shape:
        a, b = Array.reshape(a, (a.size,)), Array.reshape(b, (b.size,))
    product = _array.apply("multiply", cast(a, dtype), cast(b, dtype))
    return total(product, dtype)


def dot(
    a: GPUArray,
    b: GPUArray,
    dtype: Any = None,
    stream: Stream = None,
    allocator: Allocator = None,
) -> GPUArray:
    """The sum of the products of all elements, none conjugated."""
    require_gpuarray(b)
    return _reduced(a, lambda: in_one_kernel(lambda: _dot(a, b, dtype), a, b), stream, allocator)


def subset_sum(
    subset: GPUArray,
    a: GPUArray,
    dtype: Any = None,
    stream: Stream = None,
    allocator: Allocator = None,
) -> GPUArray:
    """The sum of a[subset[i]]."""
    dtype = sum_dtype(require_gpuarray(a).dtype) if dtype is None else dtype
    return _reduced(a, lambda: total(_subset(subset, a), dtype), stream, allocator)


# over 6 parameters because they are PyCUDA's
def subset_dot(
    subset: GPUArray,
    a: GPUArray,
    b: GPUArray,
    dtype: Any = None,
    stream: Stream = None,
    allocator: Allocator = None,
) -> GPUArray:
    """The sum of a[subset[i]] * b[subset[i]]."""
    return _reduced(
        a, lambda: _dot(_subset(subset, a), _subset(subset, b), dtype), stream, allocator
    )


def min(a: GPUArray, stream: Stream = None) -> GPUArray:
    """The smallest element that is a number."""
    return _reduced(a, lambda: tnp.nanmin(a), stream)


def max(a: GPUArray, stream: Stream = None) -> GPUArray:
    """The largest element that is a number."""
    return _reduced(a, lambda: tnp.nanmax(a), stream)


def subset_min(subset: GPUArray, a: GPUArray, stream: Stream = None) -> GPUArray:
    """The smallest a[subset[i]] that is a number."""
    return _reduced(a, lambda: tnp.nanmin(_subset(subset, a)), stream)


def subset_max(subset: GPUArray, a: GPUArray, stream: Stream = None) -> GPUArray:
    """The largest a[subset[i]] that is a number."""
    return _reduced(a, lambda: tnp.nanmax(_subset(subset, a)), stream)


_builtin_min, _builtin_max = builtins.min, builtins.max
