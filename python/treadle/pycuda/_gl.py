# SPDX-License-Identifier: MIT
"""What pycuda.driver has of OpenGL beside the registered objects: contexts, and older names."""

from __future__ import annotations

import warnings

from treadle.pycuda import _native as _driver


def make_gl_context(dev: _driver.Device, flags: int = 0) -> _driver.Context:
    """A new context, made current: any context of CUDA can share buffers of OpenGL."""
    return dev.make_context(flags)


def gl_init() -> None:
    """Does nothing: CUDA finds a thread's context of OpenGL by itself."""


class BufferObject:
    """A buffer of OpenGL. Deprecated: RegisteredBuffer is the same."""

    def __init__(self, handle: int) -> None:
        warnings.warn(
            "BufferObject is deprecated: use RegisteredBuffer", DeprecationWarning, stacklevel=2
        )
        self._registered = _driver.RegisteredBuffer(handle)

    def handle(self) -> int:
        """Its name in OpenGL."""
        return self._registered.gl_handle()

    def unregister(self) -> None:
        """Ends the registration now. Raises LogicError the second time."""
        self._registered.unregister()

    def map(self) -> BufferObjectMapping:
        """Lets kernels use it, until the mapping ends."""
        return BufferObjectMapping(self._registered.map())


class BufferObjectMapping:
    """A BufferObject while kernels may use it."""

    def __init__(self, mapping: _driver.RegisteredMapping) -> None:
        self._mapping = mapping

    def device_ptr(self) -> int:
        """Its address."""
        return self._mapping.device_ptr_and_size()[0]

    def size(self) -> int:
        """Its bytes."""
        return self._mapping.device_ptr_and_size()[1]

    def unmap(self) -> None:
        """Gives it back to OpenGL. Raises LogicError the second time."""
        self._mapping.unmap()
