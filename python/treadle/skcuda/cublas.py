# SPDX-License-Identifier: MIT
"""skcuda.cublas: cuBLAS's functions by their own names, by NVIDIA's library on a GPU, and on the
CPU device by the CBLAS and LAPACK of the host.

    h = cublasCreate()
    cublasSgemm(h, "n", "n", m, n, k, 1, a.gpudata, m, b.gpudata, k, 0, c.gpudata, m)
    cublasDestroy(h)

Matrices lie column by column. Scalars are numbers of the host, whatever cublasSetPointerMode()
says, and results NumPy's numbers, for which a call waits. Other work goes to the stream of the
handle; on the CPU device a call waits for that stream, and returns when it is done. cuBLAS is
opened by the first call that needs it.
"""

from __future__ import annotations

import ctypes
from typing import Any

from . import _cublas_table as _table
from ._cublas_host import host_of as _host_of
from ._handles import Library as _Library
from ._routines import ELEMENTS as _ELEMENTS
from ._routines import OPERATIONS as _CUBLAS_OP
from ._routines import Parameter as _Parameter
from ._routines import Routine as _Routine
from ._routines import double2 as cuDoubleComplex
from ._routines import float2 as cuFloatComplex
from ._routines import function_of as _function_of
from ._routines import letters as _letters
from ._routines import parameters_of as _parameters_of

__all__ = ["ctypes", "cuDoubleComplex", "cuFloatComplex"]  # and what is made below
_CUBLAS_FILL_MODE = _letters("l", "u")
_CUBLAS_DIAG = _letters("n", "u")
_CUBLAS_SIDE_MODE = _letters("l", "r")
CUBLAS_OP = _CUBLAS_OP


class cublasError(Exception):
    """A mistake in a call of cuBLAS."""


class cublasNotInitialized(cublasError):
    """No handle of the library has this number."""


class cublasAllocFailed(cublasError):
    """Memory is used up."""


class cublasInvalidValue(cublasError):
    """An argument that no function takes."""


class cublasArchMismatch(cublasError):
    """The device does not have it."""


class cublasMappingError(cublasError):
    """Memory of the device was out of reach."""


class cublasExecutionFailed(cublasError):
    """A kernel did not run."""


class cublasInternalError(cublasError):
    """A failure of the library."""


class cublasNotSupported(cublasError):
    """The library does not do that."""


class cublasLicenseError(cublasError):
    """The library has no licence."""


cublasExceptions: dict[int, type[cublasError]] = {
    1: cublasNotInitialized,
    3: cublasAllocFailed,
    7: cublasInvalidValue,
    8: cublasArchMismatch,
    11: cublasMappingError,
    13: cublasExecutionFailed,
    14: cublasInternalError,
    15: cublasNotSupported,
    16: cublasLicenseError,
}
_library = _Library("cuBLAS", cublasExceptions, cublasError, cublasInvalidValue)
# The version whose functions these are, where no library of NVIDIA's tells one.
_HOST_VERSION = 12000


def cublasCheckStatus(status: int) -> None:
    """Raises the class of a status that is no success."""
    if status:
        raise cublasExceptions.get(status, cublasError)


def cublasCreate() -> int:
    """A handle for the current context."""
    return _library.create("cublasCreate")


def cublasDestroy(handle: int) -> None:
    """Ends a handle."""
    _library.destroy("cublasDestroy", handle)


def cublasGetVersion(handle: int) -> int:
    """The library's; on the CPU device that whose functions these are."""
    own = _library.handle(handle)
    if own.is_host:
        return _HOST_VERSION
    version = ctypes.c_int()
    function = _library.function("cublasGetVersion")
    _library.check("cublasGetVersion", function(ctypes.c_void_p(own.number), ctypes.byref(version)))
    return version.value


def cublasSetStream(handle: int, id: Any) -> None:
    """Later calls are queued on the stream with this handle; None or 0: the default stream."""
    _library.set_stream("cublasSetStream", handle, id)


def cublasGetStream(handle: int) -> int | None:
    """The handle of that stream; None: the default stream."""
    return _library.handle(handle).stream or None


def cublasGetPointerMode(handle: int) -> int:
    """What cublasSetPointerMode() said."""
    return _library.handle(handle).pointer_mode


def cublasSetPointerMode(handle: int, mode: int) -> None:
    """0 or 1, for cublasGetPointerMode(): scalars are of the host in either mode."""
    own = _library.handle(handle)
    if mode not in (0, 1):
        raise cublasInvalidValue(f"mode={mode!r}: it is 0 (host) or 1 (device)")
    own.pointer_mode = mode


# Types whose elements are not their first letter.
_ELEMENT_OF = {"Sc": "C", "Dz": "Z"}


def _routine(family: _table.Family, type_: str, level: int) -> _Routine:
    """The function of a family for a type."""
    letter = _ELEMENT_OF.get(type_, type_[0])
    prefix = f"I{type_.lower()}" if family.result == "index" else type_
    parameters = _parameters_of(family.parameters)
    if type_ in ("Cs", "Zd"):
        parameters = tuple(
            _Parameter(p.name, "R" if p.kind == "T" else p.kind, p.extent) for p in parameters
        )
    return _Routine(
        library=_library,
        name=f"cublas{prefix}{family.name}",
        element=_ELEMENTS[letter],
        parameters=parameters,
        host=_host_of(family.name, letter),
        doc=f"{family.doc} Of {_ELEMENTS[letter].dtype}.",
        result=family.result,
        level=level,
        aliases=_SPELLINGS,
    )


# Keywords of scikit-cuda's that are not C's.
_SPELLINGS = {"inx": "incx", "transa": "trans"}

for _level, _families in (
    (1, _table.LEVEL_1),
    (2, _table.LEVEL_2),
    (3, _table.LEVEL_3 + _table.EXTENSIONS),
):
    for _family in _families:
        for _type in _family.types.split():
            _made = _function_of(_routine(_family, _type, _level), __name__)
            globals()[_made.__name__] = _made

__all__ += [name for name in dir() if name.startswith("cublas")]


def __getattr__(name: str) -> Any:
    if name == "_libcublas":
        return _library.library
    if name == "_cublas_version":
        return _version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _version() -> int:
    """Asked of the library without a handle, where there is one."""
    try:
        function = _library.function("cublasGetProperty")
    except OSError:
        return _HOST_VERSION
    parts = []
    for kind in range(3):
        value = ctypes.c_int()
        _library.check("cublasGetProperty", function(kind, ctypes.byref(value)))
        parts.append(value.value)
    return parts[0] * 1000 + parts[1] * 100 + parts[2]
