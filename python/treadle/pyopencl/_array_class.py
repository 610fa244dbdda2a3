# SPDX-License-Identifier: MIT
"""pyopencl.array.Array: a treadle.Array whose work goes to queues of OpenCL."""

from __future__ import annotations

import builtins
import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from treadle import _face_array
from treadle._contiguity import ArrayFlags, equal_strides, is_c_contiguous_strides
from treadle._core import NotSupported
from treadle._core import array as _native
from treadle._core.array import Array as NativeArray
from treadle._required import required
from treadle.pyopencl import _cl
from treadle.pyopencl._array_memory import (
    dtype_of,
    in_memory,
    is_pool,
    keeping,
    new_memory,
    strides_of,
)
from treadle.pyopencl._array_operators import require_real
from treadle.pyopencl._array_places import (
    Events,
    Place,
    as_memory,
    bind_fresh,
    place_in,
    place_of,
    quiet_place_of,
    require_queue,
)
from treadle.pyopencl._array_views import Views
from treadle.pyopencl._array_warnings import ArrayHasOffsetError, InconsistentOpenCLQueueWarning
from treadle.pyopencl._constants import map_flags
from treadle.pyopencl._shapes import shape_of
from treadle.pyopencl._splay import splay
from treadle.pyopencl._warnings import warn_at_user


class Same:
    """The default of arguments for which None means something."""

    def __repr__(self) -> str:
        return "<that of the array>"


SAME: Any = Same()
_GAPS = "{} of an array with gaps between its elements: 1 * x is one without"


def _where(cq: Any, context: Any, queue: Any) -> tuple[Any, Any, Place]:
    """Queue, context and place of a new array, given a queue or a context."""
    if isinstance(cq, _cl.CommandQueue):
        queue, context = cq, cq.context
    elif isinstance(cq, _cl.Context):
        context = cq
    elif cq is not None:
        raise TypeError(f"an array is made on a queue or a context, not a {type(cq).__name__}")
    if context is None and queue is not None:
        context = queue.context
    assert context is not None, "an array needs a queue or a context"
    return queue, context, place_in(context) if queue is None else quiet_place_of(queue)


class Array(Views):
    """An array on a device of OpenCL, with NumPy's operators.

    Work on it goes to its queue. Results are computed when somebody looks: at their elements, their
    memory (`data`) or their `events`."""

    __array_priority__ = 100
    # Makes NumPy leave operators to this class.
    __array_ufunc__ = None  # type: ignore[assignment]
    policy = "pyopencl"

    _begin: int = 0  # offset of native memory in base_data, in bytes
    _flags: ArrayFlags | None = None

    # over 6 parameters because they are those of PyOpenCL's
    def __init__(
        self,
        cq: Any,
        shape: Any,
        dtype: Any,
        order: str = "C",
        allocator: Any = None,
        data: Any = None,
        offset: int = 0,
        strides: Sequence[int] | None = None,
        events: Iterable[Any] | None = None,
        _flags: Any = None,
        _fast: bool = False,
        _size: int | None = None,
        _context: Any = None,
        _queue: Any = None,
    ) -> None:
        where = _where(cq, _context, _queue)
        if isinstance(data, NativeArray):
            super().__init__(data)
            self._queue, self.context, self._place = where
            if isinstance(data, Array):
                self._data, self._begin = data._data, data._begin
        else:
            self._make(shape, dtype, (order, strides), (data, offset, allocator), where)
        self._events = events if isinstance(events, Events) else Events(events or ())
        if allocator is not None:
            self.allocator = allocator

    def _make(
        self,
        shape: Any,
        dtype: Any,
        in_memory_as: tuple[str, Any],
        memory: tuple[Any, int, Any],
        where: tuple[Any, Any, Place],
    ) -> None:
        """Makes an array in given memory, or in memory of an allocator."""
        order, strides = in_memory_as
        data, offset, allocator = memory
        queue, context, place = where
        lengths, element = shape_of(shape), dtype_of(dtype)
        steps = strides_of(lengths, element, order) if strides is None else tuple(strides)
        layout = element, lengths, steps
        nbytes = element.itemsize * math.prod(lengths)
        is_unshared = data is None and is_pool(allocator)
        if data is None and allocator is not None and nbytes:
            data = allocator(nbytes)
            if isinstance(allocator, _cl.SVMAllocator | _cl.SVMPool):
                bind_fresh(data, queue)
        is_null = isinstance(data, int) and data == 0  # the program sets `base_data` later
        if data is None or is_null or not nbytes:
            super().__init__(new_memory(place, layout))
            self._queue, self.context, self._place = where
            return
        memory = as_memory(data, context)
        super().__init__(in_memory(memory, place, offset, layout, is_unshared))
        self._queue, self.context, self._place = where
        self._begin = offset - _native.offset(self)
        if not is_unshared:
            self._data = data
            self._check_queue(data)

    @property
    def queue(self) -> Any:
        """Where work on it goes; None: it has to be told each time."""
        return self._queue

    @queue.setter
    def queue(self, queue: Any) -> None:
        self._queue = queue
        self._place = place_in(self.context) if queue is None else quiet_place_of(queue)

    def _check_queue(self, data: Any) -> None:
        theirs = getattr(data, "_queue", None)  # the queue of shared virtual memory
        if __debug__ and theirs is not None and self.queue is not None and theirs != self.queue:
            warnings.warn(
                "the memory of the array is bound to another queue than the array",
                InconsistentOpenCLQueueWarning,
                stacklevel=4,
            )

    # --- what the class shared with the other face asks for ---------------------------------------

    def _is_plain(self) -> bool:
        return self._allocator is None and type(self) is Array

    def _adopt(self, result: NativeArray) -> Array:
        made = Array.__new__(Array)
        _native.FaceArray.__init__(made, result)
        made._queue, made.context, made._place = self._queue, self.context, self._place
        return made

    def _allocate(self, shape: Sequence[int], dtype: Any, strides: Sequence[int]) -> Array:
        if not shape and self.shape:  # PyOpenCL makes results of reductions by this constructor
            made = type(self)(self.queue or self.context, (), dtype, allocator=self.allocator)
        else:
            made = self._new_with_changes(None, 0, tuple(shape), dtype, tuple(strides))
        made._changed()
        return made

    # over 6 parameters because they are those of PyOpenCL's
    def _new_with_changes(
        self,
        data: Any,
        offset: int | None,
        shape: tuple[int, ...] | None = None,
        dtype: Any = None,
        strides: tuple[int, ...] | None = None,
        queue: Any = SAME,
        allocator: Any = None,
    ) -> Array:
        """A new object of this class with these changes. It shares the memory `data` if there is
        any."""
        queue = self.queue if queue is SAME else queue
        made = type(self)(
            None,  # None tells subclasses to use _context and _queue
            self.shape if shape is None else shape,
            self.dtype if dtype is None else dtype,
            allocator=self.allocator if allocator is None else allocator,
            data=data,
            offset=self.offset if offset is None else offset,
            strides=self.strides if strides is None else strides,
            events=None if data is None else self._own_events(),
            _fast=True,
            _context=self.context,
            _queue=queue,
        )
        if data is not None and made._data is None:
            made._data, made._begin = self._data, self._begin
        if queue is None:
            made._place = self._place
        made._is_mask = self._is_mask and data is not None and made.dtype == self.dtype
        return made

    def _new_like_me(self, dtype: Any = None, queue: Any = None) -> Array:
        """An array of undefined elements with this shape and this order of axes."""
        queue = self.queue if queue is None else queue
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        strides = self.strides
        if dtype != self.dtype or not self.flags.forc:
            order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
            strides = strides_of(self.shape, dtype, order)
        return self._new_with_changes(None, 0, dtype=dtype, strides=strides, queue=queue)

    def _view(self, native: NativeArray) -> Array:
        """A view of the same memory."""
        if self._data is not None:
            self._check_queue(self._data)
        if type(self) is not Array:
            return self._new_with_changes(native, None, native.shape, native.dtype, native.strides)
        made = self._adopt(native)
        made._allocator, made._events = self._allocator, self._own_events()
        made._data, made._begin = self._data, self._begin
        if self._is_mask and made.dtype == self.dtype:
            made._is_mask = True
        return made

    # --- where work goes --------------------------------------------------------------------------

    def _queue_for(self, queue: Any = None) -> Any:
        queue = self.queue if queue is None else queue
        if queue is None:
            raise ValueError(
                "the array has no queue: with_queue(queue) gives it one, or pass queue="
            )
        return require_queue(queue)

    def _work(self, *others: Any, queue: Any = None) -> Place:
        """For a `with` block: native operations use the queue and come after the arrays' events."""
        place = place_of(self._queue_for(queue))
        for array in (self, *others):
            if isinstance(array, Array) and array._has_new_events():
                array._own_events().order(place)
        return place

    def _scope(self) -> Place:
        return self._work()

    def _changed(self) -> None:
        """Notes that an operation on arrays has changed the elements."""
        self._own_events().unmarked += 1

    def _own_events(self) -> Events:
        """The list of events. It is created for a new result."""
        if self._events is None:
            self._events = Events(unmarked=1)
        return self._events

    def _has_new_events(self) -> bool:
        """Whether the program added events that later work has to wait for."""
        return self._events is not None and len(self._events) > self._events.ordered

    @property
    def events(self) -> Events:
        """What the content depends on. Views share the list."""
        events = self._own_events()
        if events.unmarked:
            events.mark(self)
        return events

    @events.setter
    def events(self, events: Iterable[Any]) -> None:
        self._events = events if isinstance(events, Events) else Events(events)

    @property
    def allocator(self) -> Any:
        """Where memory comes from: a function of the size in bytes. None: the device's pool."""
        return _native.pool(self) if self._allocator is None else self._allocator

    @allocator.setter
    def allocator(self, allocator: Any) -> None:
        pool = allocator if is_pool(allocator) else None
        self._allocator = allocator if pool is None else None
        if _native.pool(self) != pool:
            _native.set_pool(self, pool)

    def add_event(self, evt: Any) -> None:
        """The content depends on it, too: later operations come after it."""
        self.events.add(required(evt, "evt", "a pyopencl.Event", "int_ptr", "wait"))

    def finish(self) -> None:
        """Waits for all events, and forgets them."""
        events = self.events
        if events:
            _cl.wait_for_events(events)
        events.clear()

    def with_queue(self, queue: Any) -> Array:
        """The same memory on another queue; None: on none."""
        if queue is None:
            return self._new_with_changes(self, None, queue=None)
        place = quiet_place_of(queue)
        assert queue.context == self.context, "the queue is one of another context"
        if place.device is self._place.device:
            made = self._new_with_changes(self, None, queue=queue)
        else:  # another device: OpenCL shares memory, streams do not
            if self.events:
                _cl.wait_for_events(self.events)
            made = self._new_with_changes(self.base_data, None, queue=queue)
        if self._data is not None:
            made._check_queue(self._data)
        return made

    def _on(self, queue: Any) -> Array:
        """Puts a new result, which nobody else has, on the queue that computes it."""
        if self._queue is queue:
            return self
        if quiet_place_of(queue).device is not self._place.device:
            return self.with_queue(queue)
        self.queue = queue
        return self

    # --- memory -----------------------------------------------------------------------------------

    def _set_base_data(self, data: Any) -> None:
        """Replaces the memory. The elements keep their places in it. None: allocates new memory."""
        made = self._new_with_changes(data, None)
        _native.rebind(self, made)
        self._data, self._begin = made._data, made._begin

    base_data: Any = property(
        _native.memory_object,
        _set_base_data,
        doc="The memory, from whose start the elements are `offset` bytes away; None: no bytes.",
    )

    @property
    def data(self) -> Any:
        """The memory of an array that begins at its start. Raises ArrayHasOffsetError."""
        if self.offset:
            raise ArrayHasOffsetError(
                "the array begins within its memory: pass base_data and offset to kernels"
            )
        return self.base_data

    @property
    def offset(self) -> int:
        """Bytes from the start of the memory to the first element."""
        return self._begin + _native.offset(self)

    @property
    def flags(self) -> ArrayFlags:
        """Whether the memory is dense, and in which order."""
        if self._flags is None:
            self._flags = ArrayFlags(self)
        return self._flags

    def _get_sizes(self, queue: Any, kernel_specific_max_wg_size: Any = None) -> Any:
        if not self.flags.forc:
            raise NotSupported(_GAPS.format("a kernel"))
        return splay(queue.device, self.size, kernel_specific_max_wg_size)

    # --- to the host, and from it -----------------------------------------------------------------

    def _host_for(self, ary: Any) -> np.ndarray:
        if ary is None:
            return _face_array.empty_host(self)
        if _face_array.require_host(ary).size != self.size:
            raise TypeError(f"ary has {ary.size} elements, the array {self.size}")
        if ary.dtype != self.dtype:
            raise TypeError(f"ary is of {ary.dtype}, the array of {self.dtype}")
        if ary.shape != self.shape:
            warnings.warn(
                f"get() into an array of shape {ary.shape} from one of {self.shape}",
                DeprecationWarning,
                stacklevel=4,
            )
        return ary

    def _is_dense(self, may_turn: bool = False) -> bool:
        """Whether the elements fill all bytes from the first to the last, in any order of axes.
        Axes may run backwards if the caller allows that."""
        axes = _face_array.memory_axes(self.strides)
        shape, strides = ([values[axis] for axis in axes] for values in (self.shape, self.strides))
        if may_turn:
            strides = [abs(stride) for stride in strides]
        return is_c_contiguous_strides(strides, self.dtype.itemsize, shape)

    def get(self, queue: Any = None, ary: Any = None, async_: bool | None = None) -> np.ndarray:
        """The elements on the host, in the axes' order; into `ary` if it is given. Packages of some
        years ago say async_, which get_async() is for: then the events tell when they are there."""
        if async_ is not None:
            text = "Array.get(async_=...) is old: get_async() does not wait"
            warn_at_user(text, DeprecationWarning)
            if async_:
                return self.get_async(queue, ary)[0]
        if ary is None and self.size:
            host = _native.fetched(self, self._work(queue=queue).stream)
            if host is not None:
                return host
        host = self._host_for(ary)
        assert self._is_dense(may_turn=True), _GAPS.format("get()")
        if self.size:
            with self._work(queue=queue):
                _face_array.read(self, host.reshape(self.shape))
        return host

    def get_async(self, queue: Any = None, ary: Any = None) -> tuple[np.ndarray, Any]:
        """The same without waiting: the host's array, and the event of the copy into it."""
        host = self._host_for(ary)
        assert self._is_dense(), _GAPS.format("get()")
        queue = self._queue_for(queue)
        if not self.size:
            return host, _cl.enqueue_marker(queue, self.events or None)
        memory = as_memory(self.base_data, self.context)
        target = host.transpose(_face_array.memory_axes(host.strides))
        if memory is not self.base_data:
            target = keeping(target, memory)
        event = _cl._enqueue_read_buffer(
            queue, memory, target, self.offset, self.events, is_blocking=False
        )
        self.add_event(event)
        return host, event

    def set(self, ary: Any, queue: Any = None, async_: bool = False) -> None:
        """Copies an array of the host in, of the same size, dtype and order."""
        assert _face_array.require_host(ary).size == self.size, (
            f"ary has {ary.size} elements, the array {self.size}"
        )
        assert ary.dtype == self.dtype, f"ary is of {ary.dtype}, the array of {self.dtype}"
        if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
            raise RuntimeError("set() from an array with gaps: pass numpy.ascontiguousarray(it)")
        if not equal_strides(ary.strides, self.strides, self.shape):
            raise RuntimeError(
                f"set() from an array with strides {ary.strides} into one with {self.strides}: "
                "x[...] = values takes any"
            )
        if self.size:
            with self._work(queue=queue):
                _face_array.write(self, ary, wait=not async_)
            self._changed()

    # over 6 parameters because they are those of PyOpenCL's
    def map_to_host(
        self,
        queue: Any = None,
        flags: int = map_flags.READ | map_flags.WRITE,
        is_blocking: bool = True,
        wait_for: Any = None,
    ) -> Any:
        """The memory as an array of the host; `.base.release(queue)` ends it."""
        queue = self._queue_for(queue)
        array, event = _cl.enqueue_map_buffer(
            queue,
            self.base_data,
            flags,
            self.offset,
            self.shape,
            self.dtype,
            strides=self.strides,
            wait_for=[*(wait_for or ()), *self.events],
            is_blocking=is_blocking,
        )
        return array if is_blocking else (array, event)

    def copy(self, queue: Any = SAME) -> Array:
        """The elements in memory of their own, on `queue`: None leaves the copy without one."""
        if not self._is_dense():
            raise RuntimeError(_GAPS.format("copy()"))
        with self._work(queue=None if queue is SAME else queue):
            made = self._wrap(NativeArray.copy(self, "K"))
        if queue is SAME or queue is self.queue:
            return made
        _native.evaluate(made)
        return made.with_queue(queue)

    def fill(  # type: ignore[override]
        self, value: Any, queue: Any = None, wait_for: Any = None
    ) -> Array:
        """Makes every element `value`, after `wait_for`."""
        require_real(self, value)
        with self._work(queue=queue) as place:
            Events(wait_for or ()).order(place)
            if self.size:
                _face_array.assign(self, value)
        self._changed()
        return self

    # --- as Python sees it ------------------------------------------------------------------------

    def __str__(self) -> str:
        if self.queue is None:
            return f"<cl.{type(self).__name__} {self.shape} of {self.dtype}: call with_queue()>"
        with self._work():
            return str(NativeArray.get(self))

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.queue is None:
            return f"<cl.{name} {self.shape} of {self.dtype}: call with_queue()>"
        with self._work():
            text = repr(NativeArray.get(self))
        return text.replace("array", f"cl.{name}", 1)

    def safely_stringify_for_pudb(self) -> str:
        """What a debugger shows, without waiting for the device."""
        return f"cl.{type(self).__name__} {self.dtype} {self.shape}"

    # The modules that import this class set these.
    _any_of: Any
    _all_of: Any

    def any(  # type: ignore[override]
        self, queue: Any = None, wait_for: Any = None
    ) -> Any:
        """Whether an element is not 0: 1 or 0, as an array of int8 without axes."""
        return self._any_of(self, queue, wait_for)

    def all(  # type: ignore[override]
        self, queue: Any = None, wait_for: Any = None
    ) -> Any:
        """The same of all elements."""
        return self._all_of(self, queue, wait_for)

    def __bool__(self) -> bool:
        if self.shape != ():
            raise ValueError(
                f"the truth value of an array of shape {self.shape} is ambiguous: use any() or "
                "all()"
            )
        return builtins.bool(self.get())


_native.register_face(Array, Array.policy, _face_array.OperandShapeError)
