# SPDX-License-Identifier: MIT
"""Kernels that fold what an OpenCL C text gives for every element: ReductionKernel, and PyOpenCL's
kernels for sums, products and extrema of arrays.

    dot = ReductionKernel(context, numpy.float32, neutral="0", reduce_expr="a + b",
                          map_expr="x[i] * y[i]", arguments="float *x, float *y")
    number = dot(x, y).get()
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle._core.device import Device
from treadle._core.kernel import ReductionKernel as NativeKernel
from treadle._snippets import resolved_range
from treadle.pyopencl._arguments import type_preamble
from treadle.pyopencl._array_class import Array
from treadle.pyopencl._array_places import place_of
from treadle.pyopencl._caches import context_dependent_memoize
from treadle.pyopencl._elementwise_texts import is_complex, result_text, stored
from treadle.pyopencl._snippet_kernels import (
    compile_now,
    declared,
    flags_of,
    native_type,
    native_types,
    neutral_of,
    on_device,
    one_line,
    order_after,
    parameters_of,
    stage_info,
    values_of,
    vector,
)
from treadle.pyopencl._templates import SnippetTemplate, TemplateRenderer

# Programs also import argument classes from this module.
from treadle.pyopencl.tools import (  # noqa: F401
    Argument,
    DeferredAllocator,
    DtypedArgument,
    KernelTemplateBase,
    ScalarArg,
    VectorArg,
    dtype_to_c_struct,
    dtype_to_ctype,
    parse_arg_list,
)

_COMPLEX_HEADER = "#include <pyopencl-complex.h>\n"


class ReductionKernel:
    """Folds `map_expr`, for every index `i` of its first array or of a range, by `reduce_expr` of
    `a` and `b`, beginning with `neutral`. Built when it is made."""

    # over 6 parameters because they are those of PyOpenCL's
    def __init__(
        self,
        ctx: Any,
        dtype_out: Any,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: str | Sequence[str | Argument] | None = None,
        name: str = "reduce_kernel",
        options: Any = None,
        preamble: str = "",
    ) -> None:
        if arguments is None:
            raise ValueError("a ReductionKernel needs arguments; an empty list says there are none")
        self.context = ctx
        self.dtype_out = np.dtype(dtype_out)
        self.arguments = parameters = parameters_of(arguments)
        self.name = name
        map_expr = one_line("in[i]" if map_expr is None else map_expr, "map_expr")
        texts = (
            neutral_of(neutral),
            one_line(reduce_expr, "reduce_expr"),
            map_expr,
            declared(parameters),
        )
        before = type_preamble([self.dtype_out, *(a.dtype for a in parameters)])
        if _COMPLEX_HEADER not in before:
            before += _COMPLEX_HEADER
        self._kernels: dict[Any, NativeKernel] = {}
        for device in ctx.devices:
            kernel = self._kernels[device] = NativeKernel(
                Device.of(ctx, device),
                native_type(self.dtype_out),
                *texts,
                types=native_types(parameters),
                name=name,
                preamble=before + preamble,
                flags=flags_of(device, options),
            )
            compile_now(kernel)

    # over 6 parameters because they are those of PyOpenCL's
    def __call__(
        self,
        *args: Any,
        return_event: bool = False,
        queue: Any = None,
        allocator: Any = None,
        wait_for: Any = None,
        out: Any = None,
        range: slice | None = None,  # noqa: A002 - the names are PyOpenCL's
        slice: slice | None = None,  # noqa: A002
    ) -> Any:
        """Queues the reduction, over all elements of the first array, a slice of it, or the indices
        of a range. Returns an array without axes, with return_event=True also its event."""
        arrays = self._arrays(args)
        indices = self._indices(arrays, range, slice, queue)
        called = f"reduction kernel {self.name}"
        queue = arrays[0]._queue_for(queue) if arrays else queue
        place = place_of(queue)
        kernel = on_device(self._kernels, queue, called)
        order_after(place, arrays, wait_for)
        result = self._result(arrays, queue, allocator) if out is None else self._checked(out)
        values = values_of(self.arguments, args)
        with place.stream:
            kernel.launch(len(indices), result, *values, start=indices.start, step=indices.step)
        result._changed()
        return (result, result.events[-1]) if return_event else result

    @property
    def stage_1_inf(self) -> Any:
        """`source` is the kernel's text."""
        return stage_info(self._kernels)

    stage_2_inf = stage_1_inf

    def _arrays(self, args: Sequence[Any]) -> list[Any]:
        if len(args) != len(self.arguments):
            raise ValueError(
                f"reduction kernel {self.name} takes {len(self.arguments)} arguments, not "
                f"{len(args)}"
            )
        arrays = []
        for position, (argument, value) in enumerate(zip(self.arguments, args, strict=True)):
            if not isinstance(argument, VectorArg):
                continue
            assert isinstance(value, Array), (
                f"argument {position} ({argument.name}) of reduction kernel {self.name} is a "
                f"{type(value).__name__}, not an array"
            )
            arrays.append(value)
        return arrays

    def _indices(self, arrays: Sequence[Any], range_: Any, slice_: Any, queue: Any) -> range:
        if not arrays and (range_ is None or queue is None):
            raise TypeError(
                f"reduction kernel {self.name} has no array among its arguments: pass range= and "
                "queue="
            )
        size = arrays[0].size if arrays else 0
        chosen = resolved_range(range_, slice_, size)
        return builtins.range(*(chosen or (size,)))

    def _result(self, arrays: Sequence[Any], queue: Any, allocator: Any) -> Array:
        if arrays:
            allocator = arrays[0].allocator if allocator is None else allocator
            kind = type(arrays[-1])
        else:
            allocator = DeferredAllocator(self.context) if allocator is None else allocator
            kind = Array
        return kind(queue, (), self.dtype_out, allocator=allocator)

    def _checked(self, out: Any) -> Any:
        if out.size != 1:
            raise ValueError(f"out has {out.size} elements; a reduction gives one")
        if out.dtype != self.dtype_out:
            raise TypeError(f"out is of {out.dtype}, the reduction of {self.dtype_out}")
        return out


class ReductionTemplate(SnippetTemplate):
    """A ReductionKernel in whose texts names of types and values are filled in. The type that is
    called reduction_t is that of the result."""

    # over 6 parameters because they are those of PyOpenCL's
    def __init__(
        self,
        arguments: str | Sequence[Argument],
        neutral: str,
        reduce_expr: str,
        map_expr: str | None = None,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Any = None,
        name_prefix: str = "reduce",
        preamble: str = "",
        template_processor: str | None = None,
    ) -> None:
        super().__init__(arguments, preamble, template_processor)
        self.neutral = neutral
        self.reduce_expr = reduce_expr
        self.map_expr = map_expr
        self.name_prefix = name_prefix

    def _build(
        self, renderer: TemplateRenderer, arguments: Sequence[Argument], preamble: str
    ) -> ReductionKernel:
        return ReductionKernel(
            renderer.context,
            renderer.parse_type("reduction_t"),
            renderer(self.neutral) if isinstance(self.neutral, str) else self.neutral,
            renderer(self.reduce_expr),
            None if self.map_expr is None else renderer(self.map_expr),
            arguments,
            name=renderer(f"{self.name_prefix}_kernel"),
            options=renderer.options,
            preamble=preamble,
        )


# over 6 parameters because they are those of PyOpenCL's
def get_reduction_kernel(
    stage: int,
    ctx: Any,
    dtype_out: Any,
    neutral: Any,
    reduce_expr: str,
    map_expr: str | None = None,
    arguments: Any = None,
    name: str = "reduce_kernel",
    preamble: str = "",
    device: Any = None,
    options: Any = None,
    max_group_size: int | None = None,
) -> ReductionKernel:
    """The kernel of a reduction (stage 1), or the one that folds an array of its results (stage 2).
    Here each is whole by itself: stage 1 needs no other behind it."""
    if stage not in (1, 2):
        raise ValueError(f"a reduction has the stages 1 and 2, not {stage!r}")
    if stage == 2:
        map_expr, arguments = (
            "pyopencl_reduction_inp[i]",
            [VectorArg(dtype_out, "pyopencl_reduction_inp", with_offset=True)],
        )
    return ReductionKernel(
        ctx, dtype_out, neutral, reduce_expr, map_expr, arguments, name, options, preamble
    )


# --- sums, products, extrema ---------------------------------------------------------------------


@context_dependent_memoize
def get_any_kernel(ctx: Any, dtype_in: Any) -> ReductionKernel:
    """Whether an element is not 0."""
    return ReductionKernel(
        ctx, np.int8, "0", "a || b", "in[i] != 0", [vector(dtype_in, "in")], "any_kernel"
    )


@context_dependent_memoize
def get_all_kernel(ctx: Any, dtype_in: Any) -> ReductionKernel:
    """Whether all are."""
    return ReductionKernel(
        ctx, np.int8, "1", "a && b", "in[i] != 0", [vector(dtype_in, "in")], "all_kernel"
    )


def _zero(dtype: Any) -> str:
    return stored("0", np.dtype(np.int32), dtype)


def _added(dtype: Any) -> str:
    return result_text("+", ("a", dtype), ("b", dtype), dtype)


@context_dependent_memoize
def get_sum_kernel(ctx: Any, dtype_out: Any, dtype_in: Any) -> ReductionKernel:
    """The sum, in dtype_out; None: in dtype_in."""
    dtype_out = np.dtype(dtype_in if dtype_out is None else dtype_out)
    return ReductionKernel(
        ctx,
        dtype_out,
        _zero(dtype_out),
        _added(dtype_out),
        stored("in[i]", dtype_in, dtype_out),
        [vector(dtype_in, "in")],
        "sum_kernel",
    )


def _product(x: tuple[str, Any], y: tuple[str, Any], dtype_out: np.dtype, conjugates: bool) -> str:
    (left, dtype_x), (right, dtype_y) = x, y
    if conjugates and is_complex(dtype_x):
        name = "cfloat" if np.dtype(dtype_x) == np.complex64 else "cdouble"
        left = f"{name}_conj({left})"
    return result_text("*", (left, dtype_x), (right, dtype_y), dtype_out)


def _common(dtype_out: Any, dtype_a: Any, dtype_b: Any) -> np.dtype:
    return np.result_type(dtype_a, dtype_b) if dtype_out is None else np.dtype(dtype_out)


# over 6 parameters because they are those of PyOpenCL's
@context_dependent_memoize
def get_dot_kernel(
    ctx: Any,
    dtype_out: Any,
    dtype_a: Any = None,
    dtype_b: Any = None,
    conjugate_first: bool = False,
) -> ReductionKernel:
    """The sum of products of `a` and `b`, of which the first may be conjugated."""
    dtype_a = dtype_out if dtype_a is None else dtype_a
    dtype_b = dtype_out if dtype_b is None else dtype_b
    dtype_out = _common(dtype_out, dtype_a, dtype_b)
    return ReductionKernel(
        ctx,
        dtype_out,
        _zero(dtype_out),
        _added(dtype_out),
        _product(("a[i]", dtype_a), ("b[i]", dtype_b), dtype_out, conjugate_first),
        [vector(dtype_a, "a"), vector(dtype_b, "b")],
        "dot_kernel",
    )


# over 6 parameters because they are those of PyOpenCL's
@context_dependent_memoize
def get_subset_dot_kernel(
    ctx: Any,
    dtype_out: Any,
    dtype_subset: Any,
    dtype_a: Any = None,
    dtype_b: Any = None,
    conjugate_first: bool = False,
) -> ReductionKernel:
    """The same of the elements at a list of indices."""
    dtype_a = dtype_out if dtype_a is None else dtype_a
    dtype_b = dtype_out if dtype_b is None else dtype_b
    dtype_out = _common(dtype_out, dtype_a, dtype_b)
    place = "lookup_tbl[i]"
    operands = (f"a[{place}]", dtype_a), (f"b[{place}]", dtype_b)
    return ReductionKernel(
        ctx,
        dtype_out,
        _zero(dtype_out),
        _added(dtype_out),
        _product(*operands, dtype_out, conjugate_first),
        [vector(dtype_subset, "lookup_tbl"), vector(dtype_a, "a"), vector(dtype_b, "b")],
        "subset_dot_kernel",
    )


def get_minmax_neutral(what: str, dtype: Any) -> str:
    """What changes no minimum ("min") or maximum ("max"), as a text."""
    dtype = np.dtype(dtype)
    if what not in ("min", "max"):
        raise ValueError(f"what={what!r} is neither 'min' nor 'max'")
    if dtype.kind == "f":
        return "INFINITY" if what == "min" else "-INFINITY"
    limits = np.iinfo(dtype)
    value = limits.max if what == "min" else limits.min
    if dtype == np.int64 and what == "max":
        return f"({value + 1}L - 1)"
    suffix = {8: "UL" if dtype.kind == "u" else "L"}.get(dtype.itemsize, "")
    return f"{value}{suffix}"


def _extremum(what: str, dtype: Any, keeps_nan: bool) -> str:
    if np.dtype(dtype).kind != "f":
        return f"{what}(a, b)"
    chosen = f"f{what}(a, b)"
    return f"(a != a ? a : (b != b ? b : {chosen}))" if keeps_nan else chosen


@context_dependent_memoize
def get_minmax_kernel(ctx: Any, what: str, dtype: Any) -> ReductionKernel:
    """The minimum or maximum; nan if an element is."""
    return ReductionKernel(
        ctx,
        dtype,
        get_minmax_neutral(what, dtype),
        _extremum(what, dtype, True),
        "in[i]",
        [vector(dtype, "in")],
        f"{what}_kernel",
    )


@context_dependent_memoize
def get_subset_minmax_kernel(ctx: Any, what: str, dtype: Any, dtype_subset: Any) -> ReductionKernel:
    """The same of the elements at a list of indices, without nans."""
    return ReductionKernel(
        ctx,
        dtype,
        get_minmax_neutral(what, dtype),
        _extremum(what, dtype, False),
        "in[lookup_tbl[i]]",
        [vector(dtype_subset, "lookup_tbl"), vector(dtype, "in")],
        f"subset_{what}_kernel",
    )
