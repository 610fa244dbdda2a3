# SPDX-License-Identifier: MIT
"""The CUDA driver interface as PyCUDA's users know it."""

from __future__ import annotations

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
from treadle.pycuda._memory_pools import PageLockedMemoryPool  # noqa: F401

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


# What PyCUDA has and this release of Treadle does not, and what does the job.
_ABSENT = {
    **dict.fromkeys(
        (
            "Array",
            "ArrayDescriptor",
            "ArrayDescriptor3D",
            "TextureReference",
            "SurfaceReference",
            "matrix_to_array",
            "np_to_array",
            "gpuarray_to_array",
            "make_multichannel_2d_array",
            "bind_array_to_texref",
            "matrix_to_texref",
            "dtype_to_array_format",
            "memcpy_atoa",
            "memcpy_atod",
            "memcpy_dtoa",
            "memcpy_atoh",
            "memcpy_htoa",
            "py_memcpy_atoh",
            "py_memcpy_htoa",
        ),
        "arrays and textures; plain device memory and pointers do the job",
    ),
    **dict.fromkeys(("IPCMemoryHandle", "mem_get_ipc_handle"), "memory of other processes"),
    "Linker": "linking of several modules; put the sources together into one",
    **dict.fromkeys(
        ("initialize_profiler", "start_profiler", "stop_profiler"), "the profiler's switches"
    ),
}


def __getattr__(name: str) -> Any:
    if name == "SourceModule":
        # Where PyCUDA's first papers looked for it. Late: the compiler module imports this one.
        from treadle.pycuda.compiler import SourceModule

        warnings.warn(
            "pycuda.driver.SourceModule is deprecated; it is in pycuda.compiler",
            DeprecationWarning,
            stacklevel=2,
        )
        return SourceModule
    raise _absent.no_name("pycuda.driver", name, _ABSENT)
