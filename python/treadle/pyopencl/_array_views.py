# SPDX-License-Identifier: MIT
"""Views of pyopencl.array.Array, its indices and assignment: the same memory otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index as integer
from typing import Any

import numpy as np

import treadle.numpy as _numpy
from treadle import _face_array
from treadle._contiguity import equal_strides
from treadle._core import NotSupported
from treadle._core import array as _native
from treadle._core.array import Array as NativeArray
from treadle._core.rules import _Layout
from treadle._face_array import as_bools, is_mask, with_masks_on_host
from treadle.pyopencl._array_operators import Operators, is_operand, require_real
from treadle.pyopencl._array_places import Events
from treadle.pyopencl._array_runners import Runners
from treadle.pyopencl._pickling import restored

_INTEGERS = (int, np.integer)


class Views(Operators, Runners):
    """Of which the array class is made."""

    _put_at: Any

    _view: Callable[[NativeArray], Any]
    _has_new_events: Callable[[], bool]
    _own_events: Callable[[], Events]
    _flags: Any
    queue: Any
    flags: Any

    # --- the same elements ------------------------------------------------------------------------

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """A view in another shape, of which one length may be -1: what is left. Raises ValueError
        where a copy would be needed."""
        order = kwargs.pop("order", "C")
        if kwargs:
            raise TypeError(f"reshape() got an unexpected keyword argument {next(iter(kwargs))!r}")
        if order not in ("C", "F", "c", "f"):
            raise ValueError(f"order={order!r}: elements are taken in order 'C' or 'F'")
        with self._work_if_any():
            return self._view(self._in_shape(shape, order in ("F", "f")))

    def _in_shape(self, shape: tuple[Any, ...], is_fortran: bool = False) -> NativeArray:
        given = shape[0] if len(shape) == 1 and not isinstance(shape[0], _INTEGERS) else shape
        lengths = self._lengths(tuple(integer(length) for length in given))
        if is_fortran:
            lengths = lengths[::-1]
        if self.size == 0:
            strides = self._dense_strides(lengths)
        else:
            strides = self._strides_as(lengths, is_fortran)
        if is_fortran:
            lengths, strides = lengths[::-1], strides[::-1]
        return _native.viewed(self, self.dtype, lengths, strides)

    def _lengths(self, lengths: tuple[int, ...]) -> tuple[int, ...]:
        open_axes = [axis for axis, length in enumerate(lengths) if length < 0]
        if len(open_axes) > 1 or any(lengths[axis] != -1 for axis in open_axes):
            raise ValueError(f"the shape {lengths}: one length may be left open by -1, no other")
        known = int(np.prod([length for length in lengths if length >= 0], dtype=np.int64))
        if open_axes:
            if known == 0 or self.size % known:
                raise ValueError(f"an array of {self.size} elements has no shape {lengths}")
            axis = open_axes[0]
            return (*lengths[:axis], self.size // known, *lengths[axis + 1 :])
        if known != self.size:
            raise ValueError(f"an array of {self.size} elements has no shape {lengths}")
        return lengths

    def _dense_strides(self, lengths: tuple[int, ...]) -> tuple[int, ...]:
        strides = [self.dtype.itemsize]
        for length in lengths[:0:-1]:
            strides.append(strides[-1] * max(length, 1))
        return tuple(reversed(strides)) if lengths else ()

    def _strides_as(self, lengths: tuple[int, ...], is_fortran: bool) -> tuple[int, ...]:
        shape, strides = self.shape, self.strides
        if is_fortran:
            shape, strides = shape[::-1], strides[::-1]
        layout = _Layout(shape, strides, 0).reshaped(lengths, self.dtype.itemsize)
        if layout is None:
            raise ValueError(
                f"elements with strides {self.strides} have no view of shape {lengths}: reshape a "
                "copy"
            )
        return layout.strides

    def _work_if_any(self) -> Any:
        """The context for a view, which computes a pending array. Only arrays with a queue can be
        pending."""
        if self.queue is None:
            return _face_array.on_stream(self._place.device, None)
        if self._has_new_events():
            self._own_events().order(self._place)
        return self._place

    def ravel(self, order: str = "C") -> Any:
        """One axis."""
        return self.reshape(self.size, order=order)

    def view(self, dtype: Any = None) -> Any:
        """The same bytes as elements of another dtype, along the axis that runs fastest."""
        if dtype is None:
            return self._viewed(self.dtype, self.shape, self.strides)
        dtype, own = np.dtype(dtype), self.dtype
        if dtype.itemsize == own.itemsize:
            return self._viewed(dtype, self.shape, self.strides)
        if not self.ndim:
            raise ValueError(f"an array without axes has no view as {dtype}, of another size")
        # The strides of arrays without elements differ between versions of NumPy.
        axis = int(np.argmin(np.abs(self.strides))) if self.size else self.ndim - 1
        nbytes = self.shape[axis] * own.itemsize
        has_gaps = self.size and self.strides[axis] != own.itemsize and self.shape[axis] > 1
        if has_gaps or nbytes % dtype.itemsize:
            raise ValueError(f"axis {axis}, of {self.shape[axis]} {own}, is no axis of {dtype}")
        shape, strides = list(self.shape), list(self.strides)
        shape[axis], strides[axis] = nbytes // dtype.itemsize, dtype.itemsize
        return self._viewed(dtype, shape, strides)

    def _viewed(self, dtype: Any, shape: Sequence[int], strides: Sequence[int]) -> Any:
        with self._work_if_any():
            return self._view(_native.viewed(self, dtype, shape, strides))

    def squeeze(self) -> Any:  # type: ignore[override, unused-ignore]
        """A view without axes of length 1."""
        with self._work_if_any():
            return self._view(NativeArray.squeeze(self))

    def transpose(self, axes: Sequence[int] | None = None) -> Any:  # type: ignore[override]
        """A view with its axes in another order; in reverse by default."""
        axes = range(self.ndim)[::-1] if axes is None else axes
        with self._work_if_any():
            return self._view(NativeArray.transpose(self, tuple(axes)) if self.ndim else self)

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        """A view with its axes in reverse."""
        return self.transpose()

    def reverse(self, queue: Any = None) -> Any:
        """A new array of the elements from the last in memory to the first."""
        if not self.flags.forc:
            raise NotSupported("the array has gaps between its elements: reverse() 1 * x")
        with self._work(queue=queue):
            order = "F" if self.flags.f_contiguous else "C"
            turned = NativeArray.__getitem__(self.reshape(-1, order=order), slice(None, None, -1))
            made = self._new_like_me(queue=queue)  # type: ignore[attr-defined]
            _face_array.assign(made.reshape(-1, order=order), turned)
        made._changed()
        return made

    # --- copies of Python's -----------------------------------------------------------------------

    def __copy__(self) -> Any:
        """A copy of the elements, on the same queue."""
        with self._work():
            return self._wrap(NativeArray.copy(self, "K"))

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        """The elements, which the host has to read, and the device."""
        with self._work():
            host = _face_array.empty_host(self)
            _face_array.read(self, host)
        return restored, (type(self), self.queue.device, host)

    # --- indices ----------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        """A view; of an array of indices or of a mask a new array. How many elements a mask on
        the device selects the host has to know: it waits for the mask."""
        parts = index if isinstance(index, tuple) else (index,)
        if masks := [part for part in parts if is_mask(part)]:
            with self._work(*masks):
                index = with_masks_on_host(index)
        elif isinstance(index, NativeArray):
            self._require_indices(index)
            with self._work(index):
                return self._wrap(_numpy.take(self, index))
        if _has_arrays(index):
            with self._work(index):
                return self._wrap(NativeArray.__getitem__(self, index))
        with self._work_if_any():
            return self._view(NativeArray.__getitem__(self, index))

    def _require_indices(self, index: NativeArray) -> None:
        if index.dtype.kind not in "iu":
            raise TypeError(f"indices are integers, not {index.dtype}")
        if index.ndim != 1:
            raise NotSupported(f"indices in {index.ndim} axes: ravel() them")
        if self.ndim != 1:
            raise NotSupported(f"an array of indices into {self.ndim} axes: ravel() it")

    def __setitem__(self, subscript: Any, value: Any) -> None:
        self.setitem(subscript, value)

    # over 6 parameters because they are those of PyOpenCL's
    def setitem(self, subscript: Any, value: Any, queue: Any = None, wait_for: Any = None) -> None:
        """self[subscript] = value, on a queue and after events."""
        if isinstance(subscript, NativeArray) and not is_mask(subscript):
            self._scatter(subscript, value, queue, wait_for)
        elif _has_arrays(subscript):
            is_tuple = isinstance(subscript, tuple)
            with self._work(
                *(subscript if is_tuple else (subscript,)), value, queue=queue
            ) as place:
                Events(wait_for or ()).order(place)
                index = with_masks_on_host(subscript) if is_tuple else as_bools(subscript)
                NativeArray.__setitem__(self, index, value)
            self._changed()
        else:
            self._assign(self[subscript], value, queue, wait_for)

    def _scatter(self, subscript: Any, value: Any, queue: Any, wait_for: Any) -> None:
        self._require_indices(subscript)
        if not isinstance(value, NativeArray):
            raise TypeError(f"elements at an array of indices are set from an array, not {value!r}")
        if value.dtype != self.dtype:
            raise TypeError(f"the value is of {value.dtype}, the array of {self.dtype}")
        values: list[Any] = [value]
        self._put_at(values, subscript, out=[self], queue=queue, wait_for=wait_for)

    def _assign(self, part: Any, value: Any, queue: Any, wait_for: Any) -> None:
        if not part.size:
            return
        if isinstance(value, Operators) and value.shape:
            _require_alike(part, value)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "V":
            value = value[()] if not value.shape else value
        elif not is_operand(value) and not isinstance(value, np.void):
            raise TypeError(f"a {type(value).__name__} is no value for elements of an array")
        require_real(part, value)
        with self._work(value, queue=queue) as place:
            Events(wait_for or ()).order(place)
            if (
                isinstance(value, np.ndarray)
                and value.shape == part.shape
                and (value.dtype == part.dtype)
            ):
                _face_array.write(part, value)
            else:
                _face_array.assign(part, value)
        self._changed()


# --- attributes that are set ----------------------------------------------------------------------


def _become(array: Views, dtype: Any, shape: Any, strides: Any) -> None:
    with array._work_if_any():
        _native.rebind(array, _native.viewed(array, dtype, shape, strides))
    array._flags = None


def _set_shape(array: Views, shape: Any) -> None:
    with array._work_if_any():
        _native.rebind(array, array._in_shape((shape,)))
    array._flags = None


def _set_strides(array: Views, strides: Any) -> None:
    _become(array, array.dtype, array.shape, tuple(integer(stride) for stride in strides))


def _set_dtype(array: Views, dtype: Any) -> None:
    """Sets the dtype as NumPy does: elements of another size share the bytes of the last axis."""
    dtype, own = np.dtype(dtype), array.dtype
    shape, strides = array.shape, array.strides
    if dtype.itemsize != own.itemsize:
        if not shape:
            raise ValueError(f"an array without axes has no elements of {dtype}, of another size")
        nbytes = shape[-1] * own.itemsize
        has_gaps = array.size and strides[-1] != own.itemsize and shape[-1] > 1
        if has_gaps or not dtype.itemsize or nbytes % dtype.itemsize:
            raise ValueError(f"the last axis, of {shape[-1]} {own}, is no axis of {dtype}")
        shape, strides = (*shape[:-1], nbytes // dtype.itemsize), (*strides[:-1], dtype.itemsize)
    _become(array, dtype, shape, strides)
    array._is_mask = False


def _let_set(cls: Any) -> None:
    """Adds setters to the native getters. A getter in Python would be slower."""
    cls.shape = NativeArray.shape.setter(_set_shape)  # type: ignore[attr-defined]
    cls.dtype = NativeArray.dtype.setter(_set_dtype)  # type: ignore[attr-defined]
    cls.strides = NativeArray.strides.setter(_set_strides)  # type: ignore[attr-defined]


_let_set(Views)


def _has_arrays(index: Any) -> bool:
    """Whether an index has arrays or lists: then the result is a copy, not a view."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(part, NativeArray | np.ndarray | list) for part in parts)


def _require_alike(part: Any, value: Any) -> None:
    if part.ndim != value.ndim:
        raise NotSupported(
            f"an array of {value.ndim} axes is not assigned to {part.ndim}: reshape() it"
        )
    if part.shape != value.shape:
        raise ValueError(f"an array of shape {value.shape} is not assigned to {part.shape}")
    theirs = [stride // value.dtype.itemsize for stride in value.strides]
    ours = [stride // part.dtype.itemsize for stride in part.strides]
    if not equal_strides(ours, theirs, part.shape):
        raise NotSupported(
            f"elements with strides {value.strides} are not assigned to some with {part.strides}: "
            "x[...] = y.get() takes any, by way of the host"
        )
