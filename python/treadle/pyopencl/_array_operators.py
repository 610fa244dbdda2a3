# SPDX-License-Identifier: MIT
"""Operators of pyopencl.array.Array: the native ones, on the arrays' queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treadle import _face_array
from treadle._core import ShapeError
from treadle._core import array as _native
from treadle._core import rules as _rules
from treadle._core.array import Array as NativeArray
from treadle._face_array import COMPARISONS, FaceArray, OperandShapeError, as_mask
from treadle.pyopencl._array_warnings import DoubleDowncastWarning
from treadle.pyopencl._warnings import warn_at_user

SINGLE: dict[Any, Any] = {
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def is_operand(value: Any) -> bool:
    """What operators take: arrays, numbers, and arrays of numbers of the host."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    return isinstance(value, NativeArray | bool | int | float | complex | np.number | np.bool_)


def require_real(array: NativeArray, value: Any) -> None:
    """Raises TypeError for a complex number that is to become real elements."""
    is_complex = isinstance(value, complex)
    if not is_complex and isinstance(value, np.generic | np.ndarray | NativeArray):
        is_complex = value.dtype.kind == "c" and not value.shape
    if is_complex and array.dtype.kind in "biuf":
        raise TypeError(f"a complex number is no element of an array of {array.dtype}: take .real")


def in_single(value: Any) -> Any:
    """The operand of a device without double: what is double, or would make double of single
    numbers, is single."""
    if isinstance(value, np.number) and value.dtype in SINGLE:
        return value.astype(SINGLE[value.dtype])
    if isinstance(value, NativeArray | np.ndarray):
        return value.astype(SINGLE.get(value.dtype, value.dtype))
    return value


def _as_single(value: Any) -> Any:
    value = in_single(value)
    if isinstance(value, NativeArray) and value.dtype.kind not in "fc":
        return NativeArray.astype(value, np.float32)
    return value


class Operators(FaceArray):
    """Of which the array class is made."""

    _work: Callable[..., Any]
    _changed: Callable[[], None]
    _on: Callable[[Any], Any]

    def _lead(self, other: Any) -> Any:
        """The operand whose class, allocator and queue the result gets."""
        return self if self.ndim or not isinstance(other, Operators) else other

    def _operate(self, name: str, *operands: Any) -> Any:
        if len(operands) == 1:
            with self._work():
                return self._apply(name, self)
        x, y = operands
        other = y if x is self else x
        if not is_operand(other):
            return NotImplemented
        lead = self._lead(other)
        with lead._work(self, other) as place:
            if not place.has_double:
                x, y = self._without_double(name, x, y)
            result = _native.apply(name, x, y)
            if name in COMPARISONS:
                return as_mask(lead._wrap(NativeArray.astype(result, np.int8)))
            return lead._wrap(result)

    @staticmethod
    def _without_double(name: str, x: Any, y: Any) -> tuple[Any, Any]:
        dtype = _rules.result_type(
            *(v.dtype if isinstance(v, NativeArray | np.ndarray) else v for v in (x, y))
        )
        is_quotient = name == "divide" and np.dtype(dtype).kind not in "fc"
        if dtype not in SINGLE and not is_quotient:
            return x, y
        warn_at_user(
            "the device has no double: the result is computed, and stored, in single precision",
            DoubleDowncastWarning,
        )
        return _as_single(x), _as_single(y)

    def _update(self, name: str, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        self._is_mask = False
        with self._work(other) as place:
            if not place.has_double:
                other = in_single(other)
            try:
                _native.update(name, self, other)
            except TypeError:
                if name in _WRAPPING and _are_integers(self, other):  # as in C, not in float64
                    _native.update(name, self, _as_dtype(other, self.dtype))
                else:
                    # Floating results become integers again. A complex result does not become real.
                    result = _native.apply(name, self, other)
                    if name == "divide" or result.dtype.kind == "c":
                        raise
                    _face_array.assign(self, result)
        self._changed()
        return self

    # over 6 parameters because they are those of PyOpenCL's
    def mul_add(self, selffac: Any, other: Any, otherfac: Any, queue: Any = None) -> Any:
        """selffac * self + otherfac * other."""
        with self._work(other, queue=queue):
            mine = _native.apply("multiply", self, selffac)
            theirs = _native.apply("multiply", other, otherfac)
            try:
                made = self._lead(other)._wrap(_native.apply("add", mine, theirs))
            except ShapeError as refused:
                raise OperandShapeError(self, other, refused) from None
        return made if queue is None else made._on(queue)

    @property  # type: ignore[misc]
    def real(self) -> Any:
        """The real parts as a new array; of real elements the array itself."""
        if self.dtype.kind != "c":
            return self
        with self._work():
            return self._apply("real", self)

    @property  # type: ignore[misc]
    def imag(self) -> Any:
        """The imaginary parts as a new array; of real elements zeros."""
        with self._work():
            return self._apply("imag", self)

    def conj(self) -> Any:
        """The conjugates as a new array; of real elements the array itself."""
        if self.dtype.kind != "c":
            return self
        with self._work():
            return self._apply("conjugate", self)

    conjugate = conj

    def astype(  # type: ignore[override]
        self, dtype: Any, queue: Any = None
    ) -> Any:
        """The elements in another dtype; of the same one a copy."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if queue is None else self.copy(queue=queue)  # type: ignore[call-arg]
        if "V" in (dtype.kind, self.dtype.kind):
            raise TypeError(f"elements of {self.dtype} do not become {dtype}: view() takes bits")
        with self._work(queue=queue):
            return self._wrap(NativeArray.astype(self, dtype))


def _are_integers(*values: Any) -> bool:
    return all(hasattr(value, "dtype") and value.dtype.kind in "iu" for value in values)


def _as_dtype(value: Any, dtype: np.dtype) -> Any:
    native = isinstance(value, NativeArray)
    return NativeArray.astype(value, dtype) if native else value.astype(dtype)


_WRAPPING = frozenset(("add", "subtract", "multiply"))
