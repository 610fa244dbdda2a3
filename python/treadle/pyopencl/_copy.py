# SPDX-License-Identifier: MIT
"""enqueue_copy and enqueue_fill: which native call a pair of operands means."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treadle._core.opencl import _make_enqueue_copy
from treadle.pyopencl import _cl
from treadle.pyopencl._cl import SVM, CommandQueue, Event, MemoryObjectHolder, SVMPointer
from treadle.pyopencl._constants import mem_object_type
from treadle.pyopencl._svm import copy_svm

_KINDS = {_cl.Buffer: "buffer", _cl.PooledBuffer: "buffer", np.ndarray: "host"}
_BUFFER = mem_object_type.BUFFER
_IMAGES = (
    mem_object_type.IMAGE2D,
    mem_object_type.IMAGE3D,
    mem_object_type.IMAGE2D_ARRAY,
    mem_object_type.IMAGE1D,
    mem_object_type.IMAGE1D_ARRAY,
    mem_object_type.IMAGE1D_BUFFER,
)


def _kind(operand: Any) -> str:
    """What an operand is to enqueue_copy: "buffer", "image", "svm" or "host"."""
    kind = _KINDS.get(type(operand))  # which spares asking OpenCL
    if kind is not None:
        return kind
    if not isinstance(operand, MemoryObjectHolder):
        return "svm" if isinstance(operand, SVMPointer) else "host"
    if operand.type == _BUFFER:
        return "buffer"
    if operand.type in _IMAGES:
        return "image"
    name = mem_object_type.to_string(operand.type, "memory of type %#x")
    raise ValueError(f"enqueue_copy copies buffers, images and host memory, not {name}")


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


def _image_pitches(keywords: dict[str, Any]) -> None:
    """`pitches` of one or two numbers as the native calls name them."""
    pitches = tuple(keywords.pop("pitches", ()))
    if len(pitches) > 2:
        raise TypeError(f"pitches are those of rows and slices, not {len(pitches)} numbers")
    keywords.update(zip(("row_pitch", "slice_pitch"), pitches, strict=False))


def _image_from_host(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    origin, region = keywords.pop("origin"), keywords.pop("region")
    _image_pitches(keywords)
    return _cl._enqueue_write_image(queue, dest, origin, region, src, **keywords)


def _image_to_host(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    origin, region = keywords.pop("origin"), keywords.pop("region")
    _image_pitches(keywords)
    return _cl._enqueue_read_image(queue, src, origin, region, dest, **keywords)


def _between_images(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    return _cl._enqueue_copy_image(queue, src, dest, **keywords)


def _image_to_buffer(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    return _cl._enqueue_copy_image_to_buffer(queue, src, dest, **keywords)


def _buffer_to_image(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    return _cl._enqueue_copy_buffer_to_image(queue, src, dest, **keywords)


def _svm_from_host(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    # What cannot be written to is copied from all the same.
    view = memoryview(src)
    if view.readonly:
        src = bytearray(view.tobytes(order="A"))
        keywords["is_blocking"] = True
    return copy_svm(queue, dest, src, keywords)


# By what dest is, and what src is.
_FORMS = {
    ("buffer", "buffer"): _between_buffers,
    ("buffer", "image"): _image_to_buffer,
    ("buffer", "host"): _from_host,
    ("image", "buffer"): _buffer_to_image,
    ("image", "image"): _between_images,
    ("image", "host"): _image_from_host,
    ("host", "buffer"): _to_host,
    ("host", "image"): _image_to_host,
    ("svm", "svm"): copy_svm,
    ("svm", "host"): _svm_from_host,
    ("host", "svm"): copy_svm,
}


def _enqueue_copy(queue: CommandQueue, dest: Any, src: Any, **kwargs: Any) -> Event:
    """Copies between buffers, images, and shared memory and the host (then blocking by default).

    Keywords: wait_for; byte_count, src_offset, dst_offset between buffers; src_offset or dst_offset
    and is_blocking with the host; for boxes src_origin, dst_origin, region, src_pitches and
    dst_pitches between buffers, buffer_origin, host_origin, region, buffer_pitches and host_pitches
    with the host. Of images origin, region and pitches with the host, origin, region and offset
    with a buffer, src_origin, dest_origin and region between two. Of shared memory byte_count and
    is_blocking.
    """
    form = _FORMS.get((_kind(dest), _kind(src)))
    if form is None and _kind(dest) == _kind(src):
        raise TypeError("enqueue_copy cannot copy from host to host: numpy.copyto does that")
    if form is None:
        raise TypeError(
            "enqueue_copy copies shared memory to shared memory and the host: copy "
            f"{_kind(src)} to {_kind(dest)} with svm.as_buffer(context)"
        )
    return form(queue, dest, src, kwargs)


# Buffers and NumPy's arrays, which most programs copy, are chosen without a line of Python.
enqueue_copy = _make_enqueue_copy(
    (
        _enqueue_copy,
        _cl.Buffer,
        np.ndarray,
        _cl._enqueue_copy_buffer,
        _cl._enqueue_write_buffer,
        _cl._enqueue_read_buffer,
    )
)


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
    if isinstance(dest, SVMPointer):
        if offset != 0:
            dest = SVM(dest.buf[offset : offset + size])
        return _cl._enqueue_svm_memfill(queue, dest, pattern, size, wait_for)
    raise TypeError(f"enqueue_fill fills buffers and shared memory, not {type(dest).__name__}")
