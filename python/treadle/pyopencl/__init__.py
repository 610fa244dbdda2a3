# SPDX-License-Identifier: MIT
"""PyOpenCL's interface on Treadle: `import treadle.compat` makes `import pyopencl` find it."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable
from typing import Any

from treadle import _absent
from treadle.pyopencl import cltypes  # noqa: F401 - fills the registry of types
from treadle.pyopencl.version import VERSION, VERSION_STATUS, VERSION_TEXT  # noqa: F401

# isort: split
os.environ["PYOPENCL_HOME"] = os.path.dirname(os.path.abspath(__file__))

from treadle.pyopencl import _cl
from treadle.pyopencl._choice import choose_devices, create_some_context
from treadle.pyopencl._cl import (  # noqa: F401
    SVM,
    Buffer,
    CommandQueue,
    Context,
    Device,
    DeviceTopologyAmd,
    Event,
    GLBuffer,
    GLRenderBuffer,
    GLTexture,
    Image,
    ImageDescriptor,
    ImageFormat,
    Kernel,
    LocalMemory,
    MemoryMap,
    MemoryObject,
    MemoryObjectHolder,
    NameVersion,
    NannyEvent,
    Pipe,
    Platform,
    Sampler,
    SVMAllocation,
    SVMPointer,
    UserEvent,
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
    _Program,
    enqueue_acquire_gl_objects,
    enqueue_barrier,
    enqueue_copy_buffer_p2p_amd,
    enqueue_fill_buffer,
    enqueue_fill_image,
    enqueue_map_buffer,
    enqueue_map_image,
    enqueue_marker,
    enqueue_migrate_mem_objects,
    enqueue_native_kernel,
    enqueue_nd_range_kernel,
    enqueue_release_gl_objects,
    get_cl_header_version,
    get_gl_context_info_khr,
    get_platforms,
    get_supported_image_formats,
    have_gl,
    unload_platform_compiler,
    wait_for_events,
)
from treadle.pyopencl._constants import *  # noqa: F403
from treadle.pyopencl._constants import __all__ as _constant_names
from treadle.pyopencl._copy import enqueue_copy, enqueue_fill
from treadle.pyopencl._errors import Error, LogicError, MemoryError, RuntimeError
from treadle.pyopencl._errors import wrong_kind as _wrong_kind
from treadle.pyopencl._images import (  # noqa: F401 - the tables are not in __all__
    DTYPE_TO_CHANNEL_TYPE,
    DTYPE_TO_CHANNEL_TYPE_NORM,
    create_image,
    image_from_array,
)
from treadle.pyopencl._old_names import (  # noqa: F401 - not in __all__, as they are deprecated
    enqueue_copy_buffer,
    enqueue_copy_buffer_rect,
    enqueue_copy_buffer_to_image,
    enqueue_copy_image,
    enqueue_copy_image_to_buffer,
    enqueue_read_buffer,
    enqueue_read_buffer_rect,
    enqueue_read_image,
    enqueue_task,
    enqueue_wait_for_events,
    enqueue_write_buffer,
    enqueue_write_buffer_rect,
    enqueue_write_image,
)
from treadle.pyopencl._pickling import register as _register_pickling
from treadle.pyopencl._program import (
    DEFAULT_BUILD_OPTIONS as _DEFAULT_BUILD_OPTIONS,
)
from treadle.pyopencl._program import (
    DEFAULT_INCLUDE_OPTIONS as _DEFAULT_INCLUDE_OPTIONS,  # noqa: F401
)
from treadle.pyopencl._program import (
    PLAT_BUILD_OPTIONS as _PLAT_BUILD_OPTIONS,  # noqa: F401
)
from treadle.pyopencl._program import (
    Program,
    create_program_with_built_in_kernels,
    link_program,
)
from treadle.pyopencl._svm import (
    SVMMap,
    csvm_empty,
    csvm_empty_like,
    enqueue_svm_memfill,
    enqueue_svm_migrate_mem,
    fsvm_empty,
    fsvm_empty_like,
    svm_empty,
    svm_empty_like,
)
from treadle.pyopencl._warnings import (
    CommandQueueUsedAfterExit,
    CompilerWarning,
    RepeatedKernelRetrieval,
    compiler_output,
    setting_is_on,
)

__version__ = VERSION_TEXT

_PYPY = False
_PYOPENCL_NO_CACHE = setting_is_on("PYOPENCL_NO_CACHE")
_KERNEL_ARG_CLASSES = (
    _cl.MemoryObjectHolder,
    _cl.Sampler,
    _cl.CommandQueue,
    _cl.LocalMemory,
    _cl.SVMPointer,
)
_csc = create_some_context
CtxFactory = Callable[[], Context]


def enable_debugging(platform_or_context: Any) -> None:
    """Builds later programs for a debugger, where the platform has one."""
    platform = platform_or_context
    if isinstance(platform_or_context, Context):
        platform = platform_or_context.devices[0].platform
    if not isinstance(platform, Platform):
        wanted = "pyopencl.Platform or pyopencl.Context"
        raise _wrong_kind("enable_debugging", "platform_or_context", platform, wanted)
    if "AMD Accelerated" in platform.name:
        _DEFAULT_BUILD_OPTIONS.extend(["-g", "-O0"])
        os.environ["CPU_MAX_COMPUTE_UNITS"] = "1"
    else:
        warnings.warn(f"do not know how to enable debugging on {platform.name!r}", stacklevel=2)


__all__ = [
    *_constant_names,
    "Buffer",
    "CommandQueue",
    "CommandQueueUsedAfterExit",
    "CompilerWarning",
    "Context",
    "Device",
    "DeviceTopologyAmd",
    "Error",
    "Event",
    "GLBuffer",
    "GLRenderBuffer",
    "GLTexture",
    "Image",
    "ImageDescriptor",
    "ImageFormat",
    "Kernel",
    "LocalMemory",
    "LogicError",
    "MemoryError",
    "MemoryMap",
    "MemoryObject",
    "MemoryObjectHolder",
    "NameVersion",
    "NannyEvent",
    "Pipe",
    "Platform",
    "Program",
    "RepeatedKernelRetrieval",
    "RuntimeError",
    "SVM",
    "SVMAllocation",
    "SVMMap",
    "SVMPointer",
    "Sampler",
    "UserEvent",
    "choose_devices",
    "compiler_output",
    "create_image",
    "create_program_with_built_in_kernels",
    "create_some_context",
    "csvm_empty",
    "csvm_empty_like",
    "enable_debugging",
    "enqueue_acquire_gl_objects",
    "enqueue_barrier",
    "enqueue_copy",
    "enqueue_copy_buffer_p2p_amd",
    "enqueue_fill",
    "enqueue_fill_buffer",
    "enqueue_fill_image",
    "enqueue_map_buffer",
    "enqueue_map_image",
    "enqueue_marker",
    "enqueue_migrate_mem_objects",
    "enqueue_nd_range_kernel",
    "enqueue_release_gl_objects",
    "enqueue_svm_memfill",
    "enqueue_svm_migrate_mem",
    "fsvm_empty",
    "fsvm_empty_like",
    "get_cl_header_version",
    "get_gl_context_info_khr",
    "get_platforms",
    "get_supported_image_formats",
    "have_gl",
    "image_from_array",
    "link_program",
    "svm_empty",
    "svm_empty_like",
    "unload_platform_compiler",
    "wait_for_events",
]

_register_pickling()
_cl._name_cache_folder()

# Names that PyOpenCL has, or had, and this release of Treadle does not have.
_ABSENT = _absent.modules_of("pyopencl")


# Programs use these as attributes: cl.tools.MemoryPool(...). The submodules import this module.
_SUBMODULES = (
    "algorithm",
    "array",
    "cache",
    "capture_call",
    "characterize",
    "clmath",
    "clrandom",
    "elementwise",
    "invoker",
    "reduction",
    "scan",
    "tools",
    "typing",
)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise _absent.no_name("pyopencl", name, _ABSENT)
