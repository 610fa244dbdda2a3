# SPDX-License-Identifier: MIT
"""The CUDA driver interface as PyCUDA's users know it."""

from __future__ import annotations

import importlib
import warnings
from typing import Any, Literal

import numpy as np

from treadle import _absent
from treadle.pycuda._driver import *  # noqa: F403
from treadle.pycuda._driver import (
    DeviceAllocation,
    ManagedAllocation,
    mem_alloc,
    memcpy_dtoh,
    memcpy_htod,
)
from treadle.pycuda._errors import CompileError  # noqa: F401
from treadle.pycuda._gl import (  # noqa: F401
    BufferObject,
    BufferObjectMapping,
    gl_init,
    make_gl_context,
)
from treadle.pycuda._handlers import ArgumentHandler, In, InOut, Out  # noqa: F401
from treadle.pycuda._host_arrays import (  # noqa: F401
    aligned_empty,
    aligned_empty_like,
    aligned_zeros,
    aligned_zeros_like,
    managed_empty,
    managed_empty_like,
    managed_zeros,
    managed_zeros_like,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
    register_host_memory,
)
from treadle.pycuda._host_arrays import without_objects as _without_objects
from treadle.pycuda._memory_pools import PageLockedMemoryPool  # noqa: F401
from treadle.pycuda._textures import (  # noqa: F401
    bind_array_to_texref,
    dtype_to_array_format,
    gpuarray_to_array,
    make_multichannel_2d_array,
    matrix_to_array,
    matrix_to_texref,
    np_to_array,
)

ManagedAllocationOrStub = ManagedAllocation

CUDA_DEBUGGING = False


def set_debugging(flag: bool = True) -> None:
    """Compiles later kernels for a debugger: no optimisation, no cache, files kept."""
    global CUDA_DEBUGGING
    CUDA_DEBUGGING = flag


def mem_alloc_like(ary: Any) -> DeviceAllocation:
    """Device memory of an array's size."""
    return mem_alloc(ary.nbytes)


def to_device(bf_obj: Any) -> DeviceAllocation:
    """New device memory with a buffer's bytes, in C order."""
    if isinstance(bf_obj, np.ndarray):
        _without_objects(bf_obj.dtype)
    data = memoryview(bf_obj).tobytes()
    allocation = mem_alloc(len(data))
    memcpy_htod(allocation, data)
    return allocation


def from_device(devptr: Any, shape: Any, dtype: Any, order: Literal["C", "F"] = "C") -> np.ndarray:
    """A new array filled from the device."""
    result = np.empty(shape, dtype, order)
    memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr: Any, other_ary: np.ndarray) -> np.ndarray:
    """A new array like another, filled from the device."""
    result = np.empty_like(other_ary)
    memcpy_dtoh(result, devptr)
    return result


# PyCUDA's first papers import it from this module.
_MOVED = {"SourceModule": "pycuda.compiler"}


def __getattr__(name: str) -> Any:
    if name in _MOVED:
        warnings.warn(
            f"pycuda.driver.{name} is deprecated; it is in {_MOVED[name]}",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(importlib.import_module(f"treadle.{_MOVED[name]}"), name)
    raise _absent.no_name("pycuda.driver", name, {})
