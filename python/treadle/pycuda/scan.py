# SPDX-License-Identifier: MIT
"""Kernels that give each element the sum, by any associative operation, of all up to it:
InclusiveScanKernel and ExclusiveScanKernel.

    cumulative = InclusiveScanKernel(np.float32, "a+b")
    cumulative(x)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from treadle import CompileError
from treadle._core.kernel import ScanKernel as _NativeKernel
from treadle._face_array import on_stream
from treadle.pycuda import driver as cuda
from treadle.pycuda._cluda import CLUDA_PREAMBLE
from treadle.pycuda._gpuarray import GPUArray
from treadle.pycuda._gpuarray_memory import current_device, native_type, native_value
from treadle.pycuda.compiler import SourceModule
from treadle.pycuda.elementwise import prepared
from treadle.pycuda.tools import (
    Argument,
    ContextCache,
    ScalarArg,
    VectorArg,
    dtype_to_ctype,
)

_HEADER = "#include <pycuda-complex.hpp>\n"


def _check_is_array(name: str, value: Any) -> None:
    if not hasattr(value, "gpudata"):
        raise TypeError(f"{name} of a scan kernel is a {type(value).__name__}, not a GPUArray")


class _ScanKernel:
    """Scans one array into another. Equal calls give equal bits."""

    _output: ClassVar[str]

    # over 6 parameters because they are those of PyCUDA's
    def __init__(
        self,
        dtype: Any,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: Sequence[str] | None = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.neutral = neutral
        self.scan_expr = scan_expr
        self.name_prefix = name_prefix
        self._options = options
        self._preamble = f"{_HEADER}{CLUDA_PREAMBLE}{preamble}"
        self._arguments = [VectorArg(self.dtype, name) for name in ("input_ary", "output_ary")]
        self._cache, self._passes = ContextCache(), ContextCache()
        self._compiled()

    def _kernel(self, of_passes: bool = False) -> _NativeKernel:
        """The kernel of the current context. With `of_passes`, the kernel of intervals and outputs
        even if the device can scan in one pass."""
        device = current_device()
        context = cuda.Context.get_current()
        cache = self._passes if of_passes else self._cache
        kernel = cache.get(context)
        if kernel is None:
            ctype = dtype_to_ctype(self.dtype)
            kernel = cache[context] = _NativeKernel(
                device,
                native_type(self.dtype),
                f"{ctype} *input_ary, {ctype} *output_ary",
                "input_ary[i]",
                self.scan_expr,
                self._output,
                neutral=self.neutral,
                name=self.name_prefix,
                preamble=self._preamble,
                flags=[str(option) for option in self._options or ()],
                one_for_one=["input_ary", "output_ary"],
                looks_back=False if of_passes else None,
            )
        return kernel

    def _compiled(self) -> _NativeKernel:
        kernel = self._kernel()
        try:
            kernel.compile()
        except CompileError as error:
            raise cuda.CompileError(
                f"scan kernel {self.name_prefix} was not compiled", [], None, str(error)
            ) from error
        return kernel

    def __call__(
        self,
        input_ary: GPUArray,
        output_ary: GPUArray | str | None = None,
        allocator: Callable[[int], Any] | None = None,
        stream: cuda.Stream | None = None,
    ) -> GPUArray:
        """Queues the scan into output_ary, in place where that is None, into a new array, in memory
        of `allocator`, where it is "new". Returns the output."""
        _check_is_array("input_ary", input_ary)
        (n,) = input_ary.shape
        if isinstance(output_ary, str) and output_ary == "new":
            own = getattr(input_ary, "allocator", None) if allocator is None else allocator
            output_ary = GPUArray((n,), self.dtype, own)
        output: Any = input_ary if output_ary is None else output_ary
        _check_is_array("output_ary", output)
        if output.shape != input_ary.shape:
            raise ValueError(f"the output has the shape {output.shape}, the input ({n},)")
        if n:
            kernel = self._compiled()
            values = map(native_value, self._arguments, (input_ary, output))
            with on_stream(current_device(), stream):
                kernel.launch(n, *values)
        return output

    @property
    def scan_wg_size(self) -> int:
        """Threads of a block of scan_intervals_knl."""
        return self._kernel(of_passes=True).group_size

    @property
    def update_wg_size(self) -> int:
        """Threads of a block of final_update_knl."""
        return self._kernel(of_passes=True).group_size

    @property
    def scan_wg_seq_batches(self) -> int:
        """Neighbouring elements that a thread scans by itself."""
        return self._kernel(of_passes=True).items_per_work_item

    @property
    def scan_intervals_knl(self) -> cuda.Function:
        """What scans each block's interval, prepared; behind input and output it takes n, the
        length of an interval and their number, and pointers to an item for each element and to one
        for each interval."""
        return self._function("intervals")

    @property
    def final_update_knl(self) -> cuda.Function:
        """What adds to each interval those before it, and writes the output; it takes the same."""
        return self._function("outputs")

    def _function(self, kernel: str) -> cuda.Function:
        text = self._kernel(of_passes=True).text
        module = SourceModule(text, options=self._options, no_extern_c=True)
        own: list[Argument] = [
            *(ScalarArg(np.int64, name) for name in ("n", "length", "count")),
            *(VectorArg(self.dtype, name) for name in ("scanned", "sums")),
        ]
        return prepared(module, f"{self.name_prefix}_{kernel}", [*self._arguments, *own])


class InclusiveScanKernel(_ScanKernel):
    """Gives each element the sum, by `scan_expr` of `a` and, behind it, `b`, of all up to and with
    it."""

    _output = "output_ary[i] = item;"


class ExclusiveScanKernel(_ScanKernel):
    """The same without the element itself; the first one gets `neutral`."""

    _output = "output_ary[i] = prev_item;"

    # over 6 parameters because they are those of PyCUDA's
    def __init__(
        self,
        dtype: Any,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: Sequence[str] | None = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        if neutral is None:
            raise ValueError("neutral element is required for exclusive scan")
        super().__init__(dtype, scan_expr, neutral, name_prefix, options, preamble, devices)
