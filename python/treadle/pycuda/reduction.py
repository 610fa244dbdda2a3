# SPDX-License-Identifier: MIT
"""Kernels that fold what a C text gives for every element: ReductionKernel, and PyCUDA's kernels
for sums, products and extrema.

    dot = ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                          arguments="float *x, float *y")
    print(dot(x, y).get())
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treadle import CompileError
from treadle._c_names import get_or_register_dtype
from treadle._core.kernel import ReductionKernel as _NativeKernel
from treadle._face_array import on_stream
from treadle.pycuda import _pvt_struct
from treadle.pycuda import driver as cuda
from treadle.pycuda._gpuarray import GPUArray
from treadle.pycuda._gpuarray_memory import current_device, native_type, native_value
from treadle.pycuda.compiler import SourceModule
from treadle.pycuda.elementwise import parse_arguments, prepared
from treadle.pycuda.tools import (
    Argument,
    ContextCache,
    ScalarArg,
    VectorArg,
    context_dependent_memoize,
    dtype_to_ctype,
)

_HEADER = "#include <pycuda-complex.hpp>\n"


class ReductionKernel:
    """Folds `map_expr`, which a C text gives for each element i of its first array, by
    `reduce_expr` of `a` and `b`. The result is an array of no axes. Equal calls give equal bits."""

    # over 6 parameters because they are the keywords of PyCUDA's
    def __init__(
        self,
        dtype_out: Any,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: str | Sequence[Argument | str] | None = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Sequence[str] | None = None,
        preamble: str = "",
    ) -> None:
        self.dtype_out = np.dtype(dtype_out)
        self._arguments = _parsed(arguments, name)
        self._texts = (
            neutral,
            str(reduce_expr),
            "in[i]" if map_expr is None else str(map_expr),
        )
        self._name, self._options, self._keep = name, options, keep
        self._preamble = f"{_HEADER}{preamble}"
        self._cache = ContextCache()
        self._compiled()
        self.stage1_arg_types = [*self._arguments, *self._own_arguments()]
        self.stage2_arg_types = list(self.stage1_arg_types)
        if keep:
            self._module()

    def _kernel(self) -> _NativeKernel:
        """The kernel of the current context."""
        device = current_device()
        context = cuda.Context.get_current()
        kernel = self._cache.get(context)
        if kernel is None:
            declarations = ", ".join(a.declarator() for a in self._arguments)
            kernel = self._cache[context] = _NativeKernel(
                device,
                native_type(self.dtype_out),
                *self._texts,
                declarations,
                types=[native_type(a.dtype) for a in self._arguments],
                name=self._name,
                preamble=self._preamble,
                flags=[str(option) for option in self._options or ()],
            )
        return kernel

    def _compiled(self) -> _NativeKernel:
        kernel = self._kernel()
        try:
            kernel.compile()
        except CompileError as error:
            raise cuda.CompileError(
                f"reduction kernel {self._name} was not compiled", [], None, str(error)
            ) from error
        return kernel

    def __call__(
        self,
        *args: Any,
        stream: cuda.Stream | None = None,
        out: GPUArray | None = None,
        allocator: Callable[[int], Any] | None = None,
        kernel_wrapper: Callable[[Callable[..., None]], Callable[..., None]] | None = None,
    ) -> GPUArray:
        """Queues the reduction over all elements of the first array into `out`, of which the first
        element is written, or into a new array. `kernel_wrapper` is given what launches the kernel,
        and gives what is called instead."""
        declared = self._arguments
        if len(args) != len(declared):
            raise _pvt_struct.error(
                f"reduction kernel {self._name} takes {len(declared)} arguments, not {len(args)}"
            )
        first = next(
            value
            for argument, value in zip(declared, args, strict=True)
            if isinstance(argument, VectorArg)
        )
        if out is None:
            if allocator is None:
                allocator = getattr(first, "allocator", None)
            out = GPUArray((), self.dtype_out, allocator)
        elif out.dtype != self.dtype_out:
            raise ValueError(f"out is of {out.dtype}, the result of {self.dtype_out}")
        elif out.size == 0:
            raise ValueError("out has no element for the result")
        values = [native_value(argument, arg) for argument, arg in zip(declared, args, strict=True)]
        kernel = self._compiled()
        launch = kernel.launch if kernel_wrapper is None else kernel_wrapper(kernel.launch)
        with on_stream(out.device, stream):
            launch(first.size, out, *values)
        return out

    @property
    def block_size(self) -> int:
        """Threads of a block."""
        return self._kernel().group_size

    @property
    def stage1_func(self) -> Callable[..., None]:
        """The kernel's own prepared_async_call; stage1_arg_types says what it takes."""
        return self._function().prepared_async_call

    @property
    def stage2_func(self) -> Callable[..., None]:
        """The same: there is one kernel, whose last block does what a second one would."""
        return self._function().prepared_async_call

    def _module(self) -> SourceModule:
        return SourceModule(
            self._kernel().text, options=self._options, keep=self._keep, no_extern_c=True
        )

    def _own_arguments(self) -> list[Argument]:
        """The arguments behind the user's, by the names in the kernel's text."""
        return [
            VectorArg(self.dtype_out if name in ("z", "partials") else np.dtype(dtype), name)
            if is_pointer
            else ScalarArg(np.dtype(dtype), name)
            for name, dtype, is_pointer in self._kernel().own_parameters
        ]

    def _function(self) -> cuda.Function:
        return prepared(self._module(), self._name, self.stage1_arg_types)


def _parsed(arguments: str | Sequence[Argument | str] | None, name: str) -> list[Argument]:
    if arguments is None:
        raise cuda.CompileError(f"reduction kernel {name} has no arguments: name its arrays", [])
    parsed = parse_arguments(arguments)
    assert any(isinstance(argument, VectorArg) for argument in parsed), (
        "ReductionKernel can only be used with functions that have at least one vector argument"
    )
    return parsed


# over 6 parameters because they are PyCUDA's
def get_reduction_module(
    out_type: Any,
    block_size: int,
    neutral: Any,
    reduce_expr: str,
    map_expr: str | None,
    arguments: str | Sequence[Argument | str],
    name: str = "reduce_kernel",
    keep: bool = False,
    options: Sequence[str] | None = None,
    preamble: str = "",
) -> SourceModule:
    """The module of a reduction. `out_type` is a C name or a dtype; the block's size is the
    kernel's own."""
    dtype = get_or_register_dtype(out_type) if isinstance(out_type, str) else out_type
    return ReductionKernel(
        dtype, neutral, reduce_expr, map_expr, arguments, name, keep, options, preamble
    )._module()


# over 6 parameters because they are PyCUDA's
def get_reduction_kernel_and_types(
    stage: int,
    out_type: Any,
    block_size: int,
    neutral: Any,
    reduce_expr: str,
    map_expr: str | None = None,
    arguments: str | Sequence[Argument | str] | None = None,
    name: str = "reduce_kernel",
    keep: bool = False,
    options: Sequence[str] | None = None,
    preamble: str = "",
) -> tuple[cuda.Function, list[Argument]]:
    """The prepared kernel and its parameters. Stage 2 reads `in`, a result for each block."""
    dtype = get_or_register_dtype(out_type) if isinstance(out_type, str) else np.dtype(out_type)
    if stage == 2:
        map_expr = "in[i]"
        arguments = [VectorArg(dtype, "in"), *_parsed(arguments, name)]
    kernel = ReductionKernel(
        dtype, neutral, reduce_expr, map_expr, arguments, name, keep, options, preamble
    )
    return kernel._function(), kernel.stage1_arg_types


# --- PyCUDA's own --------------------------------------------------------------------------------


def _out(dtype_out: Any, dtype_in: Any) -> np.dtype:
    return np.dtype(dtype_in if dtype_out is None else dtype_out)


def _pointer(dtype: Any, name: str) -> VectorArg:
    return VectorArg(dtype, name)


def _as(dtype: Any, value: str) -> str:
    return f"(({dtype_to_ctype(dtype)}) {value})"


@context_dependent_memoize
def get_sum_kernel(dtype_out: Any, dtype_in: Any) -> ReductionKernel:
    """The sum of `in`."""
    dtype_out = _out(dtype_out, dtype_in)
    return ReductionKernel(
        dtype_out, "0", "a+b", _as(dtype_out, "in[i]"), [_pointer(dtype_in, "in")], "sum"
    )


def _truth(dtype_out: Any, dtype_in: Any, texts: tuple[str, str], name: str) -> ReductionKernel:
    return ReductionKernel(
        _out(dtype_out, dtype_in),
        *texts,
        f"in[i] != {_as(dtype_in, '0')}",
        [_pointer(dtype_in, "in")],
        name,
    )


@context_dependent_memoize
def get_any_kernel(dtype_out: Any, dtype_in: Any) -> ReductionKernel:
    """Whether an element of `in` is not 0."""
    return _truth(dtype_out, dtype_in, ("0", "(a != 0) || (b != 0)"), "any")


@context_dependent_memoize
def get_all_kernel(dtype_out: Any, dtype_in: Any) -> ReductionKernel:
    """Whether no element of `in` is 0."""
    return _truth(dtype_out, dtype_in, ("1", "(a != 0) && (b != 0)"), "all")


@context_dependent_memoize
def get_subset_sum_kernel(dtype_out: Any, dtype_subset: Any, dtype_in: Any) -> ReductionKernel:
    """The sum of in[lookup_tbl[i]]."""
    dtype_out = _out(dtype_out, dtype_in)
    return ReductionKernel(
        dtype_out,
        "0",
        "a+b",
        _as(dtype_out, "in[lookup_tbl[i]]"),
        [_pointer(dtype_subset, "lookup_tbl"), _pointer(dtype_in, "in")],
        "subset_sum",
    )


def _product(dtype_out: np.dtype, dtypes: tuple[Any, Any], place: str) -> str:
    factors = [f"{name}[{place}]" for name in "xy"]
    kinds = [np.dtype(dtype).kind for dtype in dtypes]
    if dtype_out.kind == "c" or "c" not in kinds:
        return "*".join(_as(dtype_out, factor) for factor in factors)
    raise TypeError(f"the product of {dtypes[0]} and {dtypes[1]} is complex, not {dtype_out}")


@context_dependent_memoize
def get_dot_kernel(dtype_out: Any, dtype_a: Any, dtype_b: Any) -> ReductionKernel:
    """The sum of x[i] * y[i]."""
    dtype_out = np.dtype(np.result_type(dtype_a, dtype_b) if dtype_out is None else dtype_out)
    return ReductionKernel(
        dtype_out,
        "0",
        "a+b",
        _product(dtype_out, (dtype_a, dtype_b), "i"),
        [_pointer(dtype_a, "x"), _pointer(dtype_b, "y")],
        "dot",
    )


@context_dependent_memoize
def get_subset_dot_kernel(
    dtype_out: Any, dtype_subset: Any, dtype_a: Any = None, dtype_b: Any = None
) -> ReductionKernel:
    """The sum of x[lookup_tbl[i]] * y[lookup_tbl[i]]."""
    dtype_b = _out(dtype_b, dtype_out) if dtype_b is None else dtype_b
    dtype_a = dtype_b if dtype_a is None else dtype_a
    dtype_out = _out(dtype_out, np.result_type(dtype_a, dtype_b))
    return ReductionKernel(
        dtype_out,
        "0",
        "a+b",
        _product(dtype_out, (dtype_a, dtype_b), "lookup_tbl[i]"),
        [_pointer(dtype_subset, "lookup_tbl"), _pointer(dtype_a, "x"), _pointer(dtype_b, "y")],
        "subset_dot",
    )


def get_minmax_neutral(what: str, dtype: Any) -> str:
    """What changes no minimum ("min") or maximum, as C text."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return "INFINITY" if what == "min" else "-INFINITY"
    if dtype.kind not in "iu":
        raise TypeError(f"unsupported dtype specified: {dtype} has no order")
    limits = np.iinfo(dtype)
    if what == "min":
        return f"{limits.max}{'UL' if dtype.kind == 'u' else 'L'}"
    return f"(-{limits.max}L - 1)" if dtype.kind == "i" else "0"


def _smaller(what: str, dtype: Any) -> str:
    if np.dtype(dtype).kind == "f":  # NaN is skipped
        return f"f{what}(a, b)"
    return f"a {'<' if what == 'min' else '>'} b ? a : b"


def _extremum(
    what: str, dtype: Any, map_expr: str, arguments: Sequence[Argument]
) -> ReductionKernel:
    if what not in ("min", "max"):
        raise ValueError(f'"min" or "max" is wanted, not {what!r}')
    neutral = get_minmax_neutral(what, dtype)
    return ReductionKernel(dtype, neutral, _smaller(what, dtype), map_expr, arguments, what)


@context_dependent_memoize
def get_minmax_kernel(what: str, dtype: Any) -> ReductionKernel:
    """The least ("min") or the largest ("max") number of `in`."""
    return _extremum(what, dtype, "in[i]", [_pointer(dtype, "in")])


@context_dependent_memoize
def get_subset_minmax_kernel(what: str, dtype: Any, dtype_subset: Any) -> ReductionKernel:
    """The least or the largest in[lookup_tbl[i]]."""
    arguments = [_pointer(dtype_subset, "lookup_tbl"), _pointer(dtype, "in")]
    return _extremum(what, dtype, "in[lookup_tbl[i]]", arguments)
