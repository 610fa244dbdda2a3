# SPDX-License-Identifier: MIT
"""Buffers and images of OpenGL that kernels use where they lie: on a GPU, with a context of OpenGL
current on the thread."""

from __future__ import annotations

import warnings

from treadle.pycuda import driver
from treadle.pycuda._enums import graphics_map_flags
from treadle.pycuda.driver import (
    BufferObject,
    BufferObjectMapping,
    RegisteredBuffer,
    RegisteredImage,
    RegisteredMapping,
    make_gl_context,
)

__all__ = [
    "BufferObject",
    "BufferObjectMapping",
    "RegisteredBuffer",
    "RegisteredImage",
    "RegisteredMapping",
    "graphics_map_flags",
    "init",
    "make_context",
]


def init() -> None:
    """Does nothing: CUDA finds a thread's context of OpenGL by itself. Deprecated."""
    warnings.warn(
        "pycuda.gl.init() is deprecated: make_context() is enough",
        DeprecationWarning,
        stacklevel=2,
    )
    driver.gl_init()


def make_context(dev: driver.Device, flags: int = 0) -> driver.Context:
    """A new context, made current."""
    return make_gl_context(dev, flags)
