# SPDX-License-Identifier: MIT
"""Kernels that run an OpenCL C text for every element: ElementwiseKernel, the functions that it is
made of, and PyOpenCL's kernels for arithmetic on arrays.

    axpy = ElementwiseKernel(context, "float a, float *x, float *y", "y[i] += a * x[i]")
    axpy(2, x, y)
"""

from __future__ import annotations

import builtins
import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from treadle._core.array import are_apart
from treadle._core.codegen import ElementwiseText
from treadle._core.device import Device
from treadle._snippets import Snippet, resolved_range
from treadle.pyopencl._array_class import Array
from treadle.pyopencl._array_places import place_of
from treadle.pyopencl._elementwise_kernels import TEXTS, Text
from treadle.pyopencl._elementwise_programs import (
    built,
    generate,
    get_elwise_kernel,
    get_elwise_kernel_and_types,  # noqa: F401
    get_elwise_program,  # noqa: F401
    own_arguments,
    preamble_for,
    typed_kernel,
)
from treadle.pyopencl._elementwise_texts import (  # noqa: F401
    ArgumentKind,
    complex_dtype_to_name,
    get_argument_kind,
    get_decl_and_access_for_kind,
    real_dtype,
)
from treadle.pyopencl._special_functions import (  # noqa: F401
    get_bessel_kernel,
    get_hankel_01_kernel,
)
from treadle.pyopencl._templates import SnippetTemplate, TemplateRenderer

# Programs also import argument classes from this module.
from treadle.pyopencl.tools import (  # noqa: F401
    Argument,
    DtypedArgument,
    KernelTemplateBase,
    ScalarArg,
    VectorArg,
    context_dependent_memoize,
    dtype_to_c_struct,
    dtype_to_ctype,
    parse_arg_list,
)


def _getter(text: Callable[..., Text]) -> Callable[..., Any]:
    """Makes PyOpenCL's function of a text: it builds the text once for each context."""

    @functools.wraps(text)
    def getter(context: Any, *args: Any, **kwargs: Any) -> Any:
        arguments, operation, name, preamble = text(*args, **kwargs)
        return get_elwise_kernel(context, arguments, operation, name=name, preamble=preamble)

    own = inspect.signature(text)
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    getter.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[context, *own.parameters.values()], return_annotation=Any
    )
    return context_dependent_memoize(getter)


globals().update({name: _getter(text) for name, text in TEXTS.items()})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


class _Form:
    """A kernel that is built for a device, and how it wants to be launched."""

    def __init__(self, kernel: Any, made: ElementwiseText) -> None:
        self.kernel = kernel
        self.group_size = made.group_size
        self.group_length = made.group_length
        self.check = made.check

    def sizes(self, count: int) -> tuple[tuple[int], tuple[int]]:
        groups = -(-count // self.group_length)
        return (groups * self.group_size,), (self.group_size,)


class ElementwiseKernel:
    """An OpenCL C text that is run for every element `i` of its first array, or over a range. Built
    for a device when it is first called there."""

    # over 6 parameters because they are the keywords of PyOpenCL's
    def __init__(
        self,
        context: Any,
        arguments: str | Sequence[str | Argument],
        operation: str,
        name: str = "elwise_kernel",
        options: Any = None,
        *,
        auto_preamble: bool = True,
        **kwargs: Any,
    ) -> None:
        self.context = context
        self.arguments = parse_arg_list(arguments, with_offset=True)
        if not any(isinstance(argument, VectorArg) for argument in self.arguments):
            raise RuntimeError(
                "ElementwiseKernel can only be used with functions that have at least one vector "
                "argument"
            )
        self.operation = operation
        self.name = name
        self.options = options
        self._parts = kwargs
        self._snippet = Snippet(operation, name, **kwargs)
        self._before = preamble_for(self.arguments) if auto_preamble else ""
        self._forms: dict[Any, _Form] = {}

    def _form(self, device: Any, use_range: bool, is_apart: bool) -> _Form:
        form = self._forms.get((device, use_range, is_apart))
        if form is not None:
            return form
        if not self._forms and any(
            isinstance(argument, VectorArg) and not argument.with_offset
            for argument in self.arguments
        ):
            warnings.warn(
                f"elementwise kernel {self.name} has VectorArgs without with_offset=True: it "
                "ignores where views begin",
                DeprecationWarning,
                stacklevel=4,
            )
        is_wide = Device.of(self.context, device).traits.schedule == "wide"
        made = generate(self.arguments, self._snippet, use_range, is_wide, is_apart)
        program = built(self.context, self._before, made, self.options, [device])
        everything = [*self.arguments, *own_arguments(use_range)]
        form = _Form(typed_kernel(program, self.name, everything), made)
        self._forms[device, use_range, is_apart] = form
        return form

    def get_kernel(self, use_range: bool) -> tuple[Any, list[Argument]]:
        """A typed kernel of the same text for launches of any shape, and all its parameters: behind
        the user's it takes n, or start, stop and step."""
        return get_elwise_kernel_and_types(
            self.context,
            self.arguments,
            self.operation,
            name=self.name,
            options=self.options,
            use_range=use_range,
            **self._parts,
        )

    def _arrays(self, args: Sequence[Any]) -> list[Any]:
        if len(args) != len(self.arguments):
            raise TypeError(
                f"elementwise kernel {self.name} takes {len(self.arguments)} arguments, not "
                f"{len(args)}"
            )
        arrays = [
            value
            for argument, value in zip(self.arguments, args, strict=True)
            if isinstance(argument, VectorArg)
        ]
        for array in arrays:
            if not isinstance(array, Array):
                array.base_data  # noqa: B018 - what has none is no array
        return arrays

    # over 6 parameters because they are the keywords of PyOpenCL's
    def __call__(
        self,
        *args: Any,
        range: slice | None = None,  # noqa: A002 - the name is PyOpenCL's
        slice: slice | None = None,  # noqa: A002
        capture_as: Any = None,
        queue: Any = None,
        wait_for: Any = None,
    ) -> Any:
        """Enqueues the text for all elements of the first array, for those of a slice of it, or for
        the indices from range.start by range.step to before range.stop. Returns the event."""
        arrays = self._arrays(args)
        first = arrays[0]
        chosen = resolved_range(range, slice, first.size if slice is not None else 0)
        queue = first.queue if queue is None else queue
        if queue is None:
            raise ValueError(f"elementwise kernel {self.name} needs queue=: its array has none")
        is_apart = chosen is None and are_apart(arrays)
        form = self._form(queue.device, chosen is not None, is_apart)
        own = chosen or (first.size,)
        indices = builtins.range(*own)
        if not indices:
            return form.kernel(
                queue, (0,), None, *args, *own, wait_for=wait_for, allow_empty_ndrange=True
            )
        form.check(args, indices)
        sizes = form.sizes(len(indices))
        if capture_as is not None:
            form.kernel.capture_call(capture_as, queue, *sizes, *args, *own, wait_for=wait_for)
        place_of(queue)  # orders the launch with the arrays' own operations
        return form.kernel(queue, *sizes, *args, *own, wait_for=wait_for)


class ElementwiseTemplate(SnippetTemplate):
    """An ElementwiseKernel in whose texts names of types and values are filled in."""

    # over 6 parameters because they are the keywords of PyOpenCL's
    def __init__(
        self,
        arguments: str,
        operation: str,
        name: str = "elwise",
        preamble: str = "",
        template_processor: str | None = None,
    ) -> None:
        super().__init__(arguments, preamble, template_processor)
        self.operation = operation
        self.name = name

    def _build(
        self, renderer: TemplateRenderer, arguments: Sequence[Argument], preamble: str
    ) -> ElementwiseKernel:
        return ElementwiseKernel(
            renderer.context,
            arguments,
            renderer(self.operation),
            name=renderer(self.name),
            options=renderer.options,
            auto_preamble=False,
            preamble=preamble,
        )
