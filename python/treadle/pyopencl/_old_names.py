# SPDX-License-Identifier: MIT
"""The names that transfers had before enqueue_copy, and other commands before OpenCL 1.2: programs
of the papers' years call them.

Parameters, their order and their defaults are those of PyOpenCL 2011.1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from treadle.pyopencl import _cl
from treadle.pyopencl._cl import Event


def _warn(name: str, today: str) -> None:
    warnings.warn(f"pyopencl.{name} is an old name: {today}", DeprecationWarning, stacklevel=3)


def _old_name(name: str, form: str, offset: str | None = None) -> Callable[..., Event]:
    """Defines an old name of a call. `form` shows today's call. device_offset became `offset`."""
    native = getattr(_cl, f"_{name}")

    def call(*args: Any, **kwargs: Any) -> Event:
        _warn(name, f"enqueue_copy({form})")
        if offset is not None and "device_offset" in kwargs:
            if offset in kwargs:
                raise TypeError(
                    f"{name}(device_offset={kwargs['device_offset']!r}, {offset}="
                    f"{kwargs[offset]!r}): the two are one argument, pass {offset} alone"
                )
            kwargs[offset] = kwargs.pop("device_offset")
        return native(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Old name of enqueue_copy({form})."
    return call


enqueue_read_buffer = _old_name(
    "enqueue_read_buffer", "queue, hostbuf, mem, src_offset=device_offset", "src_offset"
)
enqueue_write_buffer = _old_name(
    "enqueue_write_buffer", "queue, mem, hostbuf, dst_offset=device_offset", "dst_offset"
)
enqueue_copy_buffer = _old_name("enqueue_copy_buffer", "queue, dst, src, byte_count=byte_count")
enqueue_read_buffer_rect = _old_name(
    "enqueue_read_buffer_rect", "queue, hostbuf, mem, buffer_origin=buffer_origin, ..."
)
enqueue_write_buffer_rect = _old_name(
    "enqueue_write_buffer_rect", "queue, mem, hostbuf, buffer_origin=buffer_origin, ..."
)
enqueue_copy_buffer_rect = _old_name(
    "enqueue_copy_buffer_rect", "queue, dst, src, src_origin=src_origin, ..."
)
enqueue_read_image = _old_name(
    "enqueue_read_image", "queue, hostbuf, mem, origin=origin, region=region"
)
enqueue_write_image = _old_name(
    "enqueue_write_image", "queue, mem, hostbuf, origin=origin, region=region"
)
enqueue_copy_image = _old_name("enqueue_copy_image", "queue, dest, src, src_origin=src_origin, ...")
enqueue_copy_image_to_buffer = _old_name(
    "enqueue_copy_image_to_buffer", "queue, dest, src, offset=offset, origin=origin, ..."
)
enqueue_copy_buffer_to_image = _old_name(
    "enqueue_copy_buffer_to_image", "queue, dest, src, offset=offset, origin=origin, ..."
)


def enqueue_wait_for_events(queue: _cl.CommandQueue, events: Sequence[Event]) -> None:
    """Old name of enqueue_barrier(queue, wait_for=events)."""
    _warn("enqueue_wait_for_events", "enqueue_barrier(queue, wait_for=events)")
    _cl._enqueue_wait_for_events(queue, events)


def enqueue_task(
    queue: _cl.CommandQueue, kernel: _cl.Kernel, wait_for: Sequence[Event] | None = None
) -> Event:
    """Old name of enqueue_nd_range_kernel(queue, kernel, (1,), (1,))."""
    _warn("enqueue_task", "enqueue_nd_range_kernel(queue, kernel, (1,), (1,))")
    return _cl.enqueue_nd_range_kernel(queue, kernel, (1,), (1,), wait_for=wait_for)
