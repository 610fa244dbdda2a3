# SPDX-License-Identifier: MIT
"""enqueue_copy and enqueue_fill: which native call a pair of operands means."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from treadle._core.array import Array
from treadle._core.opencl import _make_enqueue_copy
from treadle.pyopencl import _cl
from treadle.pyopencl._cl import SVM, CommandQueue, Event, MemoryObjectHolder, SVMPointer
from treadle.pyopencl._constants import mem_object_type
from treadle.pyopencl._errors import wrong_kind
from treadle.pyopencl._svm import copy_svm, part_of

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


def _kind(operand: Any, argument: str) -> str:
    """The kind of an operand of enqueue_copy: "buffer", "image", "svm" or "host"."""
    kind = _KINDS.get(type(operand))  # without a question to OpenCL
    if kind is not None:
        return kind
    if not isinstance(operand, MemoryObjectHolder):
        if isinstance(operand, SVMPointer):
            return "svm"
        _check_buffer(operand, argument)
        return "host"
    if operand.type == _BUFFER:
        return "buffer"
    if operand.type in _IMAGES:
        return "image"
    name = mem_object_type.to_string(operand.type, "memory of type %#x")
    raise ValueError(f"{argument}: enqueue_copy copies buffers, images and the host's, not {name}")


def _check_buffer(operand: Any, argument: str) -> None:
    """Refuses an object without memory: the next call's errors name other arguments."""
    try:
        memoryview(operand)
    except (TypeError, BufferError) as error:
        is_array = isinstance(operand, Array)
        if isinstance(error, BufferError) and not is_array:
            raise
        wanted = "memory of a context, or a bytes-like object such as a NumPy array"
        if is_array:
            wanted += ", as the data of an array is"
        raise wrong_kind("enqueue_copy", argument, operand, wanted) from None


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
    """Turns `pitches`, one or two numbers, into keywords of the native calls."""
    pitches = keywords.pop("pitches", ())
    if not isinstance(pitches, Iterable):
        raise wrong_kind("enqueue_copy", "pitches", pitches, "one or two ints in a tuple")
    pitches = tuple(pitches)
    if len(pitches) > 2:
        raise TypeError(f"pitches are those of rows and slices, not {len(pitches)} numbers")
    keywords.update(zip(("row_pitch", "slice_pitch"), pitches, strict=False))


def _image_place(keywords: dict[str, Any]) -> tuple[Any, Any]:
    """Reads `origin` and `region`, which a copy between an image and the host requires."""
    for name in ("origin", "region"):
        if name not in keywords:
            raise KeyError(
                f"enqueue_copy: {name} is missing, the src or the dest is an image: "
                "try origin=(0, 0), region=image.shape"
            )
    return keywords.pop("origin"), keywords.pop("region")


def _image_from_host(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    origin, region = _image_place(keywords)
    _image_pitches(keywords)
    return _cl._enqueue_write_image(queue, dest, origin, region, src, **keywords)


def _image_to_host(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    origin, region = _image_place(keywords)
    _image_pitches(keywords)
    return _cl._enqueue_read_image(queue, src, origin, region, dest, **keywords)


def _between_images(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    return _cl._enqueue_copy_image(queue, src, dest, **keywords)


def _image_to_buffer(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    return _cl._enqueue_copy_image_to_buffer(queue, src, dest, **keywords)


def _buffer_to_image(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    return _cl._enqueue_copy_buffer_to_image(queue, src, dest, **keywords)


def _svm_from_host(queue: CommandQueue, dest: Any, src: Any, keywords: dict[str, Any]) -> Event:
    # Read-only memory can still be copied from.
    view = memoryview(src)
    if view.readonly:
        src = bytearray(view.tobytes(order="A"))
        keywords["is_blocking"] = True
    return copy_svm(queue, dest, src, keywords)


# By the kinds of dest and src.
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
    kinds = _kind(dest, "dest"), _kind(src, "src")
    form = _FORMS.get(kinds)
    if form is None and kinds == ("host", "host"):
        raise TypeError(
            "enqueue_copy cannot copy from host to host, as src and dest are: numpy.copyto does"
        )
    if form is None:
        raise TypeError(
            "enqueue_copy copies shared memory to shared memory and the host: copy the src, "
            f"{kinds[1]}, to the dest, {kinds[0]}, with svm.as_buffer(context)"
        )
    return form(queue, dest, src, kwargs)


# The most frequent operands, buffers and NumPy arrays, are chosen without running Python code.
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
            dest = SVM(part_of(dest, "enqueue_fill", offset=offset, size=size))
        return _cl._enqueue_svm_memfill(queue, dest, pattern, size, wait_for)
    raise wrong_kind("enqueue_fill", "dest", dest, "memory of a context: a Buffer or an SVMPointer")
