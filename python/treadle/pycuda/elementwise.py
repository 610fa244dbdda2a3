# SPDX-License-Identifier: MIT
"""Kernels that run a C text for every element: ElementwiseKernel, the functions that it is made of,
and PyCUDA's kernels for arithmetic on arrays.

    axpy = ElementwiseKernel("float a, float *x, float *y", "y[i] += a * x[i]")
    axpy(2, x, y)
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import treadle.pycuda._vec  # noqa: F401 - registers the vectors' names
from treadle._core import Language
from treadle._core.array import Array, are_apart
from treadle._core.codegen import (
    ElementwiseText,
    ParameterKind,
    declares_variables,
    parse_declarations,
)
from treadle._required import required
from treadle._snippets import Snippet, parameter, resolved_range
from treadle.pycuda import _pvt_struct
from treadle.pycuda import driver as cuda
from treadle.pycuda._elementwise_kernels import TEXTS, Text
from treadle.pycuda._gpuarray_memory import current_device
from treadle.pycuda._sources import FunctionWithSources, Source
from treadle.pycuda.compiler import SourceModule
from treadle.pycuda.tools import (
    Argument,
    ContextCache,
    ScalarArg,
    VectorArg,
    context_dependent_memoize,
    dtype_to_ctype,
    parse_c_arg,
)

_COUNT = [("n", np.uintp)]
_RANGE = [("start", np.intp), ("stop", np.intp), ("step", np.intp)]


def own_arguments(use_range: bool) -> list[ScalarArg]:
    """The parameters behind the user's."""
    return [ScalarArg(dtype, name) for name, dtype in (_RANGE if use_range else _COUNT)]


def parse_arguments(arguments: str | Sequence[Argument | str]) -> list[Argument]:
    if isinstance(arguments, str):
        # Templates and comments may contain commas, so the text is not split there.
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
    """The user's parameters, without the kernel's own. The generator adds those at the end."""
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


def _getter(text: Callable[..., Text]) -> Callable[..., Any]:
    """Makes PyCUDA's function of a text: it compiles the text once for each context."""

    @functools.wraps(text)
    def getter(*args: Any, **kwargs: Any) -> Any:
        arguments, operation, name, preamble, sources = text(*args, **kwargs)
        function = get_elwise_kernel(arguments, operation, name, preamble=preamble)
        if sources is None:
            return function
        handles = [Source() for _ in range(sources)]
        return FunctionWithSources(function, handles), handles

    return context_dependent_memoize(getter)


globals().update({name: _getter(text) for name, text in TEXTS.items()})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


_MOST_BLOCKS = 2**31 - 1


class _Form:
    """A kernel that is compiled, and how it wants to be launched."""

    def __init__(self, function: cuda.Function, made: ElementwiseText) -> None:
        self.function = function
        self.block = (made.group_size, 1, 1)
        self.group_length = made.group_length
        self.check = made.check

    def launch(self, count: int, stream: cuda.Stream | None, arguments: Sequence[Any]) -> None:
        blocks = -(-count // self.group_length)
        self.function.prepared_async_call(
            (min(blocks, _MOST_BLOCKS), 1), self.block, stream, *arguments
        )


class ElementwiseKernel:
    """A C text that is run for every element `i` of its first array, or over a range. Compiled for
    a context when it is first called there."""

    def __init__(
        self,
        arguments: str | Sequence[Argument | str],
        operation: str,
        name: str = "kernel",
        keep: bool = False,
        options: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self._snippet = Snippet(operation, name, **kwargs)
        self.gen_kwargs = dict(
            kwargs,
            arguments=arguments,
            operation=operation,
            name=name,
            keep=keep,
            options=options,
        )
        self._parsed: list[Argument] | None = None  # parsed on first use
        self._has_variables: bool | None = None
        self._cache = ContextCache()

    def _remembered(self, key: Any, make: Any) -> Any:
        """Returns make()'s result, kept for each context. Raises LogicError without a context."""
        context = cuda.Context.get_current()
        if context is None:
            current_device()  # raises if there is no context
        of_context = self._cache.setdefault(context, {})
        if key not in of_context:
            of_context[key] = make()
        return of_context[key]

    @property
    def _arguments(self) -> list[Argument]:
        if self._parsed is None:
            parsed = parse_arguments(self.gen_kwargs["arguments"])
            assert any(isinstance(argument, VectorArg) for argument in parsed), (
                "ElementwiseKernel can only be used with functions that have at least one vector "
                "argument"
            )
            self._parsed = parsed
        return self._parsed

    def generate_stride_kernel_and_types(
        self, use_range: bool
    ) -> tuple[SourceModule, cuda.Function, list[Argument]]:
        """Module, prepared function and all parameters, for launches of any shape."""
        kwargs = dict(self.gen_kwargs, arguments=self._arguments, use_range=use_range)
        return self._remembered(("any", use_range), lambda: get_elwise_kernel_and_types(**kwargs))

    def get_texref(self, name: str, use_range: bool = False) -> Any:
        """A texture reference that the preamble declares."""
        return self.generate_stride_kernel_and_types(use_range)[0].get_texref(name)

    def _has_one_module(self, use_range: bool) -> bool:
        """Whether the kernel must be the one that generate_stride_kernel_and_types() returns:
        because the program has that kernel, or because the texts have variables, whose values all
        calls share."""
        if self._has_variables is None:
            self._has_variables = declares_variables(self._snippet.preamble)
        of_context = self._cache.get(cuda.Context.get_current(), {})
        return self._has_variables or ("any", use_range) in of_context

    def _form(self, use_range: bool, is_apart: bool) -> _Form:
        def shared() -> _Form:
            _, function, _ = self.generate_stride_kernel_and_types(use_range)
            return _Form(function, generate(self._arguments, self._snippet, use_range))

        def make() -> _Form:
            is_wide = current_device().traits.schedule == "wide"
            made = generate(self._arguments, self._snippet, use_range, is_wide, is_apart)
            module = compiled(made.text, self.gen_kwargs["keep"], self.gen_kwargs["options"])
            everything = [*self._arguments, *own_arguments(use_range)]
            return _Form(prepared(module, self._snippet.name, everything), made)

        if self._has_one_module(use_range):
            return self._remembered(("shared", use_range), shared)
        return self._remembered((use_range, is_apart), make)

    def __call__(
        self,
        *args: Any,
        range: slice | None = None,  # noqa: A002 - the name is PyCUDA's
        slice: slice | None = None,  # noqa: A002
        stream: cuda.Stream | None = None,
    ) -> None:
        """Queues the text for all elements of the first array, for those of a slice of it, or for
        the indices from range.start by range.step to before range.stop."""
        declared = self._arguments
        if len(args) != len(declared):
            raise _pvt_struct.error(
                f"elementwise kernel {self._snippet.name} takes {len(declared)} arguments, not "
                f"{len(args)}"
            )
        arrays = []
        values = list(args)
        for position, (argument, array) in enumerate(zip(declared, args, strict=True)):
            if not isinstance(argument, VectorArg):
                continue
            arrays.append(array)
            if not isinstance(array, Array):
                current_device()  # report a missing context first
                name = f"argument {position} ({argument.declarator()})"
                required(array, name, "a GPUArray", "gpudata", "flags", "size")
                values[position] = 0 if array.gpudata is None else array.gpudata
        first = arrays[0]
        chosen = resolved_range(range, slice, first.size if slice is not None else 0)
        is_apart = chosen is None and are_apart(arrays)
        form = self._form(chosen is not None, is_apart)
        indices = builtins.range(*(chosen or (first.mem_size,)))
        if not indices:
            return
        form.check(args, indices)
        own = chosen or (first.mem_size,)
        form.launch(len(indices), stream, [*values, *own])
