# SPDX-License-Identifier: MIT
"""Where GPUArrays are: the device of the current context, memory, and strides of new arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle._contiguity import c_contiguous_strides, f_contiguous_strides
from treadle._core import array as _array
from treadle._core.array import Array
from treadle._core.device import Device
from treadle._core.driver import DeviceMemoryPool
from treadle._face_array import adopted, memory_axes
from treadle.pycuda import _native as cuda
from treadle.pycuda import _pvt_struct
from treadle.pycuda._arguments import VectorArg, dtype_to_ctype
from treadle.pycuda._context_caches import ContextCache

_devices = ContextCache()
_NOWHERE = 1  # not null, and no memory has this address


def current_device() -> Device:
    """The device of the current context; LogicError if there is none."""
    context = cuda.Context.get_current()
    if context is None:
        cuda.Context.get_device()  # raises if there is no context
    device = _devices.get(context)
    if device is None:
        device = _devices[context] = Device.of(context)
    return device


def is_default(allocator: Any) -> bool:
    """Whether memory comes from the device's pool, when it is needed."""
    return allocator is None or allocator is cuda.mem_alloc


def is_pool(allocator: Any) -> bool:
    """Whether it is a pool's allocate(): nobody else knows the memory that it gives."""
    return type(getattr(allocator, "__self__", None)) is DeviceMemoryPool


def shape_of(shape: Any) -> tuple[int, ...]:
    """A tuple of lengths, from one or several."""
    try:
        lengths: tuple[int, ...] = (operator.index(shape),)
    except TypeError:
        lengths = tuple(operator.index(length) for length in shape)
    if any(length < 0 for length in lengths):
        raise ValueError(f"negative dimensions are not allowed: shape {lengths}")
    return lengths


def strides_of(shape: Sequence[int], itemsize: int, order: str) -> tuple[int, ...]:
    """Of an array without gaps."""
    if order not in ("C", "F"):
        raise ValueError(f"invalid order: {order!r}; it is 'C' or 'F'")
    dense = c_contiguous_strides if order == "C" else f_contiguous_strides
    return dense(itemsize, shape)


def compact_strides(ary: Any) -> tuple[int, ...]:
    """Strides without gaps for the shape and the axes' order of an array."""
    strides = [0] * len(ary.shape)
    step = ary.dtype.itemsize
    for axis in reversed(memory_axes(ary.strides)):
        strides[axis] = step
        step *= max(ary.shape[axis], 1)
    return tuple(strides)


def strides_like(ary: Any, dtype: np.dtype, order: str) -> tuple[int, ...]:
    """Of a new array of the shape of another: order is NumPy's "C", "F", "A" or "K"."""
    if order == "A":
        order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    if order in ("C", "F"):
        return strides_of(ary.shape, dtype.itemsize, order)
    if order == "K":
        scale = ary.dtype.itemsize
        return tuple(stride // scale * dtype.itemsize for stride in compact_strides(ary))
    raise ValueError(f"Unsupported order: {order!r}; it is 'C', 'F', 'A' or 'K'")


def empty(device: Device, dtype: np.dtype, shape: Sequence[int], strides: Sequence[int]) -> Array:
    """Undefined elements, in memory of the device's pool."""
    if tuple(strides) == c_contiguous_strides(dtype.itemsize, shape):
        return _array.empty(shape, dtype, device)
    low, size = extent(dtype, shape, strides)
    memory = _array.empty((size,), np.uint8, device)
    return _array.viewed(memory, dtype, shape, strides, -low)


def extent(dtype: np.dtype, shape: Sequence[int], strides: Sequence[int]) -> tuple[int, int]:
    """Where the lowest byte is, counted from the first element, and the bytes from there on."""
    if 0 in shape:
        return 0, 0
    steps = [(length - 1) * stride for length, stride in zip(shape, strides, strict=True)]
    low = sum(step for step in steps if step < 0)
    return low, sum(step for step in steps if step > 0) + dtype.itemsize - low


def allocated(
    allocator: Any, dtype: np.dtype, shape: Sequence[int], strides: Sequence[int]
) -> tuple[Array, Any]:
    """An array in memory that a user's allocator gives, and what it gave; where that is a pool, it
    is the array's own."""
    low, size = extent(dtype, shape, strides)
    if size == 0:
        return _array.empty(shape, dtype, current_device()), None
    memory = allocator(size)
    if memory is None:
        raise cuda.MemoryError(f"the allocator {allocator!r} gave no memory for {size} bytes")
    if operator.index(memory) == 0:  # the program sets `gpudata` later
        return empty(current_device(), dtype, shape, strides), None
    place = current_device(), operator.index(memory), -low
    layout = dtype, shape, strides
    if not is_pool(allocator):
        return adopted(memory, place, layout), memory
    array = adopted(memory, place, layout, is_unshared=True)
    _array.set_pool(array, allocator)
    return array, None


def at_address(
    owner: Any, address: int, dtype: np.dtype, shape: Sequence[int], strides: Sequence[int]
) -> Array:
    """An array whose first element is at an address; `owner` keeps the memory."""
    low, size = extent(dtype, shape, strides)
    if size == 0:
        return _array.empty(shape, dtype, current_device())
    return adopted(owner, (current_device(), address + low, -low), (dtype, shape, strides))


def reaches(
    memory: Any, dtype: np.dtype, shape: Sequence[int], strides: Sequence[int]
) -> bool | None:
    """Whether the driver's allocation that begins at `memory`, or has that address in it, has room
    for an array whose first element is there. None where the memory is not the driver's."""
    address = operator.index(memory)
    try:
        begin, size_bytes = cuda.mem_get_address_range(address)
    except cuda.Error:
        return None
    low, size = extent(dtype, shape, strides)
    return begin <= address + low and address + low + size <= begin + size_bytes


def require_addressable(dtype: np.dtype, shape: Sequence[int], strides: Sequence[int]) -> None:
    """Refuses what no memory can have, whatever is set next."""
    sizes = [math.prod(shape) * dtype.itemsize, *map(abs, strides)]
    if len(shape) == len(strides):
        sizes.append(extent(dtype, shape, strides)[1])
    if max(sizes) >= 2**63:
        raise ValueError(
            f"shape {tuple(shape)} with strides {tuple(strides)} takes more bytes than there are "
            "addresses"
        )


def computes_now(device: Device, shape: Sequence[int], dtype: np.dtype) -> bool:
    """Whether an array is made at the call, because the device has no memory for it: the error
    belongs there."""
    return math.prod(shape) * dtype.itemsize > device.memory_bytes


def absent(dtype: np.dtype, shape: Sequence[int], strides: Sequence[int]) -> Array:
    """An array without memory, which every use refuses."""
    low, size = extent(dtype, shape, strides)
    memory = _array.adopt(current_device(), _NOWHERE, size, None, 0)
    made = _array.over(memory, dtype, shape, strides, -low, True)
    memory.free()
    return made


# --- for kernels around users' texts -------------------------------------------------------------


def native_type(dtype: np.dtype) -> tuple[str, str, int]:
    """A type as the generators take it. What they need of a structure is name and size."""
    return dtype_to_ctype(dtype), "" if dtype.kind == "V" else dtype.name, dtype.itemsize


def native_value(argument: Any, value: Any) -> Any:
    """An argument as the native kernel takes it: an array, memory and the object of a program's own
    class that says what lies there, or the bytes of a number."""
    if not isinstance(argument, VectorArg):
        return _pvt_struct.pack(argument.struct_char, value)
    if isinstance(value, Array):
        return value
    address = 0 if value.gpudata is None else operator.index(value.gpudata)
    size_bytes = value.size * value.dtype.itemsize
    return _array.adopt(current_device(), address, size_bytes, value), value
