# SPDX-License-Identifier: MIT
"""The parameters of kernels that are written: read from C declarations, and written again."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import treadle.pyopencl._vector_types  # noqa: F401 - registers them
from treadle._core.codegen import split_declarations
from treadle.pyopencl._c_names import NAME_TO_DTYPE, dtype_to_ctype, parse_c_arg_backend


class Argument(abc.ABC):
    """One parameter of a kernel."""

    @abc.abstractmethod
    def declarator(self) -> str:
        """The parameter as OpenCL C declares it."""


@dataclass(frozen=True)
class DtypedArgument(Argument):
    """A parameter with an element type."""

    dtype: Any
    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", np.dtype(self.dtype))


@dataclass(frozen=True)
class VectorArg(DtypedArgument):
    """A pointer to global memory; with_offset, an offset in bytes comes as a parameter more."""

    with_offset: bool = False

    def declarator(self) -> str:
        ctype = dtype_to_ctype(self.dtype)
        if self.with_offset:
            return f"__global {ctype} *{self.name}__base, long {self.name}__offset"
        return f"__global {ctype} *{self.name}"


@dataclass(frozen=True)
class ScalarArg(DtypedArgument):
    """A parameter passed by value."""

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


@dataclass(frozen=True)
class OtherArg(Argument):
    """A parameter in its own words."""

    decl: str
    name: str

    def declarator(self) -> str:
        return self.decl


def parse_c_arg(c_arg: str, with_offset: bool = False) -> DtypedArgument:
    """`__global const float *x` to VectorArg(float32, "x")."""
    return parse_c_arg_of(c_arg, NAME_TO_DTYPE, with_offset)


def parse_c_arg_of(
    c_arg: str,
    name_to_dtype: Callable[[str], np.dtype] | dict[str, np.dtype],
    with_offset: bool = False,
) -> DtypedArgument:
    """The same with other names of types."""
    for space in ("__local", "__constant"):
        if space in c_arg:
            raise RuntimeError(f"cannot deal with {space} in the argument {c_arg!r}")
    text = c_arg.replace("__global", "")
    return parse_c_arg_backend(
        text,
        ScalarArg,
        functools.partial(VectorArg, with_offset=with_offset),
        name_to_dtype,
    )


def parse_arg_list(
    arguments: str | Iterable[str | Argument], with_offset: bool = False
) -> list[Argument]:
    """Parameters from a text with commas, or from a list of texts and Arguments."""
    parts = split_declarations(arguments) if isinstance(arguments, str) else arguments
    return [parse_c_arg(p, with_offset) if isinstance(p, str) else p for p in parts]


def get_arg_list_arg_types(arg_types: Iterable[Argument]) -> tuple[Any, ...]:
    """What Kernel.set_arg_types() wants: dtypes and VectorArgs."""
    types = []
    for argument in arg_types:
        if isinstance(argument, ScalarArg):
            types.append(argument.dtype)
        elif isinstance(argument, VectorArg):
            types.append(argument)
        else:
            raise RuntimeError(f"arg type not understood: {type(argument).__name__}")
    return tuple(types)


def get_arg_list_scalar_arg_dtypes(arg_types: Iterable[Argument]) -> list[Any]:
    """What Kernel.set_scalar_arg_dtypes() wants: dtypes, None for memory."""
    types: list[Any] = []
    for argument in arg_types:
        if isinstance(argument, ScalarArg):
            types.append(argument.dtype)
        elif isinstance(argument, VectorArg):
            types += [None, np.dtype(np.int64)] if argument.with_offset else [None]
        else:
            raise RuntimeError(f"arg type not understood: {type(argument).__name__}")
    return types


def get_arg_offset_adjuster_code(arg_types: Iterable[Argument]) -> str:
    """C text that makes each offset vector's pointer of its base and its offset."""
    lines = []
    for argument in arg_types:
        if isinstance(argument, VectorArg) and argument.with_offset:
            ctype = dtype_to_ctype(argument.dtype)
            name = argument.name
            lines.append(
                f"__global {ctype} *{name} = (__global {ctype} *) "
                f"((__global char *) {name}__base + {name}__offset);"
            )
    return "\n".join(lines)


_DOUBLE = """\
#if __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64: enable
#endif
#define PYOPENCL_DEFINE_CDOUBLE
"""


def type_preamble(dtypes: Iterable[np.dtype]) -> str:
    """What a program needs that names these types: doubles, and the header of complex numbers."""
    dtypes = list(dtypes)
    is_double = any(dtype in (np.float64, np.complex128) for dtype in dtypes)
    is_complex = any(dtype.kind == "c" for dtype in dtypes)
    include = "#include <pyopencl-complex.h>\n" if is_complex else ""
    return (_DOUBLE if is_double else "") + include
