# SPDX-License-Identifier: MIT
"""skcuda.cublasxt: products by cuBLAS-XT, on several GPUs and of matrices of the host; on the CPU
device by the CBLAS of the host.

Addresses are the host's or the device's. A call returns when the product is there.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ._cublas_table import LEVEL_3 as _LEVEL_3
from ._handles import Library as _Library
from ._handles import is_on_host as _is_on_host
from ._host_library import cblas as _cblas
from ._routines import ELEMENTS as _ELEMENTS
from ._routines import Routine as _Routine
from ._routines import function_of as _function_of
from ._routines import parameters_of as _parameters_of
from .cublas import (
    cublasCheckStatus,
    cublasError,
    cublasExceptions,
    cublasInvalidValue,
)

__all__ = ["cublasCheckStatus", "cublasError", "cublasExceptions"]  # and what is here
CUBLASXT_FLOAT, CUBLASXT_DOUBLE, CUBLASXT_COMPLEX, CUBLASXT_DOUBLECOMPLEX = range(4)
CUBLASXT_GEMM = 0
_library = _Library("cuBLAS", cublasExceptions, cublasError, cublasInvalidValue)
_DEFAULT_BLOCK = 2048


@dataclasses.dataclass
class _Choices:
    """What a program has said of a handle of the CPU device: its products need none of it."""

    block_dim: int = _DEFAULT_BLOCK
    pinning_mode: int = 0
    devices: tuple[int, ...] = ()
    cpu_routines: dict[tuple[int, int], Any] = dataclasses.field(default_factory=dict)
    cpu_ratios: dict[tuple[int, int], float] = dataclasses.field(default_factory=dict)


_choices: dict[int, _Choices] = {}


def _host(handle: int) -> _Choices | None:
    """None: the handle is the library's."""
    own = _library.handle(handle)
    return _choices.setdefault(own.number, _Choices()) if own.is_host else None


def _call(name: str, handle: int, *arguments: Any) -> None:
    number = _library.handle(handle).number
    _library.check(name, _library.function(name)(ctypes.c_void_p(number), *arguments))


def cublasXtCreate() -> int:
    """A handle, for all the devices that cublasXtDeviceSelect() names."""
    return _library.create("cublasXtCreate")


def cublasXtDestroy(handle: int) -> None:
    """Ends a handle."""
    _library.destroy("cublasXtDestroy", handle)
    _choices.pop(handle, None)


def _device_numbers(count: int, device_id: Any) -> np.ndarray:
    numbers = np.ascontiguousarray(device_id, np.int32).ravel()
    if len(numbers) < count or count < 1:
        raise cublasInvalidValue(f"nbDevices={count} of deviceId={device_id!r}")
    return numbers[:count]


def cublasXtGetNumBoards(nbDevices: int, deviceId: Any) -> int:
    """How many boards these devices are on."""
    numbers = _device_numbers(nbDevices, deviceId)
    return _boards("cublasXtGetNumBoards", ctypes.c_int(nbDevices), numbers)


def cublasXtMaxBoards() -> int:
    """How many boards the library takes at most."""
    return _boards("cublasXtMaxBoards")


def _boards(name: str, *arguments: Any) -> int:
    if _is_on_host():
        return 1
    made = ctypes.c_int()
    passed = [
        a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else a for a in arguments
    ]
    _library.check(name, _library.function(name)(*passed, ctypes.byref(made)))
    return made.value


def cublasXtDeviceSelect(handle: int, nbDevices: int, deviceId: Any) -> None:
    """Which devices take part, an int32 array of their numbers; once for a handle."""
    numbers, own = _device_numbers(nbDevices, deviceId), _host(handle)
    if own is not None:
        own.devices = tuple(map(int, numbers))
        return
    address = numbers.ctypes.data_as(ctypes.c_void_p)
    _call("cublasXtDeviceSelect", handle, ctypes.c_int(nbDevices), address)


def cublasXtSetBlockDim(handle: int, blockDim: int) -> None:
    """How many rows and columns the tiles have that devices share out."""
    if blockDim < 1:
        raise cublasInvalidValue(f"blockDim={blockDim}: it is 1 or more")
    own = _host(handle)
    if own is None:
        _call("cublasXtSetBlockDim", handle, ctypes.c_int(blockDim))
    else:
        own.block_dim = int(blockDim)


def cublasXtGetBlockDim(handle: int) -> int:
    """What cublasXtSetBlockDim() said."""
    own = _host(handle)
    if own is not None:
        return own.block_dim
    made = ctypes.c_int()
    _call("cublasXtGetBlockDim", handle, ctypes.byref(made))
    return made.value


def cublasXtSetCpuRoutine(handle: int, blasOp: int, type: int, blasFunctor: Any) -> None:
    """The address of a function of the host for a part of the work."""
    own = _host(handle)
    if own is not None:
        own.cpu_routines[blasOp, type] = blasFunctor
        return
    address = ctypes.cast(blasFunctor, ctypes.c_void_p)
    _call("cublasXtSetCpuRoutine", handle, ctypes.c_int(blasOp), ctypes.c_int(type), address)


def cublasXtSetCpuRatio(handle: int, blasOp: int, type: int, ratio: float) -> None:
    """How much of the work that function does."""
    own = _host(handle)
    if own is not None:
        own.cpu_ratios[blasOp, type] = float(ratio)
        return
    numbers = ctypes.c_int(blasOp), ctypes.c_int(type), ctypes.c_float(ratio)
    _call("cublasXtSetCpuRatio", handle, *numbers)


def cublasXtSetPinningMemMode(handle: int, mode: int) -> None:
    """Whether matrices of the host are page-locked for a call: 1, or not: 0."""
    own = _host(handle)
    if own is not None:
        own.pinning_mode = int(mode)
        return
    _call("cublasXtSetPinningMemMode", handle, ctypes.c_int(mode))


def _product(routine: _Routine, values: dict[str, Any]) -> Any:
    """By the function of CBLAS for the same type."""
    return _cblas(dataclasses.replace(routine, name=routine.name.replace("Xt", "")), values)


def _gemm(letter: str) -> Callable[..., Any]:
    line = next(family for family in _LEVEL_3 if family.name == "gemm")
    parameters = tuple(
        dataclasses.replace(p, kind="size") if p.kind in ("count", "int") else p
        for p in _parameters_of(line.parameters)
    )
    name, element = f"cublasXt{letter}gemm", _ELEMENTS[letter]
    doc = f"{line.doc} Of {element.dtype}."
    return _function_of(
        _Routine(_library, name, element, parameters, _product, doc, level=3), __name__
    )


for _letter in "SDCZ":
    globals()[f"cublasXt{_letter}gemm"] = _gemm(_letter)

__all__ += [name for name in dir() if name.startswith("cublasXt")]


def __getattr__(name: str) -> Any:
    if name == "_libcublas":
        return _library.library
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
