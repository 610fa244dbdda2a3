# SPDX-License-Identifier: MIT
"""The CBLAS and LAPACK of the host, called by the names and types that each function has."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from treadle._core import NotSupported
from treadle._core.library import HostBlas

from ._routines import Element, Routine

COLUMN_MAJOR = 102


@functools.cache
def _blas() -> HostBlas:
    return HostBlas.load()


@functools.cache
def integer() -> Any:
    """ctypes's type of the library's integers."""
    return ctypes.c_int64 if _blas().integer_bytes == 8 else ctypes.c_int32


def integer_dtype() -> np.dtype:
    """NumPy's."""
    return np.dtype(integer())


@functools.cache
def function(name: str, result: Any = None) -> Any:
    """A function by its plain name. Raises NotSupported if the library lacks it."""
    address = _blas().symbol(name)
    if not address:
        raise NotSupported(
            f"{name}: the library of the host at {_blas().path} has no such function\n"
            "  try: pip install scipy-openblas64"
        )
    return ctypes.CFUNCTYPE(result)(address)


def _scalar(element: Element, value: Any) -> Any:
    """As CBLAS takes it: a real number by value, a complex one by address."""
    box = element.box(value)
    return ctypes.byref(box) if element.is_complex else box


# CBLAS's numbers of enumerations by ours, which are cuBLAS's.
_CBLAS_NUMBERS = {
    "op": (111, 112, 113),
    "uplo": (122, 121),
    "diag": (131, 132),
    "side": (141, 142),
}


def cblas(routine: Routine, values: dict[str, Any]) -> Any:
    """The function of CBLAS that has the parameters of cuBLAS's."""
    arguments: list[Any] = [ctypes.c_int(COLUMN_MAJOR)] if routine.level > 1 else []
    for parameter in routine.parameters:
        kind, value = parameter.kind, values[parameter.name]
        if kind in _CBLAS_NUMBERS:
            arguments.append(ctypes.c_int(_CBLAS_NUMBERS[kind][value]))
        elif kind in ("T", "R"):
            arguments.append(
                _scalar(routine.element if kind == "T" else routine.element.real, value)
            )
        elif kind in ("count", "int", "size"):
            arguments.append(integer()(value))
        else:
            arguments.append(ctypes.c_void_p(value))
    name = "cblas_" + routine.name.removeprefix("cublas").lower()
    if routine.result is None:
        return function(name)(*arguments)
    if routine.result == "index":
        found = function(name, ctypes.c_size_t)(*arguments)
        return (found & 0xFFFFFFFF) if values["n"] else -1
    if routine.result == "T" and routine.element.is_complex:
        box = routine.element.ctype()
        function(name + "_sub")(*arguments, ctypes.byref(box))
        return routine.element.unbox(box)
    element = routine.element if routine.result == "T" else routine.element.real
    # A function of CFUNCTYPE gives Python's number.
    return element.dtype.type(function(name, element.ctype)(*arguments))


def fortran(name: str, *arguments: Any) -> None:
    """Calls a function of Fortran's: numbers of Python are its integers, bytes its letters, and
    arrays and boxes are passed by address."""
    passed: list[Any] = []
    lengths: list[Any] = []
    for argument in arguments:
        if isinstance(argument, bytes):
            passed.append(ctypes.c_char_p(argument))
            lengths.append(ctypes.c_size_t(len(argument)))
        elif isinstance(argument, np.ndarray):
            passed.append(ctypes.c_void_p(argument.ctypes.data))
        elif isinstance(argument, int):
            passed.append(ctypes.byref(integer()(argument)))
        else:
            passed.append(ctypes.byref(argument))
    function(name)(*passed, *lengths)


def lapack(element: Element, name: str, *arguments: Any) -> int:
    """The function of LAPACK for the type, with `info` as its last argument, which is returned. A
    negative one, an argument that LAPACK refuses, is a mistake of ours."""
    info = integer()(0)
    fortran(f"{element.letter.lower()}{name}_", *arguments, info)
    assert info.value >= 0, f"{name} refuses argument {-info.value}"
    return info.value


def worked(element: Element, name: str, *arguments: Any, after: tuple[Any, ...] = ()) -> int:
    """The same of one that takes `work` and `lwork` behind the arguments, before `after`: it is
    asked how much it wants, and gets it."""
    asked = np.zeros(1, element.dtype)
    lapack(element, name, *arguments, asked, -1, *after)
    work = np.empty(max(int(asked[0].real), 1), element.dtype)
    return lapack(element, name, *arguments, work, work.size, *after)


def work_size(element: Element, name: str, *arguments: Any, after: tuple[Any, ...] = ()) -> int:
    """How many elements of work it asks for."""
    asked = np.zeros(1, element.dtype)
    lapack(element, name, *arguments, asked, -1, *after)
    return max(int(asked[0].real), 1)


def address(value: int) -> Any:
    """An address, for fortran() to pass."""
    return (ctypes.c_char * 0).from_address(value)


def triangle_letter(values: dict[str, Any]) -> bytes:
    """LAPACK's for uplo."""
    return b"U" if values["uplo"] else b"L"


def factor_without_pivots(a: np.ndarray) -> int:
    """L and U in a's place; LAPACK's `info`, where a pivot is 0."""
    for k in range(min(a.shape)):
        if a[k, k] == 0:
            return k + 1
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return 0
