# SPDX-License-Identifier: MIT
"""What pycuda.elementwise is made of: text around a user's, as modules and prepared functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import treadle.pycuda._vec  # noqa: F401 - registers the vectors' names
from treadle._core import Language
from treadle._core.codegen import ElementwiseText, ParameterKind, parse_declarations
from treadle._snippets import Snippet, parameter
from treadle.pycuda import driver as cuda
from treadle.pycuda.compiler import SourceModule
from treadle.pycuda.tools import Argument, ScalarArg, VectorArg, dtype_to_ctype, parse_c_arg

_COUNT = [("n", np.uintp)]
_RANGE = [("start", np.intp), ("stop", np.intp), ("step", np.intp)]


def own_arguments(use_range: bool) -> list[ScalarArg]:
    """The parameters behind the user's."""
    return [ScalarArg(dtype, name) for name, dtype in (_RANGE if use_range else _COUNT)]


def parse_arguments(arguments: str | Sequence[Argument | str]) -> list[Argument]:
    if isinstance(arguments, str):
        # Not split at commas: templates have some, and comments.
        pieces: list[Any] = [
            f"{d.type} {'*' if d.is_pointer else ''}{d.name}" for d in parse_declarations(arguments)
        ]
    else:
        pieces = list(arguments)
    return [parse_c_arg(piece) if isinstance(piece, str) else piece for piece in pieces]


def described(argument: Argument) -> tuple[ParameterKind, str, str, str, int]:
    """A parameter as the generator takes it."""
    kind = ParameterKind.vector if isinstance(argument, VectorArg) else ParameterKind.scalar
    return parameter(kind, argument.name, dtype_to_ctype(argument.dtype), argument.dtype)


def generate(
    arguments: Sequence[Argument],
    snippet: Snippet,
    use_range: bool,
    is_wide: bool | None = None,
    is_apart: bool = False,
) -> ElementwiseText:
    """The program of a kernel with these parameters and its own."""
    return snippet.generate(
        [described(argument) for argument in arguments],
        Language.cuda_c,
        has_range=use_range,
        index_type="long" if use_range else "size_t",
        is_wide=is_wide,
        is_apart=is_apart,
    )


def compiled(text: str, keep: bool, options: Sequence[str] | None) -> SourceModule:
    text = f"#include <pycuda-complex.hpp>\n{text}"
    return SourceModule(text, options=options, keep=keep, no_extern_c=True)


def _without_own(arguments: Sequence[Argument], use_range: bool) -> list[Argument]:
    """The user's parameters: the kernel's own come last, and the generator writes them."""
    own = own_arguments(use_range)
    given = [(a.name, a.dtype) for a in arguments[-len(own) :]]
    if given != [(a.name, a.dtype) for a in own]:
        wanted = ", ".join(a.declarator() for a in own)
        raise ValueError(f"the last arguments of the kernel must be: {wanted}")
    return list(arguments[: -len(own)])


# over 6 parameters because they are the keywords of PyCUDA's
def get_elwise_module(
    arguments: Sequence[Argument],
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: Sequence[str] | None = None,
    preamble: str = "",
    loop_prep: str = "",
    after_loop: str = "",
) -> SourceModule:
    """The module of a kernel over n elements, for launches of any shape; `n` is the last of
    `arguments`."""
    snippet = Snippet(operation, name, preamble, loop_prep, after_loop)
    made = generate(_without_own(arguments, False), snippet, False)
    return compiled(made.text, keep, options)


# over 6 parameters because they are the keywords of PyCUDA's
def get_elwise_range_module(
    arguments: Sequence[Argument],
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: Sequence[str] | None = None,
    preamble: str = "",
    loop_prep: str = "",
    after_loop: str = "",
) -> SourceModule:
    """The module of a kernel over a range, for launches of any shape; `start`, `stop` and `step`
    are the last of `arguments`."""
    snippet = Snippet(operation, name, preamble, loop_prep, after_loop)
    made = generate(_without_own(arguments, True), snippet, True)
    return compiled(made.text, keep, options)


# over 6 parameters because they are the keywords of PyCUDA's
def get_elwise_kernel_and_types(
    arguments: str | Sequence[Argument | str],
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: Sequence[str] | None = None,
    use_range: bool = False,
    **kwargs: Any,
) -> tuple[SourceModule, cuda.Function, list[Argument]]:
    """Module, prepared function and all parameters of a kernel for launches of any shape. Behind
    the user's it takes n, or start, stop and step."""
    everything = [*parse_arguments(arguments), *own_arguments(use_range)]
    build = get_elwise_range_module if use_range else get_elwise_module
    module = build(everything, operation, name, keep, options, **kwargs)
    return module, prepared(module, name, everything), everything


def prepared(module: SourceModule, name: str, arguments: Sequence[Argument]) -> cuda.Function:
    function = module.get_function(name)
    function.prepare("".join(argument.struct_char for argument in arguments))
    return function


# over 6 parameters because they are the keywords of PyCUDA's
def get_elwise_kernel(
    arguments: str | Sequence[Argument | str],
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: Sequence[str] | None = None,
    use_range: bool = False,
    **kwargs: Any,
) -> cuda.Function:
    """The prepared function of get_elwise_kernel_and_types()."""
    return get_elwise_kernel_and_types(
        arguments, operation, name, keep, options, use_range, **kwargs
    )[1]
