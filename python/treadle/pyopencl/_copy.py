# SPDX-License-Identifier: MIT
"""enqueue_copy and enqueue_fill: which native call a pair of operands means."""

from __future__ import annotations

import warnings
from typing import Any

from treadle.pyopencl import _cl
from treadle.pyopencl._cl import CommandQueue, Event, MemoryObjectHolder
from treadle.pyopencl._constants import mem_object_type

_BUFFER = mem_object_type.BUFFER


def _is_buffer(operand: Any) -> bool:
    if not isinstance(operand, MemoryObjectHolder):
        return False
    if operand.type != _BUFFER:
        kind = mem_object_type.to_string(operand.type, "memory of type %#x")
        raise ValueError(f"enqueue_copy copies buffers and host memory, not {kind}")
    return True


def _rename(keywords: dict[str, Any], old: str, new: str) -> None:
    if old not in keywords:
        return
    if new in keywords:
        raise TypeError(f"'{old}' is the deprecated name of '{new}': give only one of them")
    warnings.warn(f"'{old}' is deprecated, use '{new}' instead", DeprecationWarning, stacklevel=4)
    keywords[new] = keywords.pop(old)


def _between_buffers(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    _rename(keywords, "dest_offset", "dst_offset")
    if "src_origin" in keywords:
        return _cl._enqueue_copy_buffer_rect(queue, src, dest, **keywords)
    return _cl._enqueue_copy_buffer(queue, src, dest, **keywords)


def _from_host(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    _rename(keywords, "device_offset", "dst_offset")
    if "buffer_origin" in keywords:
        return _cl._enqueue_write_buffer_rect(queue, dest, src, **keywords)
    return _cl._enqueue_write_buffer(queue, dest, src, **keywords)


def _to_host(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    _rename(keywords, "device_offset", "src_offset")
    if "buffer_origin" in keywords:
        return _cl._enqueue_read_buffer_rect(queue, src, dest, **keywords)
    return _cl._enqueue_read_buffer(queue, src, dest, **keywords)


def enqueue_copy(queue: CommandQueue, dest: Any, src: Any, **kwargs: Any) -> Event:
    """Copies between buffers, or between a buffer and host memory (then blocking by default).

    Keywords: wait_for; byte_count, src_offset, dst_offset between buffers; src_offset or dst_offset
    and is_blocking with the host; for boxes src_origin, dst_origin, region, src_pitches and
    dst_pitches between buffers, buffer_origin, host_origin, region, buffer_pitches and host_pitches
    with the host.
    """
    if _is_buffer(dest):
        if _is_buffer(src):
            return _between_buffers(queue, dest, src, kwargs)
        return _from_host(queue, dest, src, kwargs)
    if _is_buffer(src):
        return _to_host(queue, dest, src, kwargs)
    raise TypeError("enqueue_copy cannot copy from host to host: numpy.copyto does that")


def enqueue_fill(
    queue: CommandQueue,
    dest: Any,
    pattern: Any,
    size: int,
    *,
    offset: int = 0,
    wait_for: Any = None,
) -> Event:
    """Repeats a pattern over `size` bytes."""
    if isinstance(dest, MemoryObjectHolder):
        return _cl.enqueue_fill_buffer(queue, dest, pattern, offset, size, wait_for)
    raise TypeError(f"enqueue_fill fills buffers, not {type(dest).__name__}")
