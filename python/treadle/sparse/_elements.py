# SPDX-License-Identifier: MIT
"""Elements of sparse matrices: comparisons, maxima and minima of two, functions of each."""

from __future__ import annotations

import operator as _operator
from collections.abc import Callable
from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import ShapeError as _ShapeError
from treadle._core.sparse import CsrMatrix as _CsrMatrix

Function = Callable[[Any, Any], Any]


def _size_of(csr: _CsrMatrix) -> tuple[int, int]:
    return csr.row_count, csr.column_count


def _at_places_of_both(one: _CsrMatrix, other: _CsrMatrix) -> tuple[_CsrMatrix, Any]:
    """The first with an entry at each place that either has, and the second's elements there."""
    rows = _tnp.concatenate([one.rows(), other.rows()])
    columns = _tnp.concatenate([one.indices.astype(rows.dtype), other.indices.astype(rows.dtype)])

    def placed(first: Any, second: Any) -> _CsrMatrix:
        data = _tnp.concatenate([first, second])
        return _CsrMatrix.from_entries(data, rows, columns, *_size_of(one))

    left = placed(one.data, _tnp.zeros(other.entries, one.dtype))
    return left, placed(_tnp.zeros(one.entries, other.dtype), other.data).data


def applied(function: Function, one: _CsrMatrix, other: Any) -> _CsrMatrix:
    """function(elements, elements), of a matrix and another one or a number. Where it is not 0 for
    two elements that are not stored, all elements are computed."""
    is_number = not isinstance(other, _CsrMatrix)
    none = _numpy.zeros((), one.dtype)
    with _numpy.errstate(all="ignore"):
        left = function(none, other if is_number else _numpy.zeros((), other.dtype))
    if left != 0:
        dense = function(one.dense(), other if is_number else other.dense())
        return _CsrMatrix.from_dense(dense)
    if is_number:
        single = one.canonical()
        return single.with_data(function(single.data, other)).without_zeros()
    if _size_of(one) != _size_of(other):
        raise _ShapeError(f"matrices of {_size_of(one)} and {_size_of(other)}; pass one size")
    both, beside = _at_places_of_both(one.canonical(), other.canonical())
    return both.with_data(function(both.data, beside)).without_zeros()


def extremum(name: str) -> Function:
    """maximum or minimum of NumPy's numbers and of arrays on the device."""

    def function(x: Any, y: Any) -> Any:
        on_host = isinstance(x, _numpy.ndarray | _numpy.generic)
        return getattr(_numpy if on_host else _tnp, name)(x, y)

    return function


def nan_extremum(csr: _CsrMatrix, name: str, axis: int | None) -> Any:
    """max or min of what is no NaN, zeros included; NaN where there is nothing else."""
    own = csr.canonical()
    if own.dtype.kind not in "fc":
        return (own.largest if name == "max" else own.least)(axis)
    is_nan = _tnp.isnan(own.data)
    beyond = own.with_data(
        _tnp.where(is_nan, -_numpy.inf if name == "max" else _numpy.inf, own.data)
    )
    found = (beyond.largest if name == "max" else beyond.least)(axis)
    nans = own.with_data(is_nan.astype(_numpy.int64)).sum(axis)
    rows, columns = _size_of(own)
    count = rows * columns if axis is None else rows if axis in (0, -2) else columns
    return _tnp.where(nans == count, _numpy.nan, found).astype(own.dtype)


COMPARISONS: dict[str, Function] = {
    f"__{name}__": getattr(_operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}


# Functions of elements that leave zeros alone.
_FUNCTIONS = (
    "sqrt", "sign", "floor", "ceil", "rint", "trunc", "sin", "tan", "arcsin", "arctan", "sinh",
    "tanh", "arcsinh", "arctanh", "expm1", "log1p", "deg2rad", "rad2deg",
)  # fmt: skip


def _comparison(name: str, function: Function) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: Any) -> Any:
        return self._compared(function, other)

    compare.__name__ = name
    compare.__doc__ = f"{name.strip('_')} of elements: a matrix of booleans; an array of an array."
    return compare


def _element_function(name: str) -> Callable[[Any], Any]:
    function = getattr(_tnp, name)

    def apply(self: Any) -> Any:
        return self._mapped(function)

    apply.__name__ = name
    apply.__doc__ = f"{name}() of each element."
    return apply


def add_operations(matrices: type) -> None:
    """Gives a class of matrices its comparisons and functions of elements."""
    for name, function in COMPARISONS.items():
        setattr(matrices, name, _comparison(name, function))
    for name in _FUNCTIONS:
        setattr(matrices, name, _element_function(name))
