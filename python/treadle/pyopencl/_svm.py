# SPDX-License-Identifier: MIT
"""Shared virtual memory: arrays over it, maps, and SVMPointer's methods made of native calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle.pyopencl import _cl
from treadle.pyopencl._cl import (
    SVM,
    Buffer,
    CommandQueue,
    Context,
    Event,
    SVMAllocation,
    SVMPointer,
)
from treadle.pyopencl._constants import mem_flags, svm_mem_flags
from treadle.pyopencl._errors import from_text, shown, wrong_kind
from treadle.pyopencl._shapes import shape_of

# --- arrays --------------------------------------------------------------------------------------


def _dtype(given: Any) -> np.dtype:
    wanted = "what numpy.dtype() takes, such as numpy.float32"
    try:
        dtype = np.dtype(given)
    except (TypeError, ValueError):
        raise wrong_kind("svm_empty", "dtype", given, wanted) from None
    if dtype.hasobject:
        raise wrong_kind("svm_empty", "dtype", given, wanted + ", without Python objects")
    return dtype


class _ArrayMemory(SVMAllocation):
    """The memory of one array, which says how the elements lie in it."""

    # Shape, dtype and strides. Strides are None for C's order.
    _elements: tuple[tuple[int, ...], np.dtype, tuple[int, ...] | None]

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The array in version 3 of NumPy's protocol. Raises LogicError after release()."""
        shape, dtype, strides = self._elements
        return {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "descr": dtype.descr,
            "data": (self.svm_ptr, False),
            "strides": strides,
        }


# over 6 parameters because they are PyOpenCL's
def svm_empty(
    ctx: Context,
    flags: int,
    shape: Any,
    dtype: Any,
    order: str = "C",
    alignment: int | None = None,
    queue: CommandQueue | None = None,
) -> np.ndarray:
    """An array in new shared virtual memory, which is its base: an SVMAllocation.

    Coarse-grained memory must be mapped before the host looks at it: SVM(array).map_rw(queue).
    `alignment` is that of the elements if it is not given; `queue` is bound to the memory.
    """
    if order not in ("C", "c", "F", "f"):
        raise ValueError(f"svm_empty: order is {shown(order)}, wanted: 'C' or 'F'")
    if not isinstance(ctx, Context):
        raise wrong_kind("svm_empty", "ctx", ctx, "pyopencl.Context")
    dtype = _dtype(dtype)
    sizes = shape_of(shape)
    size = int(np.prod(sizes, dtype=object)) * dtype.itemsize
    if alignment is None:  # for structures the next power of two
        alignment = 1 << max(dtype.itemsize - 1, 0).bit_length()
        alignment = min(alignment, 128)
    memory: Any = _ArrayMemory(ctx, size, alignment, flags, queue)
    made = np.ndarray(sizes, dtype, memory, order="F" if order in "Ff" else "C")
    memory._elements = made.shape, made.dtype, None if made.flags.c_contiguous else made.strides
    return made


def svm_empty_like(
    ctx: Context, flags: int, ary: np.ndarray, alignment: int | None = None
) -> np.ndarray:
    """svm_empty of another array's shape, dtype and order."""
    if not isinstance(ary, np.ndarray | np.generic):
        raise wrong_kind("svm_empty_like", "ary", ary, "numpy.ndarray")
    if ary.flags.c_contiguous:
        order = "C"
    elif ary.flags.f_contiguous:
        order = "F"
    else:
        raise ValueError("the array is in neither C order nor Fortran order")
    return svm_empty(ctx, flags, ary.shape, ary.dtype, order, alignment)


_COARSE = svm_mem_flags.READ_WRITE
_FINE = svm_mem_flags.READ_WRITE | svm_mem_flags.SVM_FINE_GRAIN_BUFFER


def csvm_empty(
    ctx: Context,
    shape: Any,
    dtype: Any,
    order: str = "C",
    alignment: int | None = None,
    queue: CommandQueue | None = None,
) -> np.ndarray:
    """svm_empty of coarse-grained memory for reading and writing."""
    return svm_empty(ctx, _COARSE, shape, dtype, order, alignment, queue)


def csvm_empty_like(ctx: Context, ary: np.ndarray, alignment: int | None = None) -> np.ndarray:
    """svm_empty_like of coarse-grained memory for reading and writing."""
    return svm_empty_like(ctx, _COARSE, ary, alignment)


def fsvm_empty(
    ctx: Context,
    shape: Any,
    dtype: Any,
    order: str = "C",
    alignment: int | None = None,
    queue: CommandQueue | None = None,
) -> np.ndarray:
    """svm_empty of fine-grained memory, which host and devices may use at once."""
    return svm_empty(ctx, _FINE, shape, dtype, order, alignment, queue)


def fsvm_empty_like(ctx: Context, ary: np.ndarray, alignment: int | None = None) -> np.ndarray:
    """svm_empty_like of fine-grained memory."""
    return svm_empty_like(ctx, _FINE, ary, alignment)


# --- maps ----------------------------------------------------------------------------------------


@dataclass
class SVMMap:
    """Shared memory while the host may use it, as `array`. A context manager of that array."""

    svm: SVMPointer | None
    array: Any
    queue: CommandQueue
    event: Event

    def release(self, queue: CommandQueue | None = None, wait_for: Any = None) -> Event:
        """Gives the memory back to the devices."""
        if self.svm is None:
            raise AssertionError("SVMMap.release: the memory was released before; map it again")
        event = _cl._enqueue_svm_unmap(self.queue if queue is None else queue, self.svm, wait_for)
        self.svm = None
        return event

    def __enter__(self) -> Any:
        return self.array

    def __exit__(self, *raised: object) -> None:
        self.release()

    def __del__(self) -> None:
        if self.svm is not None:
            self.release()


def part_of(svm: SVMPointer, call: str, *, offset: int = 0, size: int) -> np.ndarray:
    """The bytes from `offset` on. Raises LogicError where the memory has not got them."""
    for name, value in (("offset", offset), ("size", size)):
        if not isinstance(value, (int, np.integer)):
            raise wrong_kind(call, name, value, "int")
    memory = svm.buf
    if offset < 0 or size < 0 or offset + size > memory.size:
        text = f"size is {size} from offset {offset} on, of memory that has {memory.size} bytes"
        raise from_text(call, -30, text)
    return memory[offset : offset + size]


def as_buffer(
    self: SVMPointer, ctx: Context, *, flags: int | None = None, size: int | None = None
) -> Buffer:
    """A buffer over the memory, which must outlive it."""
    if flags is None:
        flags = mem_flags.READ_WRITE | mem_flags.USE_HOST_PTR
    if not isinstance(ctx, Context):
        raise wrong_kind("SVMPointer.as_buffer", "ctx", ctx, "pyopencl.Context")
    memory = self.buf if size is None else part_of(self, "SVMPointer.as_buffer", size=size)
    return Buffer(ctx, flags, size=memory.nbytes, hostbuf=memory)


# --- commands ------------------------------------------------------------------------------------


def _pointer(operand: Any, call: str, argument: str) -> SVMPointer:
    if isinstance(operand, SVMPointer):
        return operand
    try:
        return SVM(operand)
    except TypeError:
        wanted = "pyopencl.SVMPointer, or a bytes-like object such as a NumPy array"
        raise wrong_kind(call, argument, operand, wanted) from None


def enqueue_svm_memfill(
    queue: CommandQueue,
    dest: Any,
    pattern: Any,
    byte_count: int | None = None,
    wait_for: Any = None,
) -> Event:
    """Repeats a pattern over shared memory, or over its first `byte_count` bytes."""
    return _cl._enqueue_svm_memfill(
        queue, _pointer(dest, "enqueue_svm_memfill", "dest"), pattern, byte_count, wait_for
    )


def enqueue_svm_migrate_mem(
    queue: CommandQueue, svms: Iterable[SVMPointer], flags: int | None, wait_for: Any = None
) -> Event:
    """Moves shared memory to the queue's device, or to the host as the flags say."""
    return _cl._enqueue_svm_migrate_mem(queue, svms, flags, wait_for)


def copy_svm(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    """What enqueue_copy does where a side is shared memory: the other is wrapped."""
    for name in ("src_offset", "dst_offset"):
        if keywords.pop(name, 0) != 0:
            raise ValueError(f"{name} of shared memory must be 0: take a part by svm.buf[...]")
    is_blocking = keywords.pop("is_blocking", True)
    to, of = (_pointer(side, "enqueue_copy", name) for side, name in ((dest, "dest"), (src, "src")))
    return _cl._enqueue_svm_memcpy(queue, is_blocking, to, of, **keywords)
