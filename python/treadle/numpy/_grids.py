# SPDX-License-Identifier: MIT
"""Arrays written as indices: r_, c_, mgrid and ogrid."""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from treadle._core import InvalidArgument
from treadle._core.array import Array
from treadle._core.rules import result_type

from ._creation import arange, asarray, linspace
from ._joining import concatenate, stack
from ._manipulation import broadcast_arrays

__all__ = [
    "c_",
    "mgrid",
    "ogrid",
    "r_",
]


def _line(part: slice) -> Array:
    """The numbers of start:stop:step, or `n` from start to stop, with it, where step is n * 1j."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if part.stop is None:
        raise InvalidArgument(f"{part}: a range of numbers has an end")
    if isinstance(step, complex):
        return linspace(start, part.stop, int(abs(step)))
    return arange(start, part.stop, step)


class _Joined:
    """x[a, b, 1:5, 0] joins arrays, numbers and ranges along an axis."""

    def __init__(self, name: str, directive: tuple[int, int, int]) -> None:
        self._name, self._directive = name, directive

    def __repr__(self) -> str:
        return f"<treadle.numpy.{self._name}>"

    def __getitem__(self, key: Any) -> Array:
        """The parts joined. A first part "axis,ndmin,place" says along which axis, how many axes
        each part has at least, and where its own are among them."""
        parts = list(key) if isinstance(key, tuple) else [key]
        axis, least, place = self._directive
        if parts and isinstance(parts[0], str):
            axis, least, place = self._read(parts.pop(0))
        beside = next((x.device for x in parts if isinstance(x, Array)), None)
        lines = [_line(x) if isinstance(x, slice) else x for x in parts]
        numbers = [type(x) in (bool, int, float, complex) for x in lines]
        made = [asarray(x, device=None if isinstance(x, Array) else beside) for x in lines]
        dtype = result_type(
            *(
                x if is_number else m.dtype
                for x, m, is_number in zip(lines, made, numbers, strict=True)
            )
        )
        return concatenate([self._raised(x.astype(dtype), least, place) for x in made], axis)

    def _read(self, text: str) -> tuple[int, int, int]:
        if text in ("r", "c"):
            raise InvalidArgument(f"{self._name}[{text!r}]: there are no matrices")
        try:
            given = [int(number) for number in text.split(",")]
        except ValueError:
            given = []
        if not 1 <= len(given) <= 3:
            raise InvalidArgument(
                f"{self._name}[{text!r}, ...]: it is 'axis', or 'axis,ndmin,place'"
            )
        return (*given, *self._directive[len(given) :])  # type: ignore[return-value]

    @staticmethod
    def _raised(x: Array, least: int, place: int) -> Array:
        missing = max(0, least - x.ndim)
        before = missing if place == -1 else min(max(place % (missing + 1), 0), missing)
        return x.reshape((1,) * before + x.shape + (1,) * (missing - before))


class _Grid:
    """x[0:3, 0:1:5j] gives the coordinates of a grid."""

    def __init__(self, name: str, is_sparse: bool) -> None:
        self._name, self._is_sparse = name, is_sparse

    def __repr__(self) -> str:
        return f"<treadle.numpy.{self._name}>"

    def __getitem__(self, key: Any) -> Any:
        """Of one range its numbers; of several an array of coordinates along each axis, or
        (ogrid) a tuple of arrays that broadcast."""
        if isinstance(key, slice):
            return _line(key)
        lines = [_line(part) for part in key]
        dtype = result_type(*(line.dtype for line in lines)) if lines else _numpy.dtype(int)
        count = len(lines)
        lines = [
            line.astype(dtype, copy=False).reshape((1,) * i + (-1,) + (1,) * (count - i - 1))
            for i, line in enumerate(lines)
        ]
        return tuple(lines) if self._is_sparse else stack(broadcast_arrays(*lines))


r_ = _Joined("r_", (0, 1, -1))
c_ = _Joined("c_", (-1, 2, 0))
mgrid = _Grid("mgrid", False)
ogrid = _Grid("ogrid", True)
