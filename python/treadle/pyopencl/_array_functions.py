# SPDX-License-Identifier: MIT
"""Functions of pyopencl.array that give arrays of arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import treadle.numpy as _numpy
from treadle import _face_array
from treadle._core import NotSupported, ShapeError
from treadle._core import array as _native
from treadle._core.array import Array as NativeArray
from treadle.pyopencl._array_class import Array
from treadle.pyopencl._array_creation import queue_of, require_array
from treadle.pyopencl._array_operators import OperandShapeError, as_mask
from treadle.pyopencl._array_places import Events, place_of


def first_array(*operands: Any) -> Any:
    """Whose class, allocator and place a result has; None: they are all numbers."""
    arrays = [operand for operand in operands if isinstance(operand, Array)]
    return next((array for array in arrays if array.ndim), arrays[0] if arrays else None)


def require_lead(*operands: Any) -> Any:
    """The same. Raises TypeError where there is none."""
    lead = first_array(*operands)
    if lead is None:
        kinds = ", ".join(type(operand).__name__ for operand in operands)
        raise TypeError(
            f"one of the operands must be an array on the device, not {kinds}: "
            "to_device(queue, x) makes one"
        )
    return lead


def after(queue: Any, wait_for: Any) -> None:
    """Later work of the queue comes after these events."""
    if wait_for:
        Events(wait_for).order(place_of(queue))


def _kept(result: NativeArray, lead: Array, out: Any, queue: Any, allocator: Any) -> Array:
    """Puts the result into `out` or an allocator's memory, or wraps it as the first operand is."""
    if out is not None:
        if out.shape != result.shape:
            raise ValueError(f"out has the shape {out.shape}, the result {result.shape}")
        _face_array.assign(out, result)
        out._changed()
        return out
    is_like_lead = allocator is None or allocator is lead.allocator
    if is_like_lead and (queue is lead.queue or lead._is_plain()):
        return lead._wrap(result)
    made = lead._new_with_changes(
        None, 0, result.shape, result.dtype, result.strides, queue, allocator
    )
    _face_array.assign(made, result)
    made._changed()
    return made


# over 6 parameters because they are keywords of functions that PyOpenCL has
def computed(
    compute: Callable[..., NativeArray],
    *operands: Any,
    out: Any = None,
    queue: Any = None,
    wait_for: Any = None,
    allocator: Any = None,
) -> Any:
    """What a function of native arrays gives, as an array of the first operand's kind, or in
    `out`. One operand is an array."""
    lead = require_lead(*operands)
    if out is not None:
        require_array(out)
    queue = queue_of(*operands, out, queue=queue)
    after(queue, wait_for)
    with lead._work(*operands, queue=queue):
        made = _face_array.in_one_kernel(
            lambda: _kept(compute(*operands), lead, out, queue, allocator), *operands
        )
    return made if out is not None else made._on(queue)


# --- at indices ----------------------------------------------------------------------------------


def _require_indices(indices: Any, name: str = "indices") -> None:
    if require_array(indices).dtype.kind not in "iu":
        raise TypeError(f"{name} are integers, not {indices.dtype}")
    if indices.ndim != 1:
        raise NotSupported(f"{name} have {indices.ndim} axes: ravel() them")


# over 6 parameters because they are those of PyOpenCL's
def take(
    a: Array, indices: Array, out: Any = None, queue: Any = None, wait_for: Any = None
) -> Array:
    """The elements of an array at a list of indices."""
    _require_indices(indices)
    return computed(_numpy.take, a, indices, out=out, queue=queue, wait_for=wait_for)


def multi_take(
    arrays: Sequence[Array], indices: Array, out: Any = None, queue: Any = None
) -> list[Array]:
    """The elements of several arrays at one list of indices."""
    outs = [None] * len(arrays) if out is None else out
    return [take(a, indices, o, queue) for a, o in zip(arrays, outs, strict=True)]


def _destinations(
    arrays: Sequence[Array], dest_shape: Any, out: Any, queue: Any
) -> Sequence[Array]:
    dtypes = {require_array(array).dtype for array in arrays}
    if len(dtypes) > 1:
        raise TypeError(f"the arrays are of one dtype, not of {sorted(map(str, dtypes))}")
    if out is None:
        if dest_shape is None:
            raise TypeError("where are elements put? Pass out= or dest_shape=")
        shape = (dest_shape,) if isinstance(dest_shape, int | np.integer) else dest_shape
        return [Array(queue, shape, a.dtype, allocator=a.allocator) for a in arrays]
    if len(out) != len(arrays):
        raise ValueError(f"out has {len(out)} arrays for {len(arrays)}")
    for target, array in zip(out, arrays, strict=True):
        if require_array(target).dtype != array.dtype:
            raise TypeError(f"out is of {target.dtype}, the arrays are of {array.dtype}")
    return list(out)


# over 6 parameters because they are those of PyOpenCL's
def multi_take_put(
    arrays: Sequence[Array],
    dest_indices: Array,
    src_indices: Array,
    dest_shape: Any = None,
    out: Any = None,
    queue: Any = None,
    src_offsets: Any = None,
) -> Sequence[Array]:
    """out[k][dest_indices] = arrays[k][src_indices + src_offsets[k]]."""
    if not len(arrays):
        return []
    for name, indices in (("src_indices", src_indices), ("dest_indices", dest_indices)):
        _require_indices(indices, name)
    if src_indices.dtype != dest_indices.dtype:
        raise TypeError(
            f"src_indices are of {src_indices.dtype}, dest_indices of {dest_indices.dtype}"
        )
    if src_indices.shape != dest_indices.shape:
        raise ValueError(f"{src_indices.size} src_indices for {dest_indices.size} dest_indices")
    if src_offsets is not None and len(src_offsets) != len(arrays):
        raise ValueError(f"{len(src_offsets)} src_offsets for {len(arrays)} arrays")
    queue = queue_of(*arrays, queue=queue)
    targets = _destinations(arrays, dest_shape, out, queue)
    for k, (target, array) in enumerate(zip(targets, arrays, strict=True)):
        with target._work(array, src_indices, dest_indices, queue=queue):
            places: Any = src_indices
            if src_offsets is not None:
                places = _native.apply("add", src_indices, int(src_offsets[k]))
            _numpy.put(target, dest_indices, _numpy.take(array, places))
        target._changed()
    return targets


# over 6 parameters because they are those of PyOpenCL's
def multi_put(
    arrays: Sequence[Array],
    dest_indices: Array,
    dest_shape: Any = None,
    out: Any = None,
    queue: Any = None,
    wait_for: Any = None,
) -> Sequence[Array]:
    """out[k][dest_indices] = arrays[k], which are repeated where they are shorter."""
    if not len(arrays):
        return []
    _require_indices(dest_indices, "dest_indices")
    queue = queue_of(*arrays, queue=queue)
    targets = _destinations(arrays, dest_shape, out, queue)
    after(queue, wait_for)
    for target, array in zip(targets, arrays, strict=True):
        with target._work(array, dest_indices, queue=queue):
            _numpy.put(target, dest_indices, array)
        target._changed()
    return targets


Array._put_at = staticmethod(multi_put)


# --- joined and rearranged -----------------------------------------------------------------------


def _joined(function: Callable[..., Any], arrays: Sequence[Any], **kwargs: Any) -> Array:
    arrays = [require_array(array) for array in arrays]
    if not arrays:
        raise ValueError("need at least one array to join")
    if any(type(array) is not type(arrays[0]) for array in arrays):
        warnings.warn(
            f"the arrays are of {len({type(array) for array in arrays})} classes: the result is of "
            f"the first, {type(arrays[0]).__name__}",
            stacklevel=3,
        )
    return computed(lambda *parts: function(parts), *arrays, **kwargs)


def concatenate(
    arrays: Sequence[Array], axis: int = 0, queue: Any = None, allocator: Any = None
) -> Array:
    """Arrays one behind the other along an axis."""
    return _joined(
        lambda parts: _numpy.concatenate(parts, axis), arrays, queue=queue, allocator=allocator
    )


def hstack(arrays: Sequence[Array], queue: Any = None) -> Array:
    """Arrays one behind the other along the last axis."""
    arrays = list(arrays)
    axis = require_array(arrays[0]).ndim - 1 if arrays else 0
    return _joined(lambda parts: _numpy.concatenate(parts, axis), arrays, queue=queue)


def stack(arrays: Sequence[Array], axis: int = 0, queue: Any = None) -> Array:
    """Arrays of one shape along a new axis; in Fortran's order in memory if that is the last."""
    arrays = list(arrays)
    if any(require_array(array).shape != arrays[0].shape for array in arrays):
        raise ValueError(f"arrays of shapes {[array.shape for array in arrays]} do not stack")
    ndim = arrays[0].ndim if arrays else 0
    if not -ndim - 1 <= axis <= ndim:
        raise ValueError(f"axis {axis} of a stack of arrays of {ndim} axes")
    join = _face_array.stacked_backwards if ndim and axis in (ndim, -1) else _numpy.stack
    return _joined(lambda parts: join(parts, axis), arrays, queue=queue)


def diff(array: Array, queue: Any = None, allocator: Any = None) -> Array:
    """Differences of neighbours."""
    if require_array(array).ndim != 1:
        raise ValueError(f"diff() of an array of {array.ndim} axes: it takes one")
    later, earlier = array[1:], array[:-1]
    return computed(
        lambda a, b: _native.apply("subtract", a, b),
        later,
        earlier,
        queue=queue,
        allocator=allocator,
    )


def transpose(a: Array, axes: Any = None) -> Array:
    """As the method."""
    return require_array(a).transpose(axes)


def reshape(a: Array, shape: Any) -> Array:
    """As the method."""
    return require_array(a).reshape(shape)


# --- chosen --------------------------------------------------------------------------------------


def _dtype(value: Any) -> np.dtype:
    return value.dtype if hasattr(value, "dtype") else np.dtype(type(value))


def if_positive(criterion: Any, then_: Any, else_: Any, out: Any = None, queue: Any = None) -> Any:
    """Elements of then_ where the criterion is more than 0, else those of else_."""
    if first_array(criterion, then_, else_) is None:
        return np.where(criterion > 0, then_, else_)
    if _dtype(then_) != _dtype(else_):
        raise ValueError(
            f"then_ is of {_dtype(then_)}, else_ of {_dtype(else_)}: they are of one dtype"
        )
    shape = criterion.shape if isinstance(criterion, Array) else ()
    for name, value in (("then_", then_), ("else_", else_)):
        if isinstance(value, Array) and value.shape and shape and value.shape != shape:
            refused = ShapeError(f"{name} has the shape {value.shape}, the criterion {shape}")
            raise OperandShapeError(criterion, value, refused)
    dtype = _dtype(then_).type
    values = [v if isinstance(v, Array) else dtype(v) for v in (then_, else_)]
    return computed(
        lambda c, x, y: _native.apply("where", _native.apply("greater", c, 0), x, y),
        criterion,
        *values,
        out=out,
        queue=queue,
    )


def _by_name(name: str, doc: str, host: Callable[..., Any]) -> Callable[..., Any]:
    def function(a: Any, b: Any, out: Any = None, queue: Any = None) -> Any:
        if first_array(a, b) is None:
            return host(a, b)
        try:
            return computed(lambda x, y: _native.apply(name, x, y), a, b, out=out, queue=queue)
        except ShapeError as refused:
            raise OperandShapeError(a, b, refused) from None

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


maximum = _by_name("maximum", "The larger of two elements; nan if one is.", np.maximum)
minimum = _by_name("minimum", "The smaller of two elements; nan if one is.", np.minimum)


def _logical(name: str, *operands: Any, out: Any, queue: Any) -> Any:
    if first_array(*operands) is None:
        return np.int8(getattr(np, name)(*operands))
    try:
        made = computed(
            lambda *x: NativeArray.astype(_native.apply(name, *x), np.int8),
            *operands,
            out=out,
            queue=queue,
        )
    except ShapeError as refused:
        raise OperandShapeError(operands[0], operands[-1], refused) from None
    return as_mask(made)


def logical_and(x1: Any, x2: Any, /, out: Any = None, queue: Any = None) -> Any:
    """1 where both are true, else 0."""
    return _logical("logical_and", x1, x2, out=out, queue=queue)


def logical_or(x1: Any, x2: Any, /, out: Any = None, queue: Any = None) -> Any:
    """1 where one is true, else 0."""
    return _logical("logical_or", x1, x2, out=out, queue=queue)


def logical_not(x: Any, /, out: Any = None, queue: Any = None) -> Any:
    """1 where it is false, else 0."""
    return _logical("logical_not", x, out=out, queue=queue)
