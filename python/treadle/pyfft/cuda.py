# SPDX-License-Identifier: MIT
"""pyfft.cuda: plans for memory of the PyCUDA face."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

import treadle.pycuda.driver as _driver
from treadle._core.array import Array
from treadle._face_array import on_stream
from treadle.pycuda.gpuarray import GPUArray

from .plan import FFTPlan


class _CudaPlace:
    def __init__(self, stream: Any, context: Any) -> None:
        self.waits = stream is None
        # With a context each call has a stream of its own.
        self._stream = stream or (None if context is not None else _driver.Stream())

    def begin(self) -> Any:
        return self._stream or _driver.Stream()

    def array(self, queue: Any, data: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
        return GPUArray(shape, dtype, gpudata=getattr(data, "gpudata", data))

    def recording(self, queue: Any, array: Array) -> AbstractContextManager[Any]:
        return on_stream(array.device, queue)

    def wait(self, queue: Any) -> None:
        queue.synchronize()


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
    stream: Any = None,
    mempool: Any = None,
) -> FFTPlan:
    """A plan for arrays of `shape`. With a stream it does not wait unless it is told to; memory for
    what is between comes from the device's pool, not from `mempool`."""
    place = _CudaPlace(stream, context)
    return FFTPlan(place, shape, dtype, normalize, wait_for_finish, fast_math, scale)
