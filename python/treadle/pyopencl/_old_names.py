# SPDX-License-Identifier: MIT
"""The names that transfers had before enqueue_copy: programs of the papers' years call them."""

from __future__ import annotations

import warnings
from typing import Any

from treadle.pyopencl import _cl
from treadle.pyopencl._cl import CommandQueue, Event


def _warn(name: str, form: str) -> None:
    warnings.warn(
        f"pyopencl.{name} is an old name: enqueue_copy({form})",
        DeprecationWarning,
        stacklevel=3,
    )


# Parameters, their order and their defaults are those of PyOpenCL 2011.1.


def enqueue_read_buffer(
    queue: CommandQueue,
    mem: Any,
    hostbuf: Any,
    device_offset: int = 0,
    wait_for: Any = None,
    is_blocking: bool = True,
) -> Event:
    """Old name of enqueue_copy(queue, hostbuf, mem): fills `hostbuf` from a buffer."""
    _warn("enqueue_read_buffer", "queue, hostbuf, mem, src_offset=device_offset")
    return _cl._enqueue_read_buffer(queue, mem, hostbuf, device_offset, wait_for, is_blocking)


def enqueue_write_buffer(
    queue: CommandQueue,
    mem: Any,
    hostbuf: Any,
    device_offset: int = 0,
    wait_for: Any = None,
    is_blocking: bool = True,
) -> Event:
    """Old name of enqueue_copy(queue, mem, hostbuf): copies `hostbuf` into a buffer."""
    _warn("enqueue_write_buffer", "queue, mem, hostbuf, dst_offset=device_offset")
    return _cl._enqueue_write_buffer(queue, mem, hostbuf, device_offset, wait_for, is_blocking)


def enqueue_copy_buffer(
    queue: CommandQueue,
    src: Any,
    dst: Any,
    byte_count: int = -1,
    src_offset: int = 0,
    dst_offset: int = 0,
    wait_for: Any = None,
) -> Event:
    """Old name of enqueue_copy(queue, dst, src): copies between buffers."""
    _warn("enqueue_copy_buffer", "queue, dst, src, byte_count=byte_count")
    return _cl._enqueue_copy_buffer(
        queue, src, dst, byte_count, src_offset, dst_offset, wait_for=wait_for
    )


def enqueue_read_buffer_rect(
    queue: CommandQueue,
    mem: Any,
    hostbuf: Any,
    buffer_origin: Any,
    host_origin: Any,
    region: Any,
    buffer_pitches: Any = None,
    host_pitches: Any = None,
    wait_for: Any = None,
    is_blocking: bool = True,
) -> Event:
    """Old name of enqueue_copy(queue, hostbuf, mem, buffer_origin=...): reads a box."""
    _warn("enqueue_read_buffer_rect", "queue, hostbuf, mem, buffer_origin=buffer_origin, ...")
    return _cl._enqueue_read_buffer_rect(
        queue,
        mem,
        hostbuf,
        buffer_origin,
        host_origin,
        region,
        buffer_pitches,
        host_pitches,
        wait_for,
        is_blocking,
    )


def enqueue_write_buffer_rect(
    queue: CommandQueue,
    mem: Any,
    hostbuf: Any,
    buffer_origin: Any,
    host_origin: Any,
    region: Any,
    buffer_pitches: Any = None,
    host_pitches: Any = None,
    wait_for: Any = None,
    is_blocking: bool = True,
) -> Event:
    """Old name of enqueue_copy(queue, mem, hostbuf, buffer_origin=...): writes a box."""
    _warn("enqueue_write_buffer_rect", "queue, mem, hostbuf, buffer_origin=buffer_origin, ...")
    return _cl._enqueue_write_buffer_rect(
        queue,
        mem,
        hostbuf,
        buffer_origin,
        host_origin,
        region,
        buffer_pitches,
        host_pitches,
        wait_for,
        is_blocking,
    )


def enqueue_copy_buffer_rect(
    queue: CommandQueue,
    src: Any,
    dst: Any,
    src_origin: Any,
    dst_origin: Any,
    region: Any,
    src_pitches: Any = None,
    dst_pitches: Any = None,
    wait_for: Any = None,
) -> Event:
    """Old name of enqueue_copy(queue, dst, src, src_origin=...): copies a box."""
    _warn("enqueue_copy_buffer_rect", "queue, dst, src, src_origin=src_origin, ...")
    return _cl._enqueue_copy_buffer_rect(
        queue, src, dst, src_origin, dst_origin, region, src_pitches, dst_pitches, wait_for
    )
