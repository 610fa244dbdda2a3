# SPDX-License-Identifier: MIT
"""pyfft.cl: plans for buffers of the PyOpenCL face."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

import treadle.pyopencl as _cl
import treadle.pyopencl.array as _cl_array
from treadle._core import InvalidArgument
from treadle._core.array import Array

from .plan import FFTPlan


class _OpenCLPlace:
    def __init__(self, queue: Any, context: Any) -> None:
        if queue is None and context is None:
            raise InvalidArgument("Plan: neither queue nor context is there; pass queue=")
        self.waits = queue is None
        self._queue = queue or _cl.CommandQueue(context)

    def begin(self) -> Any:
        return self._queue

    def array(self, queue: Any, data: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
        return _cl_array.Array(queue, shape, dtype, data=data)

    def recording(self, queue: Any, array: Array) -> AbstractContextManager[Any]:
        return nullcontext()  # arrays know their queue

    def wait(self, queue: Any) -> None:
        queue.finish()


# over 6 parameters because they are PyFFT's
def Plan(
    shape: Any,
    dtype: Any = np.complex64,
    normalize: bool = True,
    wait_for_finish: bool | None = None,
    fast_math: bool = True,
    scale: float = 1.0,
    *,
    context: Any = None,
    queue: Any = None,
) -> FFTPlan:
    """A plan for buffers of `shape`. With a queue it does not wait unless it is told to."""
    place = _OpenCLPlace(queue, context)
    return FFTPlan(place, shape, dtype, normalize, wait_for_finish, fast_math, scale)
