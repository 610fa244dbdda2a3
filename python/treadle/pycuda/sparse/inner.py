# SPDX-License-Identifier: MIT
"""Products of vectors whose results come to the host while the device goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import treadle.pycuda.driver as drv
from treadle.pycuda import gpuarray
from treadle.pycuda._context_caches import _context_caches


class _StreamPool(list[drv.Stream]):
    """Forgotten with its context, as all that is remembered."""

    __hash__ = object.__hash__  # type: ignore[assignment]


STREAM_POOL = _StreamPool()
"""Streams that copy nothing at the moment."""
_context_caches.add(STREAM_POOL)


def get_stream() -> drv.Stream:
    """One of STREAM_POOL, or a new one."""
    return STREAM_POOL.pop() if STREAM_POOL else drv.Stream()


class AsyncInnerProduct:
    """The sum of a * b: `gpu_result`, an array without axes on the device, and a copy of it on its
    way to memory of pagelocked_allocator(shape, dtype)."""

    def __init__(
        self, a: Any, b: Any, pagelocked_allocator: Callable[..., Any] = drv.pagelocked_empty
    ) -> None:
        self.gpu_result = gpuarray.dot(a, b)
        self._host = pagelocked_allocator((1,), self.gpu_result.dtype)
        source = self.gpu_result.gpudata  # this queues the product
        self._stream: drv.Stream | None = get_stream()
        self._stream.wait_for_event(drv.Event().record())
        drv.memcpy_dtoh_async(self._host, source, self._stream)
        self._is_here = drv.Event().record(self._stream)

    def get_host_result(self) -> Any:
        """The sum as a number of NumPy, or None as long as it is not here. Does not wait."""
        if self._stream is not None:
            if not self._is_here.query():
                return None
            STREAM_POOL.append(self._stream)
            self._stream = None
        return self._host[0]
