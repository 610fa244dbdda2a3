# SPDX-License-Identifier: MIT
"""Between queues and events of OpenCL and the streams that arrays compute on."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from treadle._core import array as _native
from treadle._core.array import Array as NativeArray
from treadle._core.device import Device
from treadle._required import required
from treadle.pyopencl import _cl
from treadle.pyopencl._constants import command_queue_properties
from treadle.pyopencl._extensions import has_double_support
from treadle.pyopencl._svm import as_buffer
from treadle.pyopencl._warnings import CommandQueueUsedAfterExit, warn_at_user

# With more events, add_event() waits for the oldest events and drops them.
MOST_EVENTS = 12
_DROPPED_AT_ONCE = 4


class Place(_native.Place):
    """Where the work of a queue goes; in a with block native operations go there. Operators record
    there without asking unless the queue's with block has ended: place_of() warns then."""

    __slots__ = ()

    def __enter__(self) -> Place:
        self.stream.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stream.__exit__(*exception)


def place_of(queue: Any) -> Place:
    """That of a queue, made once. Work goes there: behind the end of the queue's with block that is
    a CommandQueueUsedAfterExit, as commands are."""
    place = getattr(queue, "_place", None)
    if place is None:
        place = quiet_place_of(queue)
        if hasattr(queue, "_place_before_end"):
            warn_at_user("Command queue used after exit.", CommandQueueUsedAfterExit)
    return place


def require_queue(queue: Any) -> Any:
    """The queue; TypeError for what is none."""
    if not isinstance(queue, _cl.CommandQueue):
        raise TypeError(f"a {type(queue).__name__} where a CommandQueue is expected")
    return queue


def quiet_place_of(queue: Any) -> Place:
    """The same for what sends no work there yet."""
    place = getattr(queue, "_place", None)
    if place is None:
        place = getattr(queue, "_place_before_end", None)
    if place is None:
        device = Device.of(require_queue(queue).context, queue.device)
        # Adopt the handle's number: the stream must not keep the Python object that keeps the
        # stream.
        stream = device.adopt_stream(queue.int_ptr)
        place = Place(device, stream, has_double_support(queue.device))
        if hasattr(queue, "_place_before_end"):
            _end(queue, place)
        else:
            queue._place = place
    return place


def _end(queue: Any, place: Place | None) -> None:
    """Hides the place where arrays look first, so that other queues pay nothing for the check."""
    queue._place, queue._place_before_end = None, place
    if place is not None:
        place.records = False


def place_in(context: Any) -> Place:
    """That of arrays without a queue: the context's first device."""
    device = Device.of(context, context.devices[0])
    return Place(device, device.default_stream(), has_double_support(context.devices[0]))


def as_memory(data: Any, context: Any) -> Any:
    """The memory object behind an array's data; of shared virtual memory a buffer over it, which
    keeps it."""
    if isinstance(data, _cl.SVMPointer):
        return as_buffer(data, context)
    if not isinstance(data, _cl.MemoryObjectHolder):
        raise TypeError(
            f"data is a {type(data).__name__}: pass a pyopencl.Buffer, a block of a MemoryPool or "
            "shared virtual memory"
        )
    return data


def bind_fresh(data: Any, queue: Any) -> None:
    """Lets the memory that an allocator of this package gave be freed behind what uses it."""
    out_of_order = command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    if queue is not None and data._queue is None and not queue.properties & out_of_order:
        data.bind_to_queue(queue)


class Events(list[Any]):
    """What the content of a memory depends on. All arrays that are views of the memory have the
    same list. Operations on arrays are counted, and an event for them is made when somebody looks.
    What the program takes out or puts elsewhere than at the end lets work wait for all of it again.
    """

    __slots__ = ("ordered", "unmarked")

    def __init__(self, events: Iterable[Any] = (), unmarked: int = 0) -> None:
        super().__init__(events)
        self.unmarked = unmarked  # operations without an event in the list
        self.ordered = 0  # the arrays' stream waits for so many of the events

    def mark(self, array: NativeArray) -> None:
        """Makes the list tell of all operations on the array, which is computed."""
        if getattr(array, "context", None) is None:  # no OpenCL events
            raise TypeError(f"a {type(array).__name__} in no context of pyopencl has no events")
        marker = _native.mark(array)  # keeps the event of `raw` alive
        event = _cl.Event.from_int_ptr(marker.raw)
        super().extend([event] * min(self.unmarked, MOST_EVENTS))
        self.unmarked = 0
        self.ordered = len(self)

    def add(self, event: Any) -> None:
        """One more; where there are many, the oldest are waited for and dropped."""
        super().append(event)
        if len(self) > MOST_EVENTS:
            oldest = self[:_DROPPED_AT_ONCE]
            _cl.wait_for_events(oldest)
            super().__delitem__(slice(_DROPPED_AT_ONCE))
            self.ordered = max(self.ordered - _DROPPED_AT_ONCE, 0)

    def order(self, place: Place) -> None:
        """Lets later work of the place come after the events that the program added."""
        for event in self[self.ordered :]:
            required(event, "wait_for", "pyopencl.Event", "int_ptr")
            place.stream.wait(place.device.adopt_event(event.int_ptr))
        self.ordered = len(self)


def _reordering(change: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(change)
    def method(self: Events, *arguments: Any, **options: Any) -> Any:
        self.ordered = 0
        return change(self, *arguments, **options)

    return method


_CHANGES = ("__setitem__", "__delitem__", "__imul__")
for _name in (*_CHANGES, "clear", "insert", "pop", "remove", "reverse", "sort"):
    setattr(Events, _name, _reordering(getattr(list, _name)))
