# SPDX-License-Identifier: MIT
"""Pools of pycuda.tools: what of them is shape and spelling."""

from __future__ import annotations

import math
import operator
import sys
import traceback
from collections.abc import Iterable
from typing import Any, Literal, TextIO

import numpy as np

from treadle._core import driver
from treadle.pycuda._host_arrays import without_objects

DeviceMemoryPool = driver.DeviceMemoryPool
PageLockedAllocator = driver.PageLockedAllocator


class PageLockedMemoryPool(driver._PageLockedMemoryPool):
    """Page-locked host memory that is kept when its arrays are gone, and given out again."""

    def allocate(
        self, shape: int | Iterable[int], dtype: Any, order: Literal["C", "F"] = "C"
    ) -> np.ndarray:
        """An uninitialised array; its `base` is the PooledHostAllocation."""
        lengths = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
        lengths = tuple(operator.index(length) for length in lengths)
        if any(length < 0 for length in lengths):
            raise ValueError(f"negative dimensions are not allowed: shape {lengths}")
        if order not in ("C", "F"):
            raise RuntimeError(f"unrecognized order specifier {order!r}: 'C' or 'F'")
        dtype = without_objects(np.dtype(dtype))
        memory: Any = self._allocate(math.prod(lengths) * dtype.itemsize)
        return np.ndarray(lengths, dtype, memory, order=order)


class DebugMemoryPool(DeviceMemoryPool):
    """Tells of each allocation: its size and the stack of calls that asked for it.

    At a terminal, an interactive pool asks once for each such stack what the memory is for, and
    tells that, too.
    """

    def __init__(self, interactive: bool = True, logfile: TextIO | None = None) -> None:
        super().__init__()
        self.interactive = interactive
        self.logfile = sys.stderr if logfile is None else logfile
        self._descriptions: dict[str, str] = {}

    def allocate(self, size: int) -> driver.PooledDeviceAllocation:
        """At least `size` bytes of device memory."""
        frames = reversed(traceback.extract_stack()[:-1])
        stack = "\n".join(f"  {f.filename}:{f.lineno} in {f.name}" for f in frames)
        description = self._description(size, stack)
        self.logfile.write(
            f"allocation of {size} bytes{description}, innermost call first\n{stack}\n"
        )
        return super().allocate(size)

    def _description(self, size: int, stack: str) -> str:
        if self.interactive and stack not in self._descriptions and sys.stdin.isatty():
            print(f"allocation of {size} bytes\n{stack}", file=sys.stderr)
            self._descriptions[stack] = input("what for? ").strip()
        text = self._descriptions.get(stack)
        return f" for {text}" if text else ""
