# SPDX-License-Identifier: MIT
"""skcuda.cudadrv: errors of the CUDA driver as classes of their own, and what it tells of an
address."""

from __future__ import annotations

from typing import Any

import treadle
import treadle.cuda

from .cudart import _number, numbered

__all__ = ["CUDA_ERROR", "CUDA_EXCEPTIONS", "cuCheckStatus", "cuPointerGetAttribute"]


class CUDA_ERROR(Exception):
    """A mistake in a call of the driver."""


# After "CUDA_ERROR_".
_NAMES = """
1 INVALID_VALUE OUT_OF_MEMORY NOT_INITIALIZED DEINITIALIZED PROFILER_DISABLED
PROFILER_NOT_INITIALIZED PROFILER_ALREADY_STARTED PROFILER_ALREADY_STOPPED
34 STUB_LIBRARY 46 DEVICE_UNAVAILABLE 100 NO_DEVICE INVALID_DEVICE 200 INVALID_IMAGE INVALID_CONTEXT
CONTEXT_ALREADY_CURRENT 205 MAP_FAILED UNMAP_FAILED ARRAY_IS_MAPPED ALREADY_MAPPED NO_BINARY_FOR_GPU
ALREADY_ACQUIRED NOT_MAPPED NOT_MAPPED_AS_ARRAY NOT_MAPPED_AS_POINTER ECC_UNCORRECTABLE
UNSUPPORTED_LIMIT CONTEXT_ALREADY_IN_USE PEER_ACCESS_UNSUPPORTED INVALID_PTX
INVALID_GRAPHICS_CONTEXT NVLINK_UNCORRECTABLE JIT_COMPILER_NOT_FOUND 300 INVALID_SOURCE
FILE_NOT_FOUND SHARED_OBJECT_SYMBOL_NOT_FOUND SHARED_OBJECT_INIT_FAILED OPERATING_SYSTEM
400 INVALID_HANDLE ILLEGAL_STATE 500 NOT_FOUND 600 NOT_READY 700 ILLEGAL_ADDRESS
LAUNCH_OUT_OF_RESOURCES LAUNCH_TIMEOUT LAUNCH_INCOMPATIBLE_TEXTURING PEER_ACCESS_ALREADY_ENABLED
PEER_ACCESS_NOT_ENABLED 708 PRIMARY_CONTEXT_ACTIVE CONTEXT_IS_DESTROYED ASSERT TOO_MANY_PEERS
HOST_MEMORY_ALREADY_REGISTERED HOST_MEMORY_NOT_REGISTERED HARDWARE_STACK_ERROR ILLEGAL_INSTRUCTION
MISALIGNED_ADDRESS INVALID_ADDRESS_SPACE INVALID_PC LAUNCH_FAILED COOPERATIVE_LAUNCH_TOO_LARGE
800 NOT_PERMITTED NOT_SUPPORTED 999 UNKNOWN
"""

CUDA_EXCEPTIONS: dict[int, type[CUDA_ERROR]] = {
    _value: type(f"CUDA_ERROR_{_name}", (CUDA_ERROR,), {"__module__": __name__, "__doc__": _name})
    for _value, _name in numbered(_NAMES)
}
globals().update({_class.__name__: _class for _class in CUDA_EXCEPTIONS.values()})
__all__ += [_class.__name__ for _class in CUDA_EXCEPTIONS.values()]


def cuCheckStatus(status: int) -> None:
    """Raises the class of a status that is no success."""
    if status:
        raise CUDA_EXCEPTIONS.get(status, CUDA_ERROR)


def cuPointerGetAttribute(attribute: int, ptr: Any) -> int:
    """One of what the driver knows of an address, by its number."""
    try:
        kind = treadle.cuda.PointerAttribute(attribute)
    except ValueError:
        raise CUDA_EXCEPTIONS[1](f"attribute={attribute!r}: it is a CUpointer_attribute") from None
    try:
        return treadle.cuda.pointer_attribute(kind, _number(ptr))
    except treadle.DeviceError as problem:
        raise CUDA_EXCEPTIONS.get(problem.code, CUDA_ERROR)(str(problem)) from None
