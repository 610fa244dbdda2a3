# SPDX-License-Identifier: MIT
"""Arrays sorted in place by a bitonic network, which takes no memory beside them.

sorter = BitonicSort(context)
keys, event = sorter(keys)                          # upwards, along the first axis
keys, event = sorter(keys, idx=indices, axis=1)     # indices goes along
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle._core import array as _native
from treadle.pyopencl import _cl
from treadle.pyopencl._array_places import Events
from treadle.pyopencl.array import Array

__all__ = ["BitonicSort"]


class BitonicSort:
    """Sorts arrays of a context along an axis whose length is a power of two."""

    def __init__(self, context: _cl.Context) -> None:
        self.context = context

    # over 6 parameters because they are PyOpenCL's
    def __call__(
        self,
        arr: Array,
        idx: Array | None = None,
        queue: _cl.CommandQueue | None = None,
        wait_for: Sequence[_cl.Event] | None = None,
        axis: int = 0,
    ) -> tuple[Array, _cl.Event]:
        """Sorts `arr` in place, upwards with NaN at the end; equal elements are in any order.
        Elements of `idx`, of the same shape, go where those of `arr` go. Returns `arr` and the
        event of the sort's end."""
        if not isinstance(arr, Array):
            raise TypeError(f"a {type(arr).__name__} is sorted: pass a pyopencl.array.Array")
        for name, array in (("arr", arr), ("idx", idx)):
            if isinstance(array, Array) and array.context != self.context:
                raise ValueError(
                    f"{name} is an array of {array.context}, and this BitonicSort of "
                    f"{self.context}: make one for the array's context"
                )
        with arr._work(idx, queue=queue) as place:
            Events(wait_for or ()).order(place)
            _native.bitonic_sort(arr, idx, axis)
            marker = place.stream.record()
        event = _cl.Event.from_int_ptr(marker.raw)
        arr.add_event(event)
        if idx is not None:
            idx.add_event(event)
        return arr, event
