# SPDX-License-Identifier: MIT
"""Arrays on devices of OpenCL, which compute as NumPy's do.

    a = pyopencl.array.to_device(queue, numpy.arange(10, dtype=numpy.float32))
    b = (2 * a + 1).get()

An Array is a treadle.Array: expressions become one kernel, which runs on the arrays' queue when
somebody looks.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle._contiguity import get_common_dtype
from treadle.pyopencl import cltypes
from treadle.pyopencl._array_class import SAME, Array
from treadle.pyopencl._array_creation import (
    arange,
    as_strided,
    empty,
    empty_like,
    require_array,
    to_device,
    zeros,
    zeros_like,
)
from treadle.pyopencl._array_functions import (
    concatenate,
    diff,
    hstack,
    if_positive,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multi_put,
    multi_take,
    multi_take_put,
    reshape,
    stack,
    take,
    transpose,
)
from treadle.pyopencl._array_reductions import (
    all,  # noqa: A004 - NumPy's names
    any,  # noqa: A004
    dot,
    max,  # noqa: A004
    min,  # noqa: A004
    subset_dot,
    subset_max,
    subset_min,
    sum,  # noqa: A004
    vdot,
)
from treadle.pyopencl._array_warnings import (
    ArrayHasOffsetError,
    DoubleDowncastWarning,
    InconsistentOpenCLQueueWarning,
    VisibleDeprecationWarning,
)
from treadle.pyopencl._extensions import has_double_support
from treadle.pyopencl._pickling import queue_for_pickling
from treadle.pyopencl._splay import splay as _splay  # noqa: F401
from treadle.pyopencl.scan import get_cumsum_kernel

__all__ = [
    "ARRAY_KERNEL_EXEC_HOOK",
    "Array",
    "ArrayHasOffsetError",
    "DoubleDowncastWarning",
    "InconsistentOpenCLQueueWarning",
    "VisibleDeprecationWarning",
    "all",
    "any",
    "arange",
    "as_strided",
    "concatenate",
    "cumsum",
    "diff",
    "dot",
    "elwise_kernel_runner",
    "empty",
    "empty_like",
    "hstack",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "max",
    "maximum",
    "min",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "queue_for_pickling",
    "reshape",
    "stack",
    "subset_dot",
    "subset_max",
    "subset_min",
    "sum",
    "take",
    "to_device",
    "transpose",
    "vdot",
    "zeros",
    "zeros_like",
]

# Default arguments in subclasses of other packages.
_copy_queue = _same_as_transfer = SAME

# Called in place of a kernel of elwise_kernel_runner(): hook(kernel, queue, global_size,
# local_size, *arguments, wait_for=...).
ARRAY_KERNEL_EXEC_HOOK: Any = None


def _get_common_dtype(obj1: Any, obj2: Any, queue: Any) -> np.dtype:
    if queue is None:
        raise ValueError("the dtype of a result depends on the device: pass the queue")
    has_double = has_double_support(queue.device)
    common = get_common_dtype(obj1, obj2, has_double)
    if not has_double and common != get_common_dtype(obj1, obj2, True):
        warnings.warn(
            "the device has no double: the result is in single precision",
            DoubleDowncastWarning,
            stacklevel=3,
        )
    return common


def cumsum(
    a: Array,
    output_dtype: Any = None,
    queue: Any = None,
    wait_for: Any = None,
    *,
    return_event: bool = False,
) -> Any:
    """The sums of all elements up to each, in `output_dtype` (None: the array's). With
    return_event=True the event comes first."""
    require_array(a)
    given = a.dtype if output_dtype is None else output_dtype
    dtype = np.dtype(np.int64) if given == np.bool_ else np.dtype(given)  # truth values are counted
    queue = a._queue_for(queue)
    a = a if a.flags.forc else 1 * a.with_queue(queue)
    result = a._new_like_me(dtype, queue)
    sums = get_cumsum_kernel(a.context, a.dtype, dtype)
    event = sums(a, result, queue=queue, wait_for=wait_for)
    result._changed()
    return (event, result) if return_event else result


def elwise_kernel_runner(kernel_getter: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an output and arguments that runs the typed kernel which kernel_getter(output,
    *arguments) gives, over the output's elements."""

    @functools.wraps(kernel_getter)
    def run(out: Any, *args: Any, **kwargs: Any) -> Any:
        queue = kwargs.pop("queue", None)
        wait_for = kwargs.pop("wait_for", None)
        queue = out._queue_for(queue)
        kernel = kernel_getter(out, *args, **kwargs)
        sizes = out._get_sizes(queue)
        call = (
            kernel
            if ARRAY_KERNEL_EXEC_HOOK is None
            else functools.partial(ARRAY_KERNEL_EXEC_HOOK, kernel)
        )
        return call(queue, *sizes, out, *args, out.size, wait_for=wait_for)

    return run


class _Vectors:
    """pyopencl.array.vec: where cltypes were once."""

    def __getattr__(self, name: str) -> Any:
        warnings.warn(
            "pyopencl.array.vec is deprecated: its names are in pyopencl.cltypes",
            DeprecationWarning,
            stacklevel=2,
        )
        return cltypes.vec_types if name == "types" else getattr(cltypes, name)


vec = _Vectors()
