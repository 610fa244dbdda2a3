# SPDX-License-Identifier: MIT
"""New GPUArrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle._core import array as _array
from treadle._core.array import Array
from treadle._face_array import FaceArray, assign_zero
from treadle.pycuda import _gpuarray_memory as _memory
from treadle.pycuda import _native as cuda
from treadle.pycuda._gpuarray import GPUArray, from_host, require_gpuarray

__all__ = [
    "arange",
    "empty_like",
    "ones",
    "ones_like",
    "to_gpu",
    "to_gpu_async",
    "zeros",
    "zeros_like",
]


def to_gpu(ary: Any, allocator: Callable[[int], Any] | None = cuda.mem_alloc) -> GPUArray:
    """A copy of an array of the host, with the axes in the same order."""
    return from_host(ary, allocator)


def to_gpu_async(
    ary: Any,
    allocator: Callable[[int], Any] | None = cuda.mem_alloc,
    stream: cuda.Stream | None = None,
) -> GPUArray:
    """The same without waiting; the host's array is kept until it was copied."""
    return from_host(ary, allocator, True, stream)


def zeros(
    shape: Any,
    dtype: Any = np.float64,
    allocator: Callable[[int], Any] | None = cuda.mem_alloc,
    order: str = "C",
) -> GPUArray:
    """Every element 0."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "SUV":
        return _full(shape, dtype, 0, allocator, order)
    return _zeroed(GPUArray(shape, dtype, allocator, order=order))


def _zeroed(made: GPUArray) -> GPUArray:
    if made.size:
        assign_zero(made)
    return made


def ones(
    shape: Any,
    dtype: Any = np.float64,
    allocator: Callable[[int], Any] | None = cuda.mem_alloc,
    order: str = "C",
) -> GPUArray:
    """Every element 1."""
    return _full(shape, dtype, 1, allocator, order)


def _full(shape: Any, dtype: Any, value: Any, allocator: Any, order: str) -> GPUArray:
    dtype = np.dtype(dtype)
    if dtype.kind == "V":
        values = np.full(_memory.shape_of(shape), value, dtype, order)  # type: ignore[call-overload]
        return from_host(values, allocator)
    if order == "C" and _memory.is_default(allocator):
        made = GPUArray.__new__(GPUArray)
        device, lengths = _memory.current_device(), _memory.shape_of(shape)
        if not _memory.computes_now(device, lengths, dtype):
            FaceArray.__init__(made, _array.full(lengths, value, dtype, device))
            return made
    return GPUArray(shape, dtype, allocator, order=order).fill(value)


def _array_like_helper(other_ary: GPUArray, dtype: Any, order: str) -> GPUArray:
    require_gpuarray(other_ary)
    dtype = other_ary.dtype if dtype is None else np.dtype(dtype)
    strides = _memory.strides_like(other_ary, dtype, order)
    return GPUArray(other_ary.shape, dtype, other_ary.allocator, strides=strides)


def empty_like(other_ary: GPUArray, dtype: Any = None, order: str = "K") -> GPUArray:
    """Undefined elements, in the shape of another array and by its allocator."""
    return _array_like_helper(other_ary, dtype, order)


def zeros_like(other_ary: GPUArray, dtype: Any = None, order: str = "K") -> GPUArray:
    """Every element 0."""
    return _zeroed(_array_like_helper(other_ary, dtype, order))


def ones_like(other_ary: GPUArray, dtype: Any = None, order: str = "K") -> GPUArray:
    """Every element 1."""
    return _array_like_helper(other_ary, dtype, order).fill(1)


def arange(*args: Any, **kwargs: Any) -> GPUArray:
    """arange([start,] stop [, step] [, dtype]): start, start + step, ... before stop. start, stop,
    step, dtype and stream may be named."""
    *numbers, dtype = args if args and isinstance(args[-1], np.dtype | type) else (*args, None)
    if len(numbers) > 3:
        raise TypeError(f"arange() takes start, stop and step, not {len(numbers)} numbers")
    names = ("stop",) if len(numbers) == 1 else ("start", "stop", "step")
    given = dict(zip(names, numbers, strict=False))
    if dtype is not None:
        given["dtype"] = dtype
    for name, value in kwargs.items():
        if name not in ("start", "stop", "step", "dtype", "stream"):
            raise ValueError(f"unexpected keyword argument: {name!r}")
        if name in given:
            raise ValueError(f"may not specify {name!r} by position and by keyword")
        given[name] = value
    if given.get("stop") is None:
        raise TypeError("arange() needs a stop")
    start, stop, step = given.get("start", 0), given["stop"], given.get("step", 1)
    dtype = given.get("dtype")
    if dtype is None:
        dtype = np.array([start, stop, step]).dtype
        if dtype != np.float32:
            warnings.warn(f"arange() guessed the dtype {dtype}: name one", stacklevel=2)
    return _range((start, stop, step), np.dtype(dtype), given.get("stream"))


def _range(numbers: tuple[Any, Any, Any], dtype: np.dtype, stream: cuda.Stream | None) -> GPUArray:
    # Computed in float64 and rounded once: float32 has 24 bits, and indices have more.
    exact = np.dtype(np.float64) if dtype.kind == "f" else dtype
    made = GPUArray.__new__(GPUArray)
    device = _memory.current_device()
    start, stop, step = numbers
    if dtype.kind == "c" or isinstance(stop, complex):
        raise TypeError("arange() of complex numbers has no order")
    values = _array.arange(start, stop, step, exact, device)
    if _memory.computes_now(device, values.shape, dtype):
        GPUArray(values.shape, dtype)  # raises: there is no memory
    FaceArray.__init__(made, values if exact == dtype else Array.astype(values, dtype))
    return made._run(stream, lambda: made)
