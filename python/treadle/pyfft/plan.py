# SPDX-License-Identifier: MIT
"""What plans of both faces share: what they are for, and the transform itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from treadle._core import InvalidArgument
from treadle._core import array as _array
from treadle._core import fft as _fft
from treadle._core.array import Array

_DTYPES = tuple(np.dtype(name) for name in ("complex64", "complex128", "float32", "float64"))


def _checked_shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, int | np.integer):
        shape = (int(shape),)
    if not isinstance(shape, tuple) or not 1 <= len(shape) <= 3:
        raise InvalidArgument(f"shape={shape!r}: it is an int or a tuple of one to three")
    for length in shape:
        if not isinstance(length, int | np.integer) or length < 1 or length & (length - 1):
            raise InvalidArgument(f"shape={shape!r}: every length is a power of two")
    if math.prod(shape) > 1 << 31:
        raise InvalidArgument(f"shape={shape!r}: it has more than 2**31 elements")
    return tuple(int(length) for length in shape)


class Place(Protocol):
    """Where a plan's transforms are queued: of one face."""

    waits: bool  # unless a call says something else

    def begin(self) -> Any:
        """The stream or queue of one call."""

    def array(self, queue: Any, data: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
        """An array over the program's memory."""

    def recording(self, queue: Any, array: Array) -> AbstractContextManager[Any]:
        """Within it operations are recorded on the call's stream."""

    def wait(self, queue: Any) -> None:
        """For all that is queued there."""


class FFTPlan:
    """A transform of `shape`, its last axis innermost, of as many data sets as `execute()` is
    told. `execute` is bound when the plan is made: of interleaved data for complex dtypes, of real
    and imaginary parts for real ones."""

    execute: Callable[..., Any]

    # over 6 parameters because they are PyFFT's
    def __init__(
        self,
        place: Place,
        shape: Any,
        dtype: Any = np.complex64,
        normalize: bool = True,
        wait_for_finish: bool | None = None,
        fast_math: bool = True,
        scale: float = 1.0,
    ) -> None:
        self._place = place
        self._shape = _checked_shape(shape)
        self._dtype = np.dtype(dtype)
        if self._dtype not in _DTYPES:
            raise InvalidArgument(
                f"dtype={dtype!r}: it is complex64 or complex128, float32 or float64 for data in "
                "two parts"
            )
        self._normalize, self._scale = normalize, float(scale)
        self._waits = place.waits if wait_for_finish is None else wait_for_finish
        is_split = self._dtype.kind == "f"
        self.execute = self._execute_split if is_split else self._execute_interleaved

    def _transformed(self, x: Array, inverse: bool) -> Array:
        axes = list(range(1, 1 + len(self._shape)))
        if inverse:
            z = _fft.ifft(x, axes, [], "backward" if self._normalize else "forward")
            factor = 1 / self._scale
        else:
            z, factor = _fft.fft(x, axes, [], "backward"), self._scale
        return z if factor == 1 else z * factor

    def _execute_interleaved(
        self,
        data_in: Any,
        data_out: Any = None,
        inverse: bool = False,
        batch: int = 1,
        wait_for_finish: bool | None = None,
    ) -> Any:
        queue = self._place.begin()
        source = self._array(queue, data_in, batch)
        target = source if data_out is None else self._array(queue, data_out, batch)
        with self._place.recording(queue, target):
            _array.write_into(target, self._transformed(source, inverse))
        return self._ended(queue, wait_for_finish)

    # over 6 parameters because they are PyFFT's
    def _execute_split(
        self,
        data_in_re: Any,
        data_in_im: Any,
        data_out_re: Any = None,
        data_out_im: Any = None,
        inverse: bool = False,
        batch: int = 1,
        wait_for_finish: bool | None = None,
    ) -> Any:
        if (data_out_re is None) != (data_out_im is None):
            raise InvalidArgument("one of data_out_re and data_out_im is there, the other is None")
        queue = self._place.begin()
        real, imaginary = (self._array(queue, data, batch) for data in (data_in_re, data_in_im))
        targets = real, imaginary
        if data_out_re is not None:
            targets = self._array(queue, data_out_re, batch), self._array(queue, data_out_im, batch)
        with self._place.recording(queue, targets[0]):
            z = self._transformed(real + 1j * imaginary, inverse)
            _array.evaluate(z)
            _array.write_into(targets[0], z.real)
            _array.write_into(targets[1], z.imag)
        return self._ended(queue, wait_for_finish)

    def _array(self, queue: Any, data: Any, batch: int) -> Array:
        return self._place.array(queue, data, (int(batch), *self._shape), self._dtype)

    def _ended(self, queue: Any, wait_for_finish: bool | None) -> Any:
        if not (self._waits if wait_for_finish is None else wait_for_finish):
            return queue
        self._place.wait(queue)
        return None
