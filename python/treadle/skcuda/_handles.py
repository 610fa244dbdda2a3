# SPDX-License-Identifier: MIT
"""Handles of NVIDIA's libraries, and of what stands for them on the CPU device.

A handle is a number. Those of a library are its pointers; those of the CPU device count from 1,
which no pointer is.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import itertools
from collections.abc import Mapping
from typing import Any

import treadle.cuda
import treadle.pycuda.driver as drv
from treadle._core import NotSupported
from treadle._core.library import open_library
from treadle.pycuda._gpuarray_memory import current_device

_numbers = itertools.count(1)


@dataclasses.dataclass
class Handle:
    """One that a library's Create gave, or the CPU device's."""

    number: int
    is_host: bool
    stream: int = 0  # its handle; 0: the default stream
    pointer_mode: int = 0

    def wait(self) -> None:
        """For what the program has queued so far, which the host is about to read: on the handle's
        stream, and on those whose work comes before that of a stream that blocks."""
        if self.stream:
            current_device().adopt_stream(self.stream).synchronize()
        drv.Context.synchronize()

    def mark(self) -> None:
        """Queues expressions that wait: a library is about to write, and asks nobody."""
        device = current_device()
        (device.adopt_stream(self.stream) if self.stream else device.default_stream()).record()


class Library:
    """One of NVIDIA's, opened when a GPU first needs it. `errors` are the classes of its statuses,
    of which 1 is a handle that is none, `base` that of all others."""

    def __init__(
        self,
        title: str,
        errors: Mapping[int, type[Exception]],
        base: type[Exception],
        invalid_value: type[Exception],
    ) -> None:
        self.title, self.kind = title, title.lower()
        self._errors, self._base = errors, base
        self.invalid_value = invalid_value  # of an argument that the library does not take
        self.handles: dict[int, Handle] = {}
        self._ended: set[int] = set()  # numbers of handles, until they are given anew

    @functools.cached_property
    def library(self) -> ctypes.CDLL:
        """It. Raises LibraryNotFound."""
        version = treadle.cuda.default_driver().version()
        return ctypes.CDLL(str(open_library(self.kind, version)))

    @functools.cache  # noqa: B019 - libraries live as long as the process
    def function(self, name: str) -> Any:
        """One of its functions, in the version that takes a handle. Raises NotSupported."""
        for exported in (f"{name}_v2", name):
            try:
                return self.library[exported]
            except AttributeError:
                continue
        raise NotSupported(
            f"{name}: {self.title} at {self.library._name} has no such function\n"
            "  try: a release of CUDA that has it"
        )

    def error(self, status: int, text: str) -> Exception:
        """Of the class of a status."""
        return self._errors.get(status, self._base)(text)

    def check(self, call: str, status: int) -> None:
        """Raises the class of a status that is no success."""
        if status:
            raise self.error(status, f"{call} failed with status {status}")

    def create(self, call: str) -> int:
        """A handle in the current context."""
        if is_on_host():
            handle = Handle(next(_numbers), True)
        else:
            pointer = ctypes.c_void_p()
            self.check(call, self.function(call)(ctypes.byref(pointer)))
            handle = Handle(pointer.value or 0, False)
        self.handles[handle.number] = handle
        self._ended.discard(handle.number)
        return handle.number

    def handle(self, number: Any) -> Handle:
        """What a program hands: one of ours, or one that another package has made for a GPU."""
        value = getattr(number, "value", number)
        handle = self.handles.get(value) if isinstance(value, int) else None
        is_cpu = is_on_host()
        if handle is not None and handle.is_host == is_cpu:
            return handle
        if isinstance(value, int) and value > 2**16 and not is_cpu and value not in self._ended:
            return Handle(value, False)
        raise self.error(
            1,
            f"{number!r} is no handle of {self.title} for the current context\n"
            f"  try: one that {self.title}'s Create has made in it",
        )

    def destroy(self, call: str, number: Any) -> None:
        """Ends a handle."""
        handle = self.handle(number)
        self.handles.pop(handle.number, None)
        self._ended.add(handle.number)
        if not handle.is_host:
            self.check(call, self.function(call)(ctypes.c_void_p(handle.number)))

    def set_stream(self, call: str, number: Any, stream: Any) -> None:
        """Queues later calls on the stream of this handle; None or 0: the default."""
        handle = self.handle(number)
        value = int(getattr(stream, "handle", stream) or 0)
        if not handle.is_host:
            function = self.function(call)
            self.check(call, function(ctypes.c_void_p(handle.number), ctypes.c_void_p(value)))
        handle.stream = value


def is_on_host() -> bool:
    """Whether the current context is the CPU device's."""
    return current_device().kind == "cpu"
