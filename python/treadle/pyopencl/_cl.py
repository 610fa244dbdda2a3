# SPDX-License-Identifier: MIT
"""The native half of pyopencl: classes and functions from C++, constants from its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle._core import NotSupported
from treadle._core.opencl import *  # noqa: F403
from treadle._core.opencl import (  # noqa: F401
    _build_cached,
    _create_program_with_il,
    _enqueue_barrier,
    _enqueue_barrier_with_wait_list,
    _enqueue_copy_buffer,
    _enqueue_copy_buffer_rect,
    _enqueue_copy_buffer_to_image,
    _enqueue_copy_image,
    _enqueue_copy_image_to_buffer,
    _enqueue_fill_buffer,
    _enqueue_marker,
    _enqueue_marker_with_wait_list,
    _enqueue_read_buffer,
    _enqueue_read_buffer_rect,
    _enqueue_read_image,
    _enqueue_svm_map,
    _enqueue_svm_memcpy,
    _enqueue_svm_memfill,
    _enqueue_svm_migrate_mem,
    _enqueue_svm_unmap,
    _enqueue_wait_for_events,
    _enqueue_write_buffer,
    _enqueue_write_buffer_rect,
    _enqueue_write_image,
    _gl_sharing_properties,
    _name_cache_folder,
    _Program,
    _TestMemoryPool,
    get_platforms,
)
from treadle.pyopencl._constants import *  # noqa: F403
from treadle.pyopencl._errors import (  # noqa: F401
    Error,
    LogicError,
    MemoryError,
    RuntimeError,
    _ErrorRecord,
)
from treadle.pyopencl._errors import wrong_kind as _wrong_kind


def get_cl_header_version() -> tuple[int, int]:
    """The version of OpenCL this was built against."""
    return (3, 0)


def _sizeof_size_t() -> int:
    return 8


def bitlog2(n: int) -> int:
    """The index of the highest bit that is set; 0 for 0."""
    return max(n.__index__().bit_length() - 1, 0)


def have_gl() -> bool:
    """Whether a platform here shares memory with OpenGL: for others the classes refuse it."""
    devices = (device for platform in get_platforms() for device in platform.get_devices())
    return any("cl_khr_gl_sharing" in device.extensions for device in devices)


# over 6 parameters because they are those of PyOpenCL's
def enqueue_copy_buffer_p2p_amd(
    platform: Any,
    queue: Any,
    src: Any,
    dst: Any,
    byte_count: int | None = None,
    wait_for: Any = None,
) -> Any:
    """A copy between buffers of two contexts, by AMD's extension: refused, it is not here."""
    if not isinstance(platform, Platform):  # noqa: F405
        raise _wrong_kind("enqueue_copy_buffer_p2p_amd", "platform", platform, "pyopencl.Platform")
    raise NotSupported(
        f"clEnqueueCopyBufferP2PAMD of {platform.name}: cl_amd_copy_buffer_p2p is not wrapped; "
        "copy through the host, enqueue_copy(queue, host, src) and enqueue_copy(queue, dst, host)"
    )


if TYPE_CHECKING:  # the constants

    def __getattr__(name: str) -> Any: ...
