# SPDX-License-Identifier: MIT
"""What pyopencl.array warns and raises of its own."""

from __future__ import annotations


class InconsistentOpenCLQueueWarning(UserWarning):
    """Memory that is bound to a queue is used by an array on another."""


class VisibleDeprecationWarning(UserWarning):
    """What will go away, shown to everybody."""


class DoubleDowncastWarning(UserWarning):
    """The device has no double: a result that NumPy has in float64 is in float32."""


class ArrayHasOffsetError(ValueError):
    """`data` of an array that begins within its memory; `base_data` and `offset` have it."""


for _class in (
    InconsistentOpenCLQueueWarning,
    VisibleDeprecationWarning,
    DoubleDowncastWarning,
    ArrayHasOffsetError,
):
    _class.__module__ = "pyopencl.array"
