# SPDX-License-Identifier: MIT
"""Matrices in compressed rows, as treadle.sparse has them."""

from __future__ import annotations

import operator as _operator
from importlib import import_module as _import_module
from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import IndexError as _IndexError
from treadle._core import ShapeError as _ShapeError
from treadle._core.array import Array
from treadle._core.sparse import CsrMatrix as _CsrMatrix
from treadle.numpy import asarray as _array


def _size(shape: Any) -> tuple[int, int]:
    try:
        rows, columns = map(_operator.index, shape)
    except (TypeError, ValueError):
        raise _ShapeError(f"shape={shape!r}; pass two integers: (rows, columns)") from None
    return rows, columns


class csr_array:  # noqa: N801 - SciPy's name
    """A matrix in compressed sparse rows, on the device of its data.

    csr_array(dense), csr_array(scipy_matrix), csr_array((data, indices, indptr), shape=...) or
    csr_array((data, (row, column)), shape=...), whose entries of one place are added. dtype is
    cast to. Makes and looks; products wait for nothing.
    """

    ndim = 2
    format = "csr"
    __array_priority__ = 1000.0  # NumPy's operators leave a @ b to this class

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None) -> None:
        self._matrix = self._made(arg1, shape, dtype)

    @classmethod
    def _made(cls, given: Any, shape: Any, dtype: Any) -> _CsrMatrix:
        if isinstance(given, csr_array):
            return given._matrix if dtype is None else given.astype(dtype)._matrix
        if hasattr(given, "tocsr"):  # SciPy's
            csr = given.tocsr()
            return cls._made((csr.data, csr.indices, csr.indptr), csr.shape, dtype)
        if isinstance(given, tuple) and len(given) == 3:
            data, indices, offsets = (_array(x) for x in given)
            data = data if dtype is None else data.astype(dtype)
            size = (offsets.size - 1, int(indices.max()) + 1 if indices.size else 0)
            rows, columns = size if shape is None else _size(shape)
            return _CsrMatrix(data, indices, offsets, rows, columns)
        if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], tuple | list):
            data, row, column = (_array(x) for x in (given[0], *given[1]))
            data = data if dtype is None else data.astype(dtype)
            if shape is None:
                shape = [int(x.max()) + 1 if x.size else 0 for x in (row, column)]
            return _CsrMatrix.from_entries(data, row, column, *_size(shape))
        if isinstance(given, tuple):  # a shape
            kind = _numpy.float64 if dtype is None else dtype
            nothing = _tnp.zeros(0, kind), _tnp.zeros(0, _numpy.int32)
            rows, columns = _size(given)
            return _CsrMatrix(*nothing, _tnp.zeros(rows + 1, _numpy.int64), rows, columns)
        dense = _array(given, dtype)
        if shape is not None and dense.shape != _size(shape):
            raise _ShapeError(f"shape={shape!r} of an array of {dense.shape}; leave shape= away")
        return _CsrMatrix.from_dense(dense)

    @classmethod
    def _of(cls, matrix: _CsrMatrix) -> csr_array:
        made = cls.__new__(cls)
        made._matrix = matrix
        return made

    # What it is.

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self._matrix.row_count, self._matrix.column_count

    @property
    def data(self) -> Array:
        """The elements stored, row by row."""
        return self._matrix.data

    @property
    def indices(self) -> Array:
        """The column of each, int32 or int64."""
        return self._matrix.indices

    @property
    def indptr(self) -> Array:
        """Where the elements of each row begin, int64; one more than rows."""
        return self._matrix.offsets

    @property
    def dtype(self) -> _numpy.dtype:
        """Of the elements."""
        return self.data.dtype

    @property
    def device(self) -> Any:
        """Where the elements are."""
        return self.data.device

    @property
    def nnz(self) -> int:
        """How many elements are stored."""
        return self._matrix.entries

    @property
    def T(self) -> csr_array:
        """The transposed matrix; see transpose()."""
        return self.transpose()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<csr_array of {self.dtype}, {rows} x {columns}, {self.nnz} stored>"

    # Other forms.

    def tocsr(self, copy: bool = False) -> csr_array:
        """Itself, or a copy."""
        return self.copy() if copy else self

    def copy(self) -> csr_array:
        """With data of its own."""
        return self._of(self._matrix.with_data(self.data.copy()))

    def astype(self, dtype: Any) -> csr_array:
        """With elements of another dtype."""
        return self._of(self._matrix.with_data(self.data.astype(dtype)))

    def toarray(self) -> Array:
        """All elements, on the device."""
        return self._matrix.dense()

    todense = toarray

    def get(self) -> Any:
        """SciPy's csr_array, on the host. Waits."""
        parts = (self.data.get(), self.indices.get(), self.indptr.get())
        return _import_module("scipy.sparse").csr_array(parts, shape=self.shape)

    to_scipy = get

    @classmethod
    def from_scipy(cls, matrix: Any, dtype: Any = None) -> csr_array:
        """Of any sparse matrix of SciPy's."""
        return cls(matrix, dtype=dtype)

    # Operations.

    def transpose(self) -> csr_array:
        """The transposed matrix, whose columns are in order. Waits for the number of entries."""
        return self._of(self._matrix.transposed())

    def conj(self) -> csr_array:
        """With conjugated elements."""
        return self._of(self._matrix.with_data(_tnp.conj(self.data)))

    def diagonal(self) -> Array:
        """The elements at (k, k)."""
        return self._matrix.diagonal()

    def sum(self, axis: int | None = None) -> Any:
        """The sums of the columns (axis 0), of the rows (axis 1), or of all elements."""
        return self._matrix.sum(axis)

    def dot(self, other: Any) -> Any:
        """self @ other."""
        return self @ other

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, csr_array):
            raise TypeError("a product of two csr_arrays is not there yet: A @ B.toarray()")
        return self._matrix.multiply(_array(other))

    def __rmatmul__(self, other: Any) -> Any:
        x = _array(other)
        return (self.T @ x) if x.ndim == 1 else (self.T @ x.T).T

    def _scaled(self, function: Any, other: Any) -> Any:
        if _numpy.ndim(other) != 0:
            return NotImplemented
        return self._of(self._matrix.with_data(function(self.data, other)))

    def __mul__(self, other: Any) -> Any:
        return self._scaled(_operator.mul, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._scaled(_operator.truediv, other)

    def __neg__(self) -> csr_array:
        return self._of(self._matrix.with_data(-self.data))

    def __abs__(self) -> csr_array:
        return self._of(self._matrix.with_data(abs(self.data)))

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, csr_array):
            return NotImplemented
        kind = _numpy.result_type(self.dtype, other.dtype)
        return self._of(self.astype(kind)._matrix.plus(other.astype(kind)._matrix))

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, csr_array) else NotImplemented

    def __getitem__(self, key: Any) -> csr_array:
        """Rows: A[3:7]."""
        if not isinstance(key, slice) or key.step not in (None, 1):
            raise _IndexError(f"csr_array[{key!r}]; rows are chosen as A[first:last]")
        first, last, _ = key.indices(self.shape[0])
        return self._of(self._matrix.rows_between(first, max(first, last)))
