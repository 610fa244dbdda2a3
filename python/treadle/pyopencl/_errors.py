# SPDX-License-Identifier: MIT
"""PyOpenCL's exceptions. What Treadle raises is one of these and one of Treadle's own classes."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from typing import Any

import treadle
from treadle._core.opencl import _error_name
from treadle._core.opencl import _shown as shown
from treadle._error_classes import combined, reduced

_OUT_OF_MEMORY = (-4, -5, -6)


class _ErrorRecord:
    """What failed: `args[0]` of an Error."""

    __slots__ = ("_code", "_linked", "_msg", "_routine")

    def __init__(self, routine: str, code: int, msg: str) -> None:
        self._routine = routine
        self._code = code
        self._msg = msg
        self._linked: Any = None

    def routine(self) -> str:
        return self._routine

    def code(self) -> int:
        return self._code

    def what(self) -> str:
        return self._msg

    def is_out_of_memory(self) -> bool:
        """Whether memory of the host or a device was short, so that freeing some may help."""
        return self._code in _OUT_OF_MEMORY

    def _program(self) -> Any:
        """The program that a failed link left behind; None if it left none."""
        return self._linked

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the program, which no other process has."""
        return _record, (self._routine, self._code, self._msg)

    def __str__(self) -> str:
        parts = [f"{self._routine} failed"] if self._routine else []
        if self._code != 0:
            parts.append(_error_name(self._code))
        text = ": ".join(parts)
        return " - ".join(part for part in (text, self._msg) if part)


def _record(routine: str, code: int, msg: str) -> _ErrorRecord:
    """Restores a serialised record. Its class cannot be serialised by name: not every process can
    import its module."""
    return _ErrorRecord(routine, code, msg)


class Error(Exception):
    """Base of OpenCL's errors; `args[0]` says what failed."""

    logs: Sequence[tuple[str, str]] = ()

    @property
    def what(self) -> _ErrorRecord:
        # Errors of arrays have Treadle's text in `args`; the record is in `_record`.
        return self.__dict__.get("_record") or self.args[0]

    @property
    def code(self) -> int:
        return self.what.code()

    @property
    def routine(self) -> str:
        return self.what.routine()

    def is_out_of_memory(self) -> bool:
        """As its record says."""
        return self.what.is_out_of_memory()

    __reduce__ = reduced

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class MemoryError(Error):  # noqa: A001 - the names are PyOpenCL's
    """Memory of the device is exhausted."""


class LogicError(Error):
    """The program asked for something impossible."""


class RuntimeError(Error):  # noqa: A001
    """The system cannot do this now."""


for _class in (Error, MemoryError, LogicError, RuntimeError):
    _class.__module__ = "pyopencl._cl"
_ErrorRecord.__module__ = "pyopencl._cl"


def class_of(code: int) -> type[Error]:
    """PyOpenCL's class for a status."""
    if code == -4:
        return MemoryError
    if code <= -30:
        return LogicError
    return RuntimeError if -30 < code < 0 else Error


def both(kind: type[Error], native: type[Exception]) -> type[Error]:
    """The class under both names: programs catch it as PyOpenCL's, as Treadle's or as builtin."""
    return combined(kind, native)


def kind_of(native: type[Exception], code: int) -> type[Error]:
    """PyOpenCL's class for one of Treadle's. A failed build is a RuntimeError whatever its code."""
    return RuntimeError if issubclass(native, treadle.CompileError) else class_of(code)


def complete(
    made: Error, routine: str, code: int, text: str, logs: Sequence[tuple[str, str]]
) -> None:
    """Gives an error of the arrays, which is Treadle's first, what programs of PyOpenCL read."""
    made.__dict__["_record"] = _ErrorRecord(routine, code, text)
    if logs:
        made.logs = tuple(logs)


def from_native(
    native: Exception, routine: str, code: int, text: str, logs: Sequence[tuple[str, str]]
) -> Error:
    """PyOpenCL's form of an exception of Treadle's."""
    kind = kind_of(type(native), code)
    made = both(kind, type(native))(_ErrorRecord(routine, code, text))
    made.__dict__.update(native.__dict__)
    if logs:
        made.logs = tuple(logs)
    hint = getattr(native, "hint", "")
    if hint and hasattr(made, "add_note"):  # below the traceback: programs compare str()
        made.add_note(f"try: {hint}")
    return made


def wrong_kind(call: str, argument: str, value: Any, wanted: str) -> TypeError:
    """The error about an argument of another kind than the call can do with."""
    return TypeError(f"{call}: {argument} is {shown(value)}, wanted: {wanted}")


def list_of(
    kinds: type | tuple[type, ...], call: str, argument: str, values: Any, wanted: tuple[str, str]
) -> list[Any]:
    """An iterable's entries, all of these kinds. `wanted` says what the whole is to be, and each
    entry."""
    if not isinstance(values, Iterable):
        raise wrong_kind(call, argument, values, wanted[0])
    entries = list(values)
    for place, entry in enumerate(entries):
        if not isinstance(entry, kinds):
            raise wrong_kind(call, f"{argument}[{place}]", entry, wanted[1])
    return entries


def from_text(routine: str, code: int, text: str) -> Error:
    """An error that was found before OpenCL was asked."""
    kind = both(class_of(code), treadle.InvalidArgument)
    return kind(_ErrorRecord(routine, code, text))


class ArgumentError(LogicError, treadle.InvalidArgument, TypeError, builtins.RuntimeError):
    """A kernel's argument was refused before anything was launched."""


ArgumentError.__module__ = "pyopencl._cl"


def raise_argument_error(text: str) -> None:
    """INVALID_ARG_VALUE, in every class that programs expect for it."""
    raise ArgumentError(_ErrorRecord("clSetKernelArg", -50, text))
