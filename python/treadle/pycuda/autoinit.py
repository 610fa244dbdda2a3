# SPDX-License-Identifier: MIT
"""Importing this makes a context on the default device, current until the program ends."""

import atexit

import treadle.pycuda.driver as cuda
from treadle.pycuda.tools import clear_context_caches, make_default_context

cuda.init()
context = make_default_context()
device = context.get_device()


def _finish() -> None:
    global context
    # If the program has popped or detached the context itself, there is nothing to pop.
    if context is not None and cuda.Context.get_current() == context:
        context.pop()
    context = None  # type: ignore[assignment]  # nobody looks at it any more
    clear_context_caches()


atexit.register(_finish)
