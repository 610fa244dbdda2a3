# SPDX-License-Identifier: MIT
"""What programs set of a GPUArray, whose attributes are plain ones in PyCUDA: its memory and how
the elements lie there.

What is set together may contradict itself in between, `w.shape, w.strides = u.shape[:2],
u.strides[:2]`: an array whose parts do not fit each other, or its memory, is refused at its next
use.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle._core import array as _array
from treadle._core.array import Array
from treadle._core.rules import _Layout
from treadle._face_array import FaceArray
from treadle.pycuda import _gpuarray_memory as _memory


class LaidOut(FaceArray):
    """Of which GPUArray is made."""

    base: Any = None
    # If the parts do not fit together: the reason, the array before, and the parts that do not fit.
    _fitting: Array | None = None
    _strides_set: tuple[int, ...] | None = None
    _size_set: int | None = None

    def _set_gpudata(self, memory: Any) -> None:
        if memory is None or (address := operator.index(memory)) == 0:
            self._data = None
            if self.size:
                self._refuse(f"gpudata is {memory}: set it to memory for {self.size} elements")
            return
        layout = self.dtype, self.shape, self.strides
        self._data = memory
        if _memory.reaches(memory, *layout) is False:
            self._fitting = _array.empty((0,), self.dtype, _memory.current_device())
            self._refuse(f"gpudata is {memory!r}, from where there is no room for the elements")
            return
        self._fit(_memory.at_address(memory, address, *layout))
        self._settle()

    gpudata: Any = property(
        _array.memory_object,
        _set_gpudata,
        doc="The memory: an allocation, or of a part of one an address. None without elements.",
    )

    @property
    def ptr(self) -> int:
        """The address of the first element."""
        if self.gpudata is None:
            raise AttributeError("an array without elements has no ptr")
        return operator.index(self.gpudata)

    @property
    def mem_size(self) -> int:
        """How many elements it has."""
        return self.size

    def _require_fit(self) -> None:
        """Raises ValueError if the parts that the program has set do not fit together."""
        if self._misfit is not None:
            raise ValueError(self._misfit)

    def _fit(self, own: Array) -> None:
        self._misfit = self._fitting = None
        _array.rebind(self, own)

    def _settle(self) -> None:
        """Refuses every use while strides or a size are set that do not fit the shape."""
        if self._strides_set is not None:
            self._refuse(f"strides {self._strides_set} were set for the shape {self.shape}")
        elif self._size_set is not None:
            self._refuse(f"the size {self._size_set} was set for the shape {self.shape}")

    def _refuse(self, why: str) -> None:
        """Makes every use of the array fail until the parts fit."""
        if self._fitting is None:
            self._fitting = Array(self)
        self._misfit = f"{why}: shape, strides, size, dtype and gpudata have to fit each other"
        _array.rebind(self, _memory.absent(self.dtype, self.shape, self.strides))

    def _lay_out(self, dtype: np.dtype, shape: Sequence[int], strides: Sequence[int]) -> None:
        """Lays the elements out in the existing memory, if they fit into it."""
        _memory.require_addressable(dtype, shape, strides)
        memory = self if self._fitting is None else self._fitting
        size = math.prod(shape)
        if self._size_set == size:
            self._size_set = None
        try:
            own = _array.viewed(memory, dtype, shape, strides)
        except ValueError as refused:
            given = self._data
            if given is None or not _memory.reaches(given, dtype, shape, strides):
                kept = Array(memory)
                _array.rebind(self, _memory.absent(dtype, shape, strides))
                self._fitting = kept
                self._misfit = f"{refused}: set gpudata, or what fits the memory"
                return
            own = _memory.at_address(given, operator.index(given), dtype, shape, strides)
        self._fit(own)
        self._settle()


def _set_shape(array: LaidOut, shape: Any) -> None:
    lengths = _memory.shape_of(shape)
    dtype, strides = array.dtype, array.strides
    wanted, array._strides_set = array._strides_set, None
    if wanted is not None and len(wanted) == len(lengths):
        strides = wanted
    else:
        same = None
        _memory.require_addressable(dtype, lengths, ())
        if math.prod(lengths) == array.size:
            layout = _Layout(array.shape, strides, 0).reshaped(lengths, dtype.itemsize)
            same = None if layout is None else tuple(layout.strides)
        if same is not None:
            strides = same
        elif len(lengths) != len(strides):
            strides = _memory.strides_of(lengths, dtype.itemsize, "C")
    array._lay_out(dtype, lengths, strides)


def _set_strides(array: LaidOut, strides: Any) -> None:
    steps = tuple(operator.index(stride) for stride in strides)
    array._strides_set = None if len(steps) == len(array.shape) else steps
    array._lay_out(array.dtype, array.shape, steps if array._strides_set is None else array.strides)


def _set_dtype(array: LaidOut, dtype: Any) -> None:
    """Sets the dtype as NumPy does: elements of another size share the bytes of the last axis."""
    dtype, own = np.dtype(dtype), array.dtype
    if dtype.hasobject:
        raise TypeError(f"dtype {dtype}: elements on a device are no Python objects")
    shape, strides = array.shape, array.strides
    if shape and dtype.itemsize != own.itemsize and strides[-1] == own.itemsize:
        length, left = divmod(shape[-1] * own.itemsize, dtype.itemsize)
        if not left:
            shape, strides = (*shape[:-1], length), (*strides[:-1], dtype.itemsize)
    array._is_mask = False
    array._lay_out(dtype, shape, strides)


def _set_size(array: LaidOut, size: Any) -> None:
    count = operator.index(size)
    array._size_set = None if count == math.prod(array.shape) else count
    array._lay_out(array.dtype, array.shape, array.strides)


def _let_set(cls: Any) -> None:
    """Adds setters to the native getters. A getter in Python would be slower."""
    cls.shape = Array.shape.setter(_set_shape)  # type: ignore[attr-defined]
    cls.strides = Array.strides.setter(_set_strides)  # type: ignore[attr-defined]
    cls.dtype = Array.dtype.setter(_set_dtype)  # type: ignore[attr-defined]
    cls.size = Array.size.setter(_set_size)  # type: ignore[attr-defined]
    cls.mem_size = cls.mem_size.setter(_set_size)


_let_set(LaidOut)
