# SPDX-License-Identifier: MIT
"""Kernels that give each element the sum, by any associative operation, of all up to it:
GenericScanKernel, and what PyOpenCL makes of it.

    cumulative = GenericScanKernel(context, numpy.float32, "float *x, float *y", "x[i]", "a + b",
                                   "0", "y[i] = item")
    cumulative(x, y)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from treadle._core.device import Device
from treadle._core.kernel import ScanKernel as NativeKernel
from treadle.pyopencl import _cl
from treadle.pyopencl._arguments import type_preamble
from treadle.pyopencl._array_places import place_of
from treadle.pyopencl._caches import context_dependent_memoize
from treadle.pyopencl._cluda import CLUDA_WORDS
from treadle.pyopencl._elementwise_texts import result_text, stored
from treadle.pyopencl._snippet_kernels import (
    check_are_arrays,
    check_is_array,
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
from treadle.pyopencl._templates import SnippetTemplate

# Programs also import argument classes from this module.
from treadle.pyopencl.tools import (  # noqa: F401
    Argument,
    DtypedArgument,
    KernelTemplateBase,
    ScalarArg,
    VectorArg,
    bitlog2,
    dtype_to_c_struct,
    dtype_to_ctype,
    parse_arg_list,
)


class ScanPerformanceWarning(UserWarning):
    """PyOpenCL's warning of a scan that would be slow. Nothing here gives it."""


class _ScanKernelBase:
    """What scans in parallel and by one work-item have in common."""

    _is_sequential: ClassVar[bool] = False
    # Outputs with one element for each index.
    _one_for_one: ClassVar[Sequence[str]] = ()

    # over 6 parameters because they are those of PyOpenCL's
    def __init__(
        self,
        ctx: Any,
        dtype: Any,
        arguments: str | Sequence[str | Argument],
        input_expr: str,
        scan_expr: str,
        neutral: Any,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[tuple[str, str, int]] | None = None,
        index_dtype: Any = np.int32,
        name_prefix: str = "scan",
        options: Any = None,
        preamble: str = "",
        devices: Sequence[Any] | None = None,
    ) -> None:
        if neutral is None:
            raise ValueError("a scan needs its neutral element: what prev_item is at the start")
        self.context = ctx
        self.dtype = np.dtype(dtype)
        self.index_dtype = np.dtype(index_dtype)
        if self.index_dtype not in (np.int32, np.int64):
            raise TypeError(f"index_dtype is int32 or int64, not {self.index_dtype}")
        for name, _, offset in input_fetch_exprs or ():
            if offset not in (0, -1):
                raise RuntimeError(f"{name} is fetched at the offset {offset}: it is 0 or -1")
        self.parsed_args = parameters = parameters_of(arguments)
        vectors = [n for n, argument in enumerate(parameters) if isinstance(argument, VectorArg)]
        if not vectors:
            raise RuntimeError("a scan needs an array among its arguments")
        self.first_array_idx = vectors[0]
        self.name_prefix = name_prefix
        self.options = options
        self.devices = list(ctx.devices if devices is None else devices)
        input_expr = one_line(input_expr, "input_expr")
        before = type_preamble([self.dtype, *(a.dtype for a in parameters)])
        self._kernels: dict[Any, NativeKernel] = {}
        for device in self.devices:
            kernel = self._kernels[device] = NativeKernel(
                Device.of(ctx, device),
                native_type(self.dtype),
                declared(parameters),
                input_expr,
                one_line(scan_expr, "scan_expr"),
                output_statement,
                neutral=neutral_of(neutral),
                segment_start=one_line(is_segment_start_expr or "", "is_segment_start_expr"),
                fetches=[(name, ary, offset) for name, ary, offset in input_fetch_exprs or ()],
                types=native_types(parameters),
                name=name_prefix,
                preamble=f"{before}{CLUDA_WORDS}{preamble}",
                flags=flags_of(device, options),
                index_dtype=self.index_dtype.name,
                is_sequential=self._is_sequential,
                one_for_one=self._one_for_one,
            )
            compile_now(kernel)

    @property
    def first_level_scan_info(self) -> Any:
        """`kernel.program.source` is the kernel's text."""
        return stage_info(self._kernels)

    second_level_scan_info = final_update_info = first_level_scan_info

    # over 6 parameters because they are those of PyOpenCL's
    def __call__(
        self,
        *args: Any,
        queue: Any = None,
        allocator: Any = None,
        size: int | None = None,
        wait_for: Any = None,
    ) -> Any:
        """Enqueues the scan of all elements of the first array, or of the first `size` indices.
        Returns its event. Memory for what is between is the queue's own, whatever `allocator`."""
        if len(args) != len(self.parsed_args):
            raise TypeError(
                f"scan {self.name_prefix} takes {len(self.parsed_args)} arguments, not {len(args)}"
            )
        called = f"scan {self.name_prefix}"
        first = args[self.first_array_idx]
        first_name = self.parsed_args[self.first_array_idx].name
        check_is_array(called, self.first_array_idx, first_name, first)
        queue = first.queue if queue is None else queue
        if queue is None:
            raise ValueError(f"{called} needs queue=: its array has none")
        if size is None:
            if first.ndim != 1:
                raise ValueError(
                    f"the first array of {called} has {first.ndim} axes: pass one with one axis, "
                    "or size="
                )
            size = first.size
        if size < 0:
            raise ValueError(f"the size of {called} is {size}")
        check_are_arrays(called, self.parsed_args, args)
        place = place_of(queue)
        kernel = on_device(self._kernels, queue, called)
        order_after(place, args, wait_for)
        if size:
            values = values_of(self.parsed_args, args)
            with place.stream:
                kernel.launch(size, *values)
        return _cl.enqueue_marker(queue)


class GenericScanKernel(_ScanKernelBase):
    """Scans `input_expr`, for every index `i` of its first array, by `scan_expr` of `a` and, behind
    it, `b`; then runs `output_statement` for every `i`, with `item`, `prev_item` and `last_item`.
    Built when it is made. Equal calls give equal bits."""


class GenericDebugScanKernel(_ScanKernelBase):
    """The same by one work-item, one index after the other: texts that print are read in order."""

    _is_sequential = True


class _PlainScanKernel(GenericScanKernel):
    """Scans one array into another."""

    _output: ClassVar[str]
    _one_for_one = ("input_ary", "output_ary")

    # over 6 parameters because they are those of PyOpenCL's
    def __init__(
        self,
        ctx: Any,
        dtype: Any,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: Any = None,
        preamble: str = "",
        devices: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(
            ctx,
            dtype,
            [vector(dtype, "input_ary"), vector(dtype, "output_ary")],
            "input_ary[i]",
            scan_expr,
            neutral,
            self._output,
            index_dtype=np.int64,
            name_prefix=name_prefix,
            options=options,
            preamble=preamble,
            devices=devices,
        )

    def __call__(  # type: ignore[override]
        self, input_ary: Any, output_ary: Any = None, allocator: Any = None, queue: Any = None
    ) -> Any:
        """Scans into output_ary, in place where that is None, into a new array where it is "new".
        Returns the output."""
        called = f"scan {self.name_prefix}"
        check_is_array(called, 0, "input_ary", input_ary)
        if isinstance(output_ary, str) and output_ary == "new":
            queue = input_ary._queue_for(queue)
            output_ary = input_ary._new_with_changes(None, 0, queue=queue, allocator=allocator)
        elif output_ary is None:
            output_ary = input_ary
        check_is_array(called, 1, "output_ary", output_ary)
        if output_ary.shape != input_ary.shape:
            raise ValueError(
                f"the output of {called} has the shape {output_ary.shape}, the input "
                f"{input_ary.shape}"
            )
        if input_ary.size:
            super().__call__(input_ary, output_ary, queue=queue, size=input_ary.size)
            output_ary._changed()
        return output_ary


class InclusiveScanKernel(_PlainScanKernel):
    """Gives each element the sum, by `scan_expr` of `a` and `b`, of all up to and with it."""

    _output = "output_ary[i] = item;"


class ExclusiveScanKernel(_PlainScanKernel):
    """The same without the element itself; the first one gets `neutral`."""

    _output = "output_ary[i] = prev_item;"


class ScanTemplate(SnippetTemplate):
    """A scan in whose texts names of types and values are filled in. The type that is called scan_t
    is that of the items; index_t, if there is one, that of the index."""

    # over 6 parameters because they are those of PyOpenCL's
    def __init__(
        self,
        arguments: str | Sequence[Argument],
        input_expr: str,
        scan_expr: str,
        neutral: Any,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[tuple[str, str, int]] | None = None,
        name_prefix: str = "scan",
        preamble: str = "",
        template_processor: str | None = None,
    ) -> None:
        super().__init__(arguments, preamble, template_processor)
        self.input_expr = input_expr
        self.scan_expr = scan_expr
        self.neutral = neutral
        self.output_statement = output_statement
        self.is_segment_start_expr = is_segment_start_expr
        self.input_fetch_exprs = input_fetch_exprs
        self.name_prefix = name_prefix

    # over 6 parameters because they are those of PyOpenCL's
    def build_inner(
        self,
        context: Any,
        type_aliases: Any = (),
        var_values: Any = (),
        more_preamble: str = "",
        more_arguments: Any = (),
        declare_types: Any = (),
        options: Any = None,
        devices: Any = None,
        scan_cls: type[_ScanKernelBase] = GenericScanKernel,
    ) -> Any:
        """The scan with the aliases' types and the variables' values, as one of `scan_cls`."""
        renderer = self.get_renderer(type_aliases, var_values, context, options)
        more = more_preamble, more_arguments, declare_types
        arguments, before = self._filled_in(renderer, more)
        has_index = "index_t" in renderer.type_aliases
        return scan_cls(
            context,
            renderer.parse_type("scan_t"),
            arguments,
            renderer(self.input_expr),
            renderer(self.scan_expr),
            renderer(self.neutral) if isinstance(self.neutral, str) else self.neutral,
            renderer(self.output_statement),
            None if self.is_segment_start_expr is None else renderer(self.is_segment_start_expr),
            self.input_fetch_exprs,
            renderer.parse_type("index_t") if has_index else np.dtype(np.int32),
            name_prefix=renderer(self.name_prefix),
            options=options,
            preamble=before,
            devices=devices,
        )


@context_dependent_memoize
def get_cumsum_kernel(context: Any, input_dtype: Any, output_dtype: Any) -> GenericScanKernel:
    """The cumulative sum of one array into another of another dtype."""
    output_dtype = np.dtype(output_dtype)
    if input_dtype == np.bool_:
        input_dtype = np.dtype(np.uint8)  # a byte, 0 or 1
    return GenericScanKernel(
        context,
        output_dtype,
        [vector(input_dtype, "input_ary"), vector(output_dtype, "output_ary")],
        stored("input_ary[i]", np.dtype(input_dtype), output_dtype),
        result_text("+", ("a", output_dtype), ("b", output_dtype), output_dtype),
        stored("0", np.dtype(np.int32), output_dtype),
        "output_ary[i] = item;",
        index_dtype=np.int64,
        name_prefix="cumsum",
    )
