# SPDX-License-Identifier: MIT
"""Functions of NVIDIA's libraries of linear algebra, made of lines of a table.

A line names the parameters that follow the handle, as the function has them in C:

    transa m alpha:R A[m,k,transa] lda x[n] incx AP[packed] info:I[n] Aarray:P[m,n]

A letter behind a colon is the kind, which well known names do not need; brackets say how much
memory a pointer has to lead to:

    [m,n]  a matrix of m rows with ldA, [n,m,trans] turned unless trans is 'n'; [side] a square one
           of m or n rows
    [n]    a vector with incX, or n elements; [least] as many as m and n both have; [packed] a
           triangle of n rows without gaps

On a GPU the function is called in NVIDIA's library, on the stream of the handle. On the CPU device
its addresses are those of the host: whatever the stream has queued is waited for, and a function of
Python does the same by the host's library. Either way arguments are read and checked here, once.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import inspect
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import treadle.pycuda.driver as drv
from treadle._core import InvalidArgument
from treadle._core.array import Array

from ._handles import Handle, Library


class _Two(ctypes.Structure):
    x: float
    y: float

    @property
    def value(self) -> complex:
        """As Python's number."""
        return complex(self.x, self.y)


class float2(_Two):
    """A complex64."""

    _fields_ = (("x", ctypes.c_float), ("y", ctypes.c_float))


class double2(_Two):
    """A complex128."""

    _fields_ = (("x", ctypes.c_double), ("y", ctypes.c_double))


@dataclasses.dataclass(frozen=True)
class Element:
    """What one of the letters S, D, C and Z stands for."""

    letter: str
    dtype: np.dtype
    ctype: Any

    @property
    def is_complex(self) -> bool:
        """Whether it is C or Z."""
        return self.dtype.kind == "c"

    @property
    def real(self) -> Element:
        """S of C, D of Z."""
        return ELEMENTS[{"C": "S", "Z": "D"}.get(self.letter, self.letter)]

    def box(self, value: Any) -> Any:
        """A number as C has it."""
        if not self.is_complex:
            return self.ctype(value.real)
        return self.ctype(value.real, value.imag)

    def unbox(self, box: Any) -> Any:
        """NumPy's number of it."""
        return self.dtype.type(box.value)


ELEMENTS = {
    letter: Element(letter, np.dtype(dtype), ctype)
    for letter, dtype, ctype in (
        ("S", "f4", ctypes.c_float),
        ("D", "f8", ctypes.c_double),
        ("C", "c8", float2),
        ("Z", "c16", double2),
    )
}


class UnknownLetter(InvalidArgument, KeyError):
    """A letter that stands for nothing here."""

    __str__ = Exception.__str__


def letters(*spellings: Iterable[Any]) -> dict[Any, int]:
    """0 for those of the first, 1 for those of the second, ..., in either case."""
    table: dict[Any, int] = {}
    for number, names in enumerate(spellings):
        table[number] = number
        for name in names:
            table[name.lower()] = table[name.upper()] = number
    return table


OPERATIONS = letters("n", "t", "c")
ENUMERATIONS = {
    "op": OPERATIONS,
    "uplo": letters("l", "u"),
    "side": letters("l", "r"),
    "diag": letters("n", "u"),
}
_KINDS = {
    **dict.fromkeys(("transa", "transb", "trans"), "op"),
    **{name: name for name in ("uplo", "side", "diag")},
    **dict.fromkeys(("jobu", "jobvt"), "char"),
    "jobz": "jobz",
    **dict.fromkeys(("alpha", "beta"), "T"),
    **dict.fromkeys(("m", "n", "k", "kl", "ku", "nrhs", "batchCount", "batchSize"), "count"),
    **dict.fromkeys(("lda", "ldb", "ldc", "ldu", "ldvt", "incx", "incy", "lwork"), "int"),
    **dict.fromkeys(("strideA", "strideB", "strideC"), "long"),
}
_PARAMETER = re.compile(r"(\w+)(?::(\w+\*?))?(?:\[([^\]]*)\])?")
_RANK_K = re.compile(r"cublas[A-Z](syr|her)2?k")
POINTERS = ("T*", "R*", "I", "P", "host")


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One of a function. Kinds are the keys of ENUMERATIONS; numbers: count, int, long, size, char,
    T and R (of the type, of its real part); addresses: "T*" and "R*" (of elements), I (of int32), P
    (of addresses), and "host" (of the host, None as well)."""

    name: str
    kind: str
    extent: tuple[str, ...] = ()


def parameters_of(text: str) -> tuple[Parameter, ...]:
    """Those of a line."""
    made = []
    for word in text.split():
        match = _PARAMETER.fullmatch(word)
        assert match is not None, word
        name, kind, extent = match.groups()
        made.append(
            Parameter(
                name,
                kind + "*" if kind in ("T", "R") and extent else kind or _KINDS.get(name, "T*"),
                tuple(extent.split(",")) if extent else (),
            )
        )
    return tuple(made)


# --- reading arguments ---------------------------------------------------------------------------


def address_of(name: str, value: Any) -> int:
    """Of an allocation or a number."""
    if value is None:
        return 0
    if isinstance(value, Array):
        raise TypeError(f"{name} is an array, wanted: its memory\n  try: {name}.gpudata")
    value = getattr(value, "value", value) if isinstance(value, ctypes._SimpleCData) else value
    return int(value or 0)


def _host_address(name: str, value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    return address_of(name, value)


def _number(name: str, value: Any, error: type[Exception], least: int, bits: int) -> int:
    number = operator.index(value)
    if not least <= number < 2 ** (bits - 1):
        raise error(f"{name}={number}: it is from {least} to {2 ** (bits - 1) - 1}")
    return number


def read_argument(parameter: Parameter, value: Any, routine: Routine) -> Any:
    """The value as a plain number of Python."""
    name, kind = parameter.name, parameter.kind
    if kind in ("T*", "I", "P", "R*"):
        return address_of(name, value)
    if kind == "count":
        return _number(name, value, routine.library.invalid_value, 0, 32)
    if kind == "size":
        return _number(name, value, routine.library.invalid_value, 0, 64)
    if kind in ("int", "long"):
        bits = 32 if kind == "int" else 64
        return _number(name, value, routine.library.invalid_value, -(2 ** (bits - 1)), bits)
    if kind == "host":
        return _host_address(name, value)
    if kind in ("T", "R"):
        element = routine.element if kind == "T" else routine.element.real
        return complex(value) if element.is_complex else float(value)
    table = routine.enumerations[kind]
    try:
        return table[value]
    except (KeyError, TypeError):
        wanted = ", ".join(repr(key) for key in table)
        raise UnknownLetter(f"{name}={value!r}: it is one of {wanted}") from None


# --- memory --------------------------------------------------------------------------------------


def _length(term: str, values: Mapping[str, Any]) -> int:
    if term == "side":
        return values["n"] if values["side"] else values["m"]
    if term == "least":
        return min(values["m"], values["n"])
    if term == "packed":
        return values["n"] * (values["n"] + 1) // 2
    return sum(int(part) if part.isdigit() else values[part] for part in term.split("+"))


def lengths_of(parameter: Parameter, values: Mapping[str, Any]) -> list[int]:
    """What the brackets say, in numbers."""
    extent = parameter.extent
    lengths = [_length(term, values) for term in extent if term not in _TURNS]
    if extent[-1] in _TURNS and values[extent[-1]]:
        lengths.reverse()
    return lengths


_TURNS = ("trans", "transa", "transb")


def _elements(parameter: Parameter, values: Mapping[str, Any], routine: Routine) -> int:
    """How many there are from the first to the last that is used."""
    name, lengths = parameter.name, lengths_of(parameter, values)
    leading, increment = values.get(f"ld{name.lower()}"), values.get(f"inc{name.lower()}")
    if leading is not None:
        rows, columns = lengths[0], lengths[-1]  # one length is both
        require_leading(f"ld{name.lower()}", leading, rows, routine.library)
        count = (columns - 1) * leading + rows if rows and columns else 0
        stride, batch = values.get(f"stride{name}", 0), values.get("batchCount", 1)
        return count + (batch - 1) * abs(stride) if count and batch else 0
    if increment is None:
        return int(np.prod(lengths))
    if increment == 0 and routine.level > 1:
        raise routine.library.invalid_value(f"inc{name.lower()}=0: it is no distance")
    return (lengths[0] - 1) * abs(increment) + 1 if lengths[0] else 0


def require_leading(name: str, value: int, rows: int, library: Library) -> None:
    """Columns are as far apart as they are long, or farther."""
    if value < max(1, rows):
        raise library.invalid_value(f"{name}={value}: columns have {rows} rows, so at least that")


def require_range(name: str, address: int, size_bytes: int, library: Library) -> None:
    """Where the allocation that an address is in is known, it is large enough."""
    if size_bytes == 0:
        return
    if address == 0:
        raise library.invalid_value(f"{name} is null, wanted: the address of {size_bytes} bytes")
    try:
        base, size = drv.mem_get_address_range(address)
    except drv.Error:
        return  # of the host, or of another library
    if int(base) + size < address + size_bytes:
        raise library.invalid_value(
            f"{name}: {size_bytes} bytes are used from {address:#x}, where the allocation has "
            f"{int(base) + size - address}"
        )


def vector(address: int, dtype: Any, length: int, step: int = 1) -> np.ndarray:
    """Elements of the host's memory as an array that shares them; of a negative step backwards, as
    BLAS counts."""
    dtype = np.dtype(dtype)
    if length == 0:
        return np.empty(0, dtype)
    size = ((length - 1) * abs(step) + 1) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(address)
    start = (1 - length) * step * dtype.itemsize if step < 0 else 0
    return np.ndarray((length,), dtype, memory, start, (step * dtype.itemsize,))


def matrix(address: int, dtype: Any, rows: int, columns: int, leading: int) -> np.ndarray:
    """Columns of the host's memory as an array that shares them."""
    dtype = np.dtype(dtype)
    if rows == 0 or columns == 0:
        return np.empty((rows, columns), dtype)
    size = ((columns - 1) * leading + rows) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(address)
    return np.ndarray((rows, columns), dtype, memory, 0, (dtype.itemsize, leading * dtype.itemsize))


# --- functions -----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Routine:
    """One function of a library, for one type of elements. `host` does it on the CPU device, with
    the arguments by name. result: None, or kinds of numbers: "T", "R", "index" (from 1 in the
    library), "int", "five" (of the type), "=a" (what argument a has become)."""

    library: Library
    name: str
    element: Element
    parameters: tuple[Parameter, ...]
    host: Callable[[Routine, dict[str, Any]], Any]
    doc: str
    result: str | None = None
    level: int = 1
    since: int = 0  # the library's version
    enumerations: Mapping[str, Mapping[Any, int]] = dataclasses.field(
        default_factory=lambda: ENUMERATIONS
    )
    aliases: Mapping[str, str] = dataclasses.field(default_factory=dict)  # of keywords
    result_before: str | None = None  # the parameter that follows the results in C

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The handle and the parameters."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = ["handle", *(parameter.name for parameter in self.parameters)]
        return inspect.Signature([inspect.Parameter(name, kind) for name in names])

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if keywords or len(arguments) != len(self.parameters) + 1:
            own = self.signature.parameters
            named = {
                name if name in own else self.aliases.get(name, name): value
                for name, value in keywords.items()
            }
            arguments = self.signature.bind(*arguments, **named).args
        handle = self.library.handle(arguments[0])
        values: dict[str, Any] = {}
        for parameter, value in zip(self.parameters, arguments[1:], strict=True):
            values[parameter.name] = read_argument(parameter, value, self)
        for parameter in self.parameters:
            if parameter.extent or parameter.kind == "P":
                needed = self._bytes(parameter, values)
                require_range(parameter.name, values[parameter.name], needed, self.library)
        self._require_turn(values)
        if not handle.is_host:
            return self._call_library(handle, values)
        handle.wait()
        return self.host(self, values)

    def _require_turn(self, values: Mapping[str, Any]) -> None:
        """syrk, herk and their likes have one turned form of complex matrices. At the other one
        CBLAS ends the process, and cuBLAS computes something."""
        update = _RANK_K.match(self.name)
        if update is None or not self.element.is_complex:
            return
        wrong, allowed = (1, "'n' or 'c'") if update[1] == "her" else (2, "'n' or 't'")
        if values["trans"] == wrong:
            raise self.library.invalid_value(f"trans={'ntc'[wrong]!r}: it is {allowed} here")

    def _bytes(self, parameter: Parameter, values: Mapping[str, Any]) -> int:
        if parameter.kind == "P":
            return 8 * values["batchCount" if "batchCount" in values else "batchSize"]
        itemsize = 4
        if parameter.kind != "I":
            element = self.element.real if parameter.kind == "R*" else self.element
            itemsize = element.dtype.itemsize
        return _elements(parameter, values, self) * itemsize

    def alone(self) -> Routine:
        """The same for one matrix instead of many."""
        kept = tuple(p for p in self.parameters if p.name not in _OF_MANY)
        name = self.name.removesuffix("Batched").removesuffix("Strided")
        return dataclasses.replace(self, name=name, parameters=kept)

    def _box(self, kind: str, value: Any = 0j) -> Any:
        if kind in ("T", "R"):
            return (self.element if kind == "T" else self.element.real).box(value)
        return (self.element.ctype * 5)() if kind == "five" else ctypes.c_int()

    def _unbox(self, kind: str, box: Any) -> Any:
        if kind in ("T", "R"):
            return (self.element if kind == "T" else self.element.real).unbox(box)
        if kind == "five":
            return np.array(box, self.element.dtype)
        return box.value - 1 if kind == "index" else box.value

    def _call_library(self, handle: Handle, values: dict[str, Any]) -> Any:
        function = self.library.function(self.name)
        arguments: list[Any] = [ctypes.c_void_p(handle.number)]
        boxes: dict[str, Any] = {}
        results: list[tuple[str, Any]] = []

        def add_results() -> None:
            for kind in (self.result or "").split():
                if kind.startswith("="):
                    results.append(("T", boxes[kind[1:]]))
                else:
                    results.append((kind, self._box(kind)))
                    arguments.append(ctypes.byref(results[-1][1]))

        for parameter in self.parameters:
            kind, value = parameter.kind, values[parameter.name]
            if parameter.name == self.result_before:
                add_results()
            if kind in ("T", "R"):
                boxes[parameter.name] = self._box(kind, value)
                arguments.append(ctypes.byref(boxes[parameter.name]))
            else:
                arguments.append(_C_TYPES.get(kind, ctypes.c_int)(value))
        if self.result_before is None:
            add_results()
        handle.mark()
        self.library.check(self.name, function(*arguments))
        made = [self._unbox(kind, box) for kind, box in results]
        return made[0] if len(made) == 1 else tuple(made) or None


# Enumerations and counts are int.
_C_TYPES: dict[str, Any] = {
    "long": ctypes.c_longlong,
    "size": ctypes.c_size_t,
    "char": ctypes.c_byte,
    **dict.fromkeys(POINTERS, ctypes.c_void_p),
}
_OF_MANY = ("batchCount", "batchSize", "strideA", "strideB", "strideC")


def function_of(routine: Routine, module: str) -> Callable[..., Any]:
    """The routine as a function of a module."""

    def function(*arguments: Any, **keywords: Any) -> Any:
        return routine(*arguments, **keywords)

    function.__name__ = function.__qualname__ = routine.name
    function.__module__ = module
    function.__doc__ = routine.doc
    function.__signature__ = routine.signature  # type: ignore[attr-defined]
    function.routine = routine  # type: ignore[attr-defined]
    return function
