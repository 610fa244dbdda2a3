# SPDX-License-Identifier: MIT
"""Like autoinit, on the device's primary context: the one PyTorch, CuPy and Numba share."""

import atexit

import treadle.pycuda.driver as cuda
from treadle.pycuda.tools import clear_context_caches, make_default_context


def _retain(device: cuda.Device) -> cuda.Context:
    primary = device.retain_primary_context()
    primary.push()
    return primary


cuda.init()
context = make_default_context(_retain)
device = context.get_device()


def _finish() -> None:
    global context
    if context is not None and cuda.Context.get_current() == context:
        context.pop()
    context = None  # type: ignore[assignment]  # nobody looks at it any more
    clear_context_caches()


atexit.register(_finish)
