# SPDX-License-Identifier: MIT
"""In, Out and InOut: host arrays that travel to the device and back around one launch."""

from __future__ import annotations

from typing import Any

from treadle.pycuda import _native as _driver


class ArgumentHandler:
    """A host array as a kernel argument; its device memory lives as long as the handler."""

    def __init__(self, ary: Any) -> None:
        self.array = ary
        self.dev_alloc: _driver.DeviceAllocation | None = None

    def get_device_alloc(self) -> _driver.DeviceAllocation:
        """Device memory of the size of the array, allocated by the first call."""
        if self.dev_alloc is None:
            try:
                size = self.array.nbytes
            except AttributeError:
                raise TypeError(
                    f"could not determine array length of {type(self.array).__name__}"
                ) from None
            self.dev_alloc = _driver.mem_alloc(max(size, 1))
        return self.dev_alloc

    def pre_call(self, stream: _driver.Stream | None) -> None:
        """Runs before the launch."""


class In(ArgumentHandler):
    """Copied to the device before the launch."""

    def pre_call(self, stream: _driver.Stream | None) -> None:
        if stream is None:
            _driver.memcpy_htod(self.get_device_alloc(), self.array)
        else:
            # The copy is on the kernel's own stream, so the stream orders both, blocking or not.
            _driver.memcpy_htod_async(self.get_device_alloc(), self.array, stream)


class Out(ArgumentHandler):
    """Filled from the device after the launch."""

    def post_call(self, stream: _driver.Stream | None) -> None:
        """Runs after the launch, and waits for it: the array is filled on return."""
        if stream is None:
            _driver.memcpy_dtoh(self.array, self.get_device_alloc())
        else:
            _driver.memcpy_dtoh_async(self.array, self.get_device_alloc(), stream)
            stream.synchronize()


class InOut(In, Out):
    """Copied to the device before the launch and back after it."""
