# SPDX-License-Identifier: MIT
"""What pyopencl.elementwise is made of: text around a user's, as programs and typed kernels."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle._core import Language
from treadle._core.codegen import ElementwiseText, ParameterKind
from treadle._snippets import Snippet, parameter
from treadle.pyopencl import _cl
from treadle.pyopencl._arguments import (
    Argument,
    DtypedArgument,
    ScalarArg,
    VectorArg,
    get_arg_list_arg_types,
    parse_arg_list,
    type_preamble,
)
from treadle.pyopencl._c_names import dtype_to_ctype
from treadle.pyopencl._program import Program

_COUNT = ("n",)
_RANGE = ("start", "stop", "step")


def own_arguments(use_range: bool) -> list[Argument]:
    """The parameters behind the user's."""
    return [ScalarArg(np.int64, name) for name in (_RANGE if use_range else _COUNT)]


def preamble_for(arguments: Sequence[Argument]) -> str:
    """What the types of the parameters need before the kernel."""
    return type_preamble(a.dtype for a in arguments if isinstance(a, DtypedArgument))


def described(argument: Argument) -> tuple[ParameterKind, str, str, str, int]:
    """A parameter as the generator takes it."""
    if not isinstance(argument, VectorArg | ScalarArg):
        raise RuntimeError(f"arg type not understood: {type(argument).__name__}")
    kind = ParameterKind.scalar
    if isinstance(argument, VectorArg):
        kind = ParameterKind.vector_with_offset if argument.with_offset else ParameterKind.vector
    return parameter(kind, argument.name, dtype_to_ctype(argument.dtype), argument.dtype)


def generate(
    arguments: Sequence[Argument],
    snippet: Snippet,
    use_range: bool,
    is_wide: bool | None = None,
    is_apart: bool = False,
) -> ElementwiseText:
    """The kernel with these parameters and its own."""
    if re.search(r"\breturn\b", snippet.operation):
        warnings.warn(
            "using return in an element-wise operation leaves the whole loop; "
            "PYOPENCL_ELWISE_CONTINUE goes on with the next element",
            stacklevel=4,
        )
    return snippet.generate(
        [described(argument) for argument in arguments],
        Language.opencl_c,
        has_range=use_range,
        is_wide=is_wide,
        is_apart=is_apart,
    )


def built(
    context: Any, before: str, made: ElementwiseText, options: Any, devices: Any = None
) -> Program:
    """The program of a generated kernel, with what its types need."""
    text = f"{before}#define PYOPENCL_ELWISE_CONTINUE continue\n{made.text}"
    return Program(context, text).build(options, devices=devices)


def typed_kernel(program: Program, name: str, arguments: Sequence[Argument]) -> Any:
    """The program's kernel, which takes arguments of these types."""
    kernel = _cl.Kernel(program, name)
    kernel.set_arg_types(get_arg_list_arg_types(arguments))
    return kernel


def _user_s(arguments: Sequence[Argument], use_range: bool) -> list[Argument]:
    """The user's parameters, without the kernel's own. The generator adds those."""
    own = _RANGE if use_range else _COUNT
    names = [getattr(argument, "name", "") for argument in arguments]
    return list(arguments[: -len(own)] if tuple(names[-len(own) :]) == own else arguments)


# over 6 parameters because they are the keywords of PyOpenCL's
def get_elwise_program(
    context: Any,
    arguments: Sequence[Argument],
    operation: str,
    *,
    name: str = "elwise_kernel",
    options: Any = None,
    preamble: str = "",
    loop_prep: str = "",
    after_loop: str = "",
    use_range: bool = False,
) -> Program:
    """The built program of a kernel over n elements or a range, for launches of any shape."""
    snippet = Snippet(operation, name, preamble, loop_prep, after_loop)
    return built(context, "", generate(_user_s(arguments, use_range), snippet, use_range), options)


# over 6 parameters because they are the keywords of PyOpenCL's
def get_elwise_kernel_and_types(
    context: Any,
    arguments: str | Sequence[str | Argument],
    operation: str,
    *,
    name: str = "elwise_kernel",
    options: Any = None,
    preamble: str = "",
    use_range: bool = False,
    **kwargs: Any,
) -> tuple[Any, list[Argument]]:
    """A typed kernel for launches of any shape, and all its parameters. Behind the user's it takes
    n, or start, stop and step."""
    user_s = parse_arg_list(arguments, with_offset=True)
    everything = [*user_s, *own_arguments(use_range)]
    program = get_elwise_program(
        context,
        user_s,
        operation,
        name=name,
        options=options,
        preamble=preamble_for(user_s) + preamble,
        use_range=use_range,
        **kwargs,
    )
    return typed_kernel(program, name, everything), everything


def get_elwise_kernel(
    context: Any,
    arguments: str | Sequence[str | Argument],
    operation: str,
    *,
    name: str = "elwise_kernel",
    options: Any = None,
    **kwargs: Any,
) -> Any:
    """The typed kernel of get_elwise_kernel_and_types()."""
    return get_elwise_kernel_and_types(
        context, arguments, operation, name=name, options=options, **kwargs
    )[0]
