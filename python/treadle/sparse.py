# SPDX-License-Identifier: MIT
"""Sparse matrices on any device, in SciPy's words.

csr_array           compressed rows: A @ x, A.T, A + B, rows, diagonals and sums
cg                  symmetric positive definite systems, by conjugate gradients

C++ has the same in treadle/sparse/csr_matrix.hpp and conjugate_gradients.hpp.
"""

from __future__ import annotations

import operator as _operator
import warnings as _warnings
from importlib import import_module as _import_module
from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import DTypeError as _DTypeError
from treadle._core import IndexError as _IndexError
from treadle._core import ShapeError as _ShapeError
from treadle._core.array import Array
from treadle._core.sparse import CsrMatrix as _CsrMatrix
from treadle._core.sparse import conjugate_gradients as _conjugate_gradients
from treadle.numpy import asarray as _array

__all__ = ["SolverWarning", "cg", "csr_array"]


class SolverWarning(UserWarning):
    """A solver ended without a solution, and not because of its number of iterations."""


_ENDS = ("converged", "iterations", "not_definite", "not_a_number")
_REASONS = {
    "not_definite": "(p, A p) is not above 0 for a direction p: A is not positive definite",
    "not_a_number": "NaN or an infinity came up",
}


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


def _operator_of(given: Any, name: str) -> Any:
    """What is multiplied by: a csr_array, a matrix, an object with matvec(), or a function."""
    if isinstance(given, csr_array):
        return given._matrix
    if hasattr(given, "tocsr"):
        return csr_array(given)._matrix
    if hasattr(given, "matvec"):
        return given.matvec
    if isinstance(given, Array | _numpy.ndarray):
        matrix = _array(given)
        return lambda x: matrix @ x
    if not callable(given):
        raise TypeError(f"{name} is a {type(given).__name__}; pass a csr_array or a function of x")
    return given


# over 6 parameters because they are SciPy's
def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    check_every: int = 1,
) -> tuple[Array, int]:
    """(x, info) with A x = b, for a symmetric or Hermitian positive definite A.

    A and M, about the inverse of A, are csr_arrays, matrices, objects with matvec(), or functions
    of a vector on the device. Ends where norm(b - A x) <= max(rtol * norm(b), atol). info is 0,
    the number of iterations if they were too few, or -1 where the matrix is not positive definite
    or NaN came up, with a SolverWarning. callback(x) is called after each iteration. The host looks
    at the residual every check_every iterations, and waits for it; all other numbers stay on the
    device. Preconditioned conjugate gradients: Hestenes and Stiefel 1952.
    """
    function = _operator_of(A, "A")
    if isinstance(function, _CsrMatrix):
        rows, columns = function.row_count, function.column_count
        if rows != columns:
            raise _ShapeError(f"A is {rows} x {columns}; cg() solves square systems")
        kind = _numpy.result_type(function.data.dtype, _numpy.float32)
    else:
        kind = _numpy.dtype(_numpy.float32)
    right = _array(b)
    if right.ndim == 2 and right.shape[1] == 1:
        right = right.ravel()
    if right.dtype == bool:
        raise _DTypeError("b is bool; pass floating-point or complex numbers")
    right = right.astype(_numpy.result_type(right.dtype, kind), copy=False)
    start = None if x0 is None else _array(x0).astype(right.dtype, copy=False).ravel()
    most = 0 if maxiter is None else _operator.index(maxiter)
    made = None if M is None else _operator_of(M, "M")
    x, done, _, end = _conjugate_gradients(
        function, right, start, rtol, atol, most, made, callback, check_every
    )
    reason = _ENDS[end]
    if reason in _REASONS:
        _warnings.warn(f"cg(): {_REASONS[reason]}", SolverWarning, stacklevel=2)
        return x, -1
    return x, 0 if reason == "converged" else done
