# SPDX-License-Identifier: MIT
"""Names for annotations in programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from treadle.pyopencl._cl import Event, LocalMemory, MemoryObjectHolder, Sampler, SVMPointer

DTypeT = TypeVar("DTypeT", bound=np.dtype[Any])


class HasBufferInterface(Protocol):
    """What has bytes that others may see."""

    def __buffer__(self, flags: int) -> memoryview: ...


SVMInnerT = TypeVar("SVMInnerT", bound=HasBufferInterface)
WaitList: TypeAlias = Sequence[Event] | None
KernelArg: TypeAlias = (
    HasBufferInterface
    | np.generic
    | LocalMemory
    | MemoryObjectHolder
    | Sampler
    | SVMPointer
    | bytes
    | None
)
Allocator: TypeAlias = Callable[[int], MemoryObjectHolder | SVMPointer | None]
