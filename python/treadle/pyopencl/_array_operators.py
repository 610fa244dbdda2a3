# SPDX-License-Identifier: MIT
"""Operators of pyopencl.array.Array: the native ones, on the arrays' queue."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle import _face_array
from treadle._core import ShapeError
from treadle._core import array as _native
from treadle._core import rules as _rules
from treadle._core.array import Array as NativeArray
from treadle._face_array import (
    _ARITHMETIC,
    _COMPARISONS,
    FaceArray,
    OperandShapeError,
    as_mask,
)
from treadle.pyopencl._array_warnings import DoubleDowncastWarning

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

    _record: Callable[..., Any]
    _work: Callable[..., Any]
    _changed: Callable[[], None]
    _on: Callable[[Any], Any]
    _place: Any

    def _lead(self, other: Any) -> Any:
        """Whose class, allocator and queue a result has."""
        return self if self.ndim or not isinstance(other, Operators) else other

    def _operate(self, name: str, x: Any, y: Any) -> Any:
        """x and y, of which this is one, by the name of NumPy's operation."""
        other = y if x is self else x
        if not is_operand(other):
            return NotImplemented
        lead = self._lead(other)
        with lead._work(self, other) as place:
            if not place.has_double:
                x, y = self._without_double(name, x, y)
            result = _native.apply(name, x, y)
            if name in _COMPARING:
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
        warnings.warn(
            "the device has no double: the result is computed, and stored, in single precision",
            DoubleDowncastWarning,
            stacklevel=5,
        )
        return _as_single(x), _as_single(y)

    def _update(self, name: str, other: Any) -> Any:
        """In place, in this array's dtype."""
        if not is_operand(other):
            return NotImplemented
        self._is_mask = False
        with self._work(other) as place:
            if not place.has_double:
                other = in_single(other)
            try:
                _IN_PLACE[name](self, other)
            except TypeError:
                if name in _WRAPPING and _are_integers(self, other):  # as in C, not by float64
                    _IN_PLACE[name](self, _as_dtype(other, self.dtype))
                else:
                    # Floating values become integers again; what is complex does not become real.
                    result = _native.apply(name, self, other)
                    if name == "divide" or result.dtype.kind == "c":
                        raise
                    _face_array.assign(self, result)
        self._changed()
        return self

    def __pos__(self) -> Any:
        return self

    def __divmod__(self, other: Any) -> Any:
        quotient = self._operate("floor_divide", self, other)
        return quotient if quotient is NotImplemented else (quotient, self % other)

    def __rdivmod__(self, other: Any) -> Any:
        quotient = self._operate("floor_divide", other, self)
        return quotient if quotient is NotImplemented else (quotient, other % self)

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
_OF_BITS = frozenset(("and", "or", "xor"))
_COMPARING = frozenset(_COMPARISONS.values())
_IN_PLACE = {name: getattr(NativeArray, f"__i{word}__") for word, name in _ARITHMETIC.items()}
_UNARY = {"neg": "negative", "abs": "absolute", "invert": "invert"}


def _operators(name: str) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    number = _native.op_number(name)

    def forward(self: Operators, other: Any) -> Any:
        try:
            made = self._record(number, self, other, other)
            return self._operate(name, self, other) if made is None else made
        except ShapeError as refused:
            raise OperandShapeError(self, other, refused) from None

    def reflected(self: Operators, other: Any) -> Any:
        try:
            made = self._record(number, other, self, other)
            return self._operate(name, other, self) if made is None else made
        except ShapeError as refused:
            raise OperandShapeError(other, self, refused) from None

    def in_place(self: Operators, other: Any) -> Any:
        try:
            return self._update(name, other)
        except ShapeError as refused:
            raise OperandShapeError(self, other, refused) from None

    return forward, reflected, in_place


def _comparison(name: str) -> Callable[..., Any]:
    compare = _operators(name)[0]

    def operator(self: Operators, other: Any) -> Any:
        made = compare(self, other)
        return made if made is NotImplemented else as_mask(made)

    return operator


def _of_masks(operator: Callable[..., Any]) -> Callable[..., Any]:
    """&, | and ^, which make masks of masks."""

    def method(self: Operators, other: Any) -> Any:
        made = operator(self, other)
        return as_mask(made) if self._is_mask and getattr(other, "_is_mask", False) else made

    return method


def _unary(name: str) -> Callable[..., Any]:
    number = _native.op_number(name)

    def operator(self: Operators) -> Any:
        made = self._record(number, self, None, 0)
        if made is not None:
            return made
        with self._work():
            return self._apply(name, self)

    return operator


def _define(cls: Any) -> None:
    for word, name in _ARITHMETIC.items():
        forward, reflected, in_place = _operators(name)
        setattr(cls, f"__{word}__", _of_masks(forward) if word in _OF_BITS else forward)
        setattr(cls, f"__r{word}__", reflected)
        setattr(cls, f"__i{word}__", in_place)
    for word, name in _COMPARISONS.items():
        setattr(cls, f"__{word}__", _comparison(name))
    for word, name in _UNARY.items():
        setattr(cls, f"__{word}__", _unary(name))
    cls.__hash__ = None


_define(Operators)
