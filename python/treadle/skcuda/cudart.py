# SPDX-License-Identifier: MIT
"""skcuda.cudart: the CUDA runtime's functions by their own names, by the driver that PyCUDA's face
uses: the CPU device has them as well.

They work in the current context, and where there is none make the primary context of the first
device current, as the runtime does. Errors have the runtime's names, and its numbers since CUDA
10.1.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

import treadle.pycuda.driver as drv
from treadle._core import DTypeError
from treadle.pycuda._gpuarray_memory import current_device

from ._routines import address_of as _address_of
from ._routines import double2, float2

__all__ = [
    "POINTER",
    "cuDoubleComplex",
    "cuFloatComplex",
    "cudaCheckStatus",
    "cudaDriverGetVersion",
    "cudaError",
    "cudaExceptions",
    "cudaFree",
    "cudaGetDevice",
    "cudaGetErrorString",
    "cudaMalloc",
    "cudaMallocPitch",
    "cudaMemGetInfo",
    "cudaMemcpy_dtoh",
    "cudaMemcpy_htod",
    "cudaPointerAttributes",
    "cudaPointerGetAttributes",
    "cudaRuntimeGetVersion",
    "cudaSetDevice",
    "double2",
    "float2",
    "gpuarray_ptr",
]

cuFloatComplex, cuDoubleComplex = float2, double2
cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost = 0, 1, 2
cudaMemcpyDeviceToDevice, cudaMemcpyDefault = 3, 4
cudaMemoryTypeHost, cudaMemoryTypeDevice = 1, 2


class cudaError(Exception):
    """A mistake in a call of the runtime."""


def numbered(table: str) -> Iterator[tuple[int, str]]:
    """Names with their numbers: a number is that of the next name, and goes up by one."""
    number = 0
    for word in table.split():
        if word.isdigit():
            number = int(word)
        else:
            yield number, word
            number += 1


# After "cudaError".
_NAMES = """
1 InvalidValue MemoryAllocation InitializationError CudartUnloading ProfilerDisabled
ProfilerNotInitialized ProfilerAlreadyStarted ProfilerAlreadyStopped InvalidConfiguration
12 InvalidPitchValue InvalidSymbol 16 InvalidHostPointer InvalidDevicePointer InvalidTexture
InvalidTextureBinding InvalidChannelDescriptor InvalidMemcpyDirection AddressOfConstant
TextureFetchFailed TextureNotBound SynchronizationError InvalidFilterSetting InvalidNormSetting
MixedDeviceExecution 31 NotYetImplemented MemoryValueTooLarge 34 StubLibrary InsufficientDriver
CallRequiresNewerDriver InvalidSurface 43 DuplicateVariableName DuplicateTextureName
DuplicateSurfaceName DevicesUnavailable 49 IncompatibleDriverContext 52 MissingConfiguration
PriorLaunchFailure 65 LaunchMaxDepthExceeded LaunchFileScopedTex LaunchFileScopedSurf
SyncDepthExceeded LaunchPendingCountExceeded 98 InvalidDeviceFunction 100 NoDevice InvalidDevice
127 StartupFailure 200 InvalidKernelImage DeviceUninitialized 205 MapBufferObjectFailed
UnmapBufferObjectFailed ArrayIsMapped AlreadyMapped NoKernelImageForDevice AlreadyAcquired NotMapped
NotMappedAsArray NotMappedAsPointer ECCUncorrectable UnsupportedLimit DeviceAlreadyInUse
PeerAccessUnsupported InvalidPtx InvalidGraphicsContext NvlinkUncorrectable JitCompilerNotFound
300 InvalidSource FileNotFound SharedObjectSymbolNotFound SharedObjectInitFailed OperatingSystem
400 InvalidResourceHandle IllegalState 500 SymbolNotFound 600 NotReady 700 IllegalAddress
LaunchOutOfResources LaunchTimeout LaunchIncompatibleTexturing PeerAccessAlreadyEnabled
PeerAccessNotEnabled 708 SetOnActiveProcess ContextIsDestroyed Assert TooManyPeers
HostMemoryAlreadyRegistered HostMemoryNotRegistered HardwareStackError IllegalInstruction
MisalignedAddress InvalidAddressSpace InvalidPc LaunchFailure CooperativeLaunchTooLarge
800 NotPermitted NotSupported SystemNotReady SystemDriverMismatch 999 Unknown 10000 ApiFailureBase
"""

cudaExceptions: dict[int, type[cudaError]] = {
    _number: type(f"cudaError{_name}", (cudaError,), {"__module__": __name__, "__doc__": _name})
    for _number, _name in numbered(_NAMES)
}
globals().update({_class.__name__: _class for _class in cudaExceptions.values()})
__all__ += [_class.__name__ for _class in cudaExceptions.values()]


def cudaCheckStatus(status: int) -> None:
    """Raises the class of a status that is no success."""
    if status:
        raise cudaExceptions.get(status, cudaError)


def cudaGetErrorString(e: int) -> bytes:
    """What a status is, in words."""
    if not e:
        return b"no error"
    name = cudaExceptions[e].__name__ if e in cudaExceptions else "cudaErrorUnknown"
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", name.removeprefix("cudaError"))
    return " ".join(words).lower().encode()


_set = threading.local()  # its context: what cudaSetDevice() has pushed on this thread


class _Told:
    """For a with block: a context is current, and the driver's errors are the runtime's."""

    def __enter__(self) -> None:
        try:
            drv.init()
            if drv.Context.get_current() is None:
                drv.Device(0).retain_primary_context().push()
        except drv.Error as problem:
            self.__exit__(type(problem), problem, None)

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        if isinstance(problem, drv.Error):
            raise cudaExceptions.get(getattr(problem, "code", 0), cudaError)(str(problem)) from None


_allocations: dict[int, Any] = {}  # of cudaMalloc, by address


def _typed(address: int, ctype: Any) -> Any:
    if ctype is None:
        return ctypes.c_void_p(address)
    return ctypes.cast(address, ctypes.POINTER(ctype))


def cudaMalloc(count: int, ctype: Any = None) -> Any:
    """Memory of so many bytes: a c_void_p, or a pointer to ctype, until cudaFree()."""
    with _Told():
        memory = drv.mem_alloc(count)
        _allocations[int(memory)] = memory
        return _typed(int(memory), ctype)


def cudaMallocPitch(pitch: int, rows: int, cols: int, elesize: int) -> tuple[Any, int]:
    """Memory of `rows` rows of `cols` elements: its address, and the bytes from row to row, which
    the device chooses whatever `pitch` is."""
    access = next((size for size in (4, 8) if size >= elesize), 16)  # what the driver takes
    with _Told():
        memory, distance = drv.mem_alloc_pitch(cols * elesize, rows, access)
        _allocations[int(memory)] = memory
        return ctypes.c_void_p(int(memory)), distance


def _number(ptr: Any) -> int:
    """The address that a pointer of ctypes or another argument is."""
    if isinstance(ptr, ctypes._Pointer):
        return ctypes.cast(ptr, ctypes.c_void_p).value or 0
    return ptr.ctypes.data if isinstance(ptr, np.ndarray) else _address_of("ptr", ptr)


def cudaFree(ptr: Any) -> None:
    """Ends memory of cudaMalloc() or cudaMallocPitch(); of 0 nothing."""
    address = _number(ptr)
    if address == 0:
        return
    if address not in _allocations:
        raise cudaExceptions[17](f"{address:#x} is no memory of cudaMalloc(), or is freed")
    with _Told():
        _allocations.pop(address).free()


def cudaMemcpy_htod(dst: Any, src: Any, count: int) -> None:
    """Copies bytes from the host's address src to the device's dst; waits."""
    with _Told():
        drv.memcpy_htod(_number(dst), (ctypes.c_char * count).from_address(_number(src)))


def cudaMemcpy_dtoh(dst: Any, src: Any, count: int) -> None:
    """Copies bytes from the device's address src to the host's dst; waits."""
    with _Told():
        drv.memcpy_dtoh((ctypes.c_char * count).from_address(_number(dst)), _number(src))


def cudaMemGetInfo() -> tuple[int, int]:
    """Bytes of the device that are free, and all."""
    with _Told():
        return drv.mem_get_info()


def cudaSetDevice(dev: int) -> None:
    """Makes the primary context of the device with this number current, unless a context of that
    device is. Takes the place of what it has made current on this thread before."""
    drv.init()
    if not 0 <= dev < drv.Device.count():
        raise cudaExceptions[101](f"dev={dev}: there are devices 0 to {drv.Device.count() - 1}")
    current = drv.Context.get_current()
    if current is not None and cudaGetDevice() == dev:
        return
    with _Told():
        if current is not None and current == getattr(_set, "context", None):
            current.pop()
        _set.context = drv.Device(dev).retain_primary_context()
        _set.context.push()


def cudaGetDevice() -> int:
    """The number of the current context's device."""
    with _Told():
        own = drv.Context.get_device()
        return next(i for i in range(drv.Device.count()) if drv.Device(i) == own)


def cudaDriverGetVersion() -> int:
    """13000 is 13.0."""
    return drv.get_driver_version()


def cudaRuntimeGetVersion() -> int:
    """That of the CUDA that PyCUDA's face tells."""
    major, minor = drv.get_version()[:2]
    return 1000 * major + 10 * minor


class cudaPointerAttributes(ctypes.Structure):
    """What the runtime tells of an address."""

    _fields_ = (
        ("memoryType", ctypes.c_int),
        ("device", ctypes.c_int),
        ("devicePointer", ctypes.c_void_p),
        ("hostPointer", ctypes.c_void_p),
    )


def cudaPointerGetAttributes(ptr: Any) -> tuple[int, int]:
    """The kind of memory, cudaMemoryTypeHost or cudaMemoryTypeDevice, and the device's number."""
    with _Told():
        kind = current_device().address_info(_number(ptr)).kind
    if kind == "unknown":
        raise cudaExceptions[1](f"{_number(ptr):#x} is no address of the device")
    is_host = kind == "page-locked"
    return cudaMemoryTypeHost if is_host else cudaMemoryTypeDevice, cudaGetDevice()


def POINTER(ctype: Any) -> Any:
    """ctypes's class of pointers."""
    return ctypes.POINTER(ctype)


_CTYPES: dict[np.dtype, Any] = {
    **{
        np.dtype(one): one
        for one in (ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64)
    },
    **{
        np.dtype(one): one
        for one in (ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64)
    },
    **{np.dtype(one): one for one in (ctypes.c_float, ctypes.c_double)},
    np.dtype("c8"): float2,
    np.dtype("c16"): double2,
}


def gpuarray_ptr(g: Any) -> Any:
    """The address of an array's memory as a pointer to its elements."""
    if g.dtype not in _CTYPES:
        raise DTypeError(f"an array of {g.dtype}: integers, floats or complex numbers")
    return ctypes.cast(int(g.gpudata), ctypes.POINTER(_CTYPES[g.dtype]))


def __getattr__(name: str) -> Any:
    if name == "_cudart_version":
        return cudaRuntimeGetVersion()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
