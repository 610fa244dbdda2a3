# SPDX-License-Identifier: MIT
"""New arrays on queues of OpenCL."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import treadle
from treadle import _face_array
from treadle._core import array as _native
from treadle._error_classes import combined
from treadle.pyopencl import _cl
from treadle.pyopencl._array_class import SAME, Array
from treadle.pyopencl._array_memory import is_pool
from treadle.pyopencl._array_places import place_of, require_queue


def require_array(array: Any) -> Array:
    """The array. Raises TypeError for anything else."""
    if not isinstance(array, Array):
        raise TypeError(
            f"an array on a device is wanted, not a {type(array).__name__}: to_device(queue, x) "
            "makes one"
        )
    return array


# over 6 parameters because they are those of PyOpenCL's
def to_device(
    queue: Any, ary: Any, allocator: Any = None, async_: bool = False, array_queue: Any = SAME
) -> Array:
    """A copy of an array of the host, with its strides; on array_queue, if that is given (None:
    without a queue)."""
    if not isinstance(ary, np.ndarray | np.generic):
        raise TypeError(f"to_device() of a {type(ary).__name__}: it takes a numpy.ndarray")
    if ary.dtype == object:
        # PyOpenCL raises a RuntimeError.
        raise combined(treadle.DTypeError, RuntimeError)(
            "to_device() of an array of objects: a device has no Python objects"
        )
    if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
        ary = ary.copy(order="K")
    made = _sent(queue, ary, allocator, not async_)
    if made is None:
        made = Array(queue, ary.shape, ary.dtype, allocator=allocator, strides=ary.strides)
        made.set(ary, async_=async_)
    return made if array_queue is SAME else made.with_queue(array_queue)


def _sent(queue: Any, ary: Any, allocator: Any, wait: bool) -> Array | None:
    """Does the same in the common case; None in other cases."""
    is_usual = type(queue) is _cl.CommandQueue and (allocator is None or is_pool(allocator))
    if not is_usual:
        return None
    place = place_of(queue)
    own = _native.sent(ary, place, allocator, wait)
    if own is None:
        return None
    made = Array.__new__(Array)
    _native.FaceArray.__init__(made, own)
    made._queue, made.context, made._place = queue, queue.context, place
    return made


empty = Array


def zeros(queue: Any, shape: Any, dtype: Any, order: str = "C", allocator: Any = None) -> Array:
    """Every element 0."""
    made = Array(queue, shape, dtype, order=order, allocator=allocator)
    made._zero_fill()
    return made


def empty_like(ary: Array, queue: Any = SAME, allocator: Any = None) -> Array:
    """Undefined elements, in the shape, the order and the dtype of `ary`."""
    queue = require_array(ary).queue if queue is SAME else queue
    made = require_array(ary)._new_with_changes(
        None, 0, strides=_dense_strides(ary), queue=queue, allocator=allocator
    )
    return made


def _dense_strides(ary: Array) -> tuple[int, ...]:
    if ary.flags.forc:
        return ary.strides
    return np.empty(ary.shape, ary.dtype).strides


def zeros_like(ary: Array) -> Array:
    """Every element 0, in the shape, the order and the dtype of `ary`."""
    made = empty_like(ary)
    made._zero_fill()
    return made


_RANGE = ("start", "stop", "step")


def _range(args: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """The arguments of arange(), by name."""
    places = {1: ("stop",), 2: ("start", "stop"), 3: _RANGE}.get(len(args), ())
    if len(args) > 3:
        raise ValueError(f"arange() takes start, stop, step and dtype, not {len(args)} numbers")
    told = dict(zip(places, args, strict=True))
    for name, value in keywords.items():
        if name not in _RANGE:
            raise ValueError(f"arange() has no argument {name}")
        if name in told:
            raise ValueError(f"arange() is told {name} twice")
        told[name] = value
    if told.get("stop") is None:
        raise ValueError("arange() needs a stop")
    return told


def arange(queue: Any, *args: Any, allocator: Any = None, **kwargs: Any) -> Array:
    """start, start + step, ... before stop. The dtype is the last argument or dtype=."""
    if "dtype" not in kwargs and args and isinstance(args[-1], np.dtype | type):
        kwargs["dtype"], args = args[-1], args[:-1]
    if kwargs.get("dtype") is None:
        raise TypeError("arange() needs a dtype: arange(queue, 10, dtype=numpy.float32)")
    dtype = np.dtype(kwargs.pop("dtype"))
    told = _range(args, kwargs)
    number = dtype.type
    start, stop = number(told.get("start") or 0), number(told["stop"])
    step = number(1 if told.get("step") is None else told["step"])
    if step == 0:
        raise ValueError("arange() by steps of 0")
    if dtype.kind not in "fc":  # unsigned numbers have no negative difference
        ratio = (stop.item() - start.item()) / step.item()
    else:  # in the dtype, which may round to a whole number
        ratio = (stop - start) / step
    count = max(math.ceil(ratio.real), 0)
    made = Array(queue, (count,), dtype, allocator=allocator)
    if count:
        with made._work():
            positions = _native.arange(0, count, 1, np.int64, made._place.device)
            positions = _native.Array.astype(positions, dtype)
            scaled = _native.apply("multiply", positions, step)
            _face_array.assign(made, _native.apply("add", scaled, start))
        made._changed()
    return made


def as_strided(ary: Array, shape: Any = None, strides: Any = None) -> Array:
    """The memory of an array under other lengths and strides of axes."""
    require_array(ary)
    shape = ary.shape if shape is None else shape
    return ary._viewed(ary.dtype, shape, ary.strides if strides is None else strides)


def queue_of(*operands: Any, queue: Any = None) -> Any:
    """The queue of a function: that given, or that of its first array that has one."""
    if queue is not None:
        return require_queue(queue)
    for operand in operands:
        if isinstance(operand, Array) and operand.queue is not None:
            return operand.queue
    raise ValueError("no array has a queue: with_queue(queue) gives it one, or pass queue=")
