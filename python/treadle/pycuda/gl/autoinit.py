# SPDX-License-Identifier: MIT
"""Importing this makes a context on the default device current, for programs whose context of
OpenGL is current already."""

import atexit

import treadle.pycuda.driver as cuda
from treadle.pycuda.gl import make_context
from treadle.pycuda.tools import make_default_context

cuda.init()
context = make_default_context(make_context)
device = context.get_device()


def _finish() -> None:
    if cuda.Context.get_current() == context:
        context.pop()


atexit.register(_finish)
