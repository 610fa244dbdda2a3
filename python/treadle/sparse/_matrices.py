# SPDX-License-Identifier: MIT
"""Sparse matrices in SciPy's words: what all formats have, and compressed rows."""

from __future__ import annotations

import operator as _operator
from importlib import import_module as _import_module
from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import InvalidArgument as _InvalidArgument
from treadle._core import ShapeError as _ShapeError
from treadle._core.array import Array
from treadle._core.sparse import CsrMatrix as _CsrMatrix
from treadle._core.sparse import choose_format as _choose_format
from treadle.numpy import asarray as _array
from treadle.sparse._elements import COMPARISONS as _COMPARISONS
from treadle.sparse._elements import applied as _applied
from treadle.sparse._elements import extremum as _extremum
from treadle.sparse._places import place_of_extremum as _place_of_extremum
from treadle.sparse._places import selected as _selected

# Functions of elements that leave zeros alone.
_ELEMENT_FUNCTIONS = (
    "sqrt", "sign", "floor", "ceil", "rint", "trunc", "sin", "tan", "arcsin", "arctan", "sinh",
    "tanh", "arcsinh", "arctanh", "expm1", "log1p", "deg2rad", "rad2deg",
)  # fmt: skip


def _size(shape: Any) -> tuple[int, int]:
    try:
        rows, columns = map(_operator.index, shape)
    except (TypeError, ValueError):
        raise _ShapeError(f"shape={shape!r}; pass two integers: (rows, columns)") from None
    return rows, columns


def _elements(given: Any, dtype: Any) -> Array:
    """An array, cast where a dtype is asked for."""
    data = _array(given)
    return data if dtype is None else data.astype(dtype)


def _is_entries(given: Any) -> bool:
    """(data, (row, column)); (data, [...]) may be a format's own arrays."""
    return (
        isinstance(given, tuple)
        and len(given) == 2
        and isinstance(given[1], tuple | list)
        and len(given[1]) == 2
        and _numpy.ndim(given[0]) == 1
    )


def _entries(given: Any, shape: Any, dtype: Any) -> tuple[Any, ...]:
    row, column = (_array(x) for x in given[1])
    if shape is None:
        shape = [int(x.max()) + 1 if x.size else 0 for x in (row, column)]
    return (_elements(given[0], dtype), row, column, *_size(shape))


def _compressed(given: Any, shape: Any, dtype: Any) -> tuple[Any, ...]:
    data, indices, offsets = _elements(given[0], dtype), _array(given[1]), _array(given[2])
    size = (offsets.size - 1, int(indices.max()) + 1 if indices.size else 0)
    return (data, indices, offsets, *(size if shape is None else _size(shape)))


def _csr_of(given: Any, shape: Any, dtype: Any) -> _CsrMatrix:
    """Whatever a constructor is given, in compressed rows."""
    if isinstance(given, sparray):
        csr = given._csr
        return csr if dtype is None else csr.with_data(csr.data.astype(dtype))
    if hasattr(given, "tocsr"):  # SciPy's, CuPy's
        csr = given.tocsr()
        return _csr_of((csr.data, csr.indices, csr.indptr), csr.shape, dtype)
    if hasattr(given, "crow_indices"):  # torch's
        parts = (given.values(), given.col_indices(), given.crow_indices())
        return _csr_of(parts, tuple(given.shape), dtype)
    if isinstance(given, tuple) and len(given) == 3:
        return _CsrMatrix(*_compressed(given, shape, dtype))
    if _is_entries(given):
        return _CsrMatrix.from_entries(*_entries(given, shape, dtype))
    if isinstance(given, tuple):  # a shape
        kind = _numpy.float64 if dtype is None else dtype
        nothing = _tnp.zeros(0, kind), _tnp.zeros(0, _numpy.int32)
        rows, columns = _size(given)
        return _CsrMatrix(*nothing, _tnp.zeros(rows + 1, _numpy.int64), rows, columns)
    dense = _array(given, dtype)
    if shape is not None and dense.shape != _size(shape):
        raise _ShapeError(f"shape={shape!r} of an array of {dense.shape}; leave shape= away")
    return _CsrMatrix.from_dense(dense)


def _one_axis(axis: Any) -> int | None:
    """An axis, or none for both."""
    if isinstance(axis, tuple):
        if sorted(k % 2 for k in axis) == [0, 1]:
            return None
        (axis,) = axis
    if axis is not None and axis not in (-2, -1, 0, 1):
        raise ValueError(f"axis={axis!r} of a matrix; pass 0, 1 or None")
    return axis


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | complex | _numpy.generic)


class sparray:  # noqa: N801 - SciPy's name
    """What sparse matrices of all formats have. Made by csr_array(), coo_array(), ..."""

    ndim = 2
    format = ""
    __array_priority__ = 1000.0  # NumPy's operators leave a @ b to this class
    _classes: dict[str, type[sparray]] = {}
    _matrix: Any

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> None:
        self._matrix = self._of_csr(_csr_of(arg1, shape, dtype))
        if copy:
            self._matrix = self.copy()._matrix

    def __init_subclass__(cls) -> None:
        sparray._classes[cls.format] = cls

    @classmethod
    def _of_csr(cls, csr: _CsrMatrix) -> Any:
        """The matrix in this format."""
        return csr

    @classmethod
    def _of(cls, matrix: Any) -> Any:
        made = cls.__new__(cls)
        made._matrix = matrix
        return made

    @property
    def _csr(self) -> _CsrMatrix:
        return self._matrix.to_csr()

    def _like(self, csr: _CsrMatrix) -> Any:
        """A matrix in compressed rows in the format of this one."""
        return self._of(self._of_csr(csr))

    def _mapped(self, function: Any) -> Any:
        """With function(elements) in the place of elements."""
        csr = self._csr
        return self._like(csr.with_data(function(csr.data)))

    # What it is.

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self._matrix.row_count, self._matrix.column_count

    @property
    def data(self) -> Array:
        """The elements stored, as the format has them."""
        return self._matrix.data

    @property
    def dtype(self) -> _numpy.dtype:
        """Of the elements."""
        return self._matrix.dtype

    @property
    def device(self) -> Any:
        """Where the elements are."""
        return self.data.device

    @property
    def nnz(self) -> int:
        """How many elements are stored, zeros as well; formats that are filled up count."""
        return self._matrix.entries

    size = nnz

    @property
    def nbytes(self) -> int:
        """About what a product reads of the matrix."""
        return self._matrix.size_bytes

    def count_nonzero(self, axis: int | None = None) -> Any:
        """How many elements are not 0, of all, of columns (axis 0) or of rows (axis 1). Waits."""
        csr = self._csr.canonical()
        if axis is None:
            return int(_tnp.count_nonzero(csr.data))
        return csr.with_data((csr.data != 0).astype(_numpy.int64)).sum(axis)

    def getnnz(self, axis: int | None = None) -> Any:
        """How many elements are stored, of all, of columns (axis 0) or of rows (axis 1)."""
        if axis is None:
            return self.nnz
        csr = self._csr
        return csr.with_data(_tnp.ones(csr.entries, _numpy.int64)).sum(axis)

    def nonzero(self) -> tuple[Array, Array]:
        """Rows and columns of the elements that are not 0."""
        csr = self._csr.canonical().without_zeros()
        return csr.rows(), csr.indices

    @property
    def T(self) -> Any:
        """The transposed matrix; see transpose()."""
        return self.transpose()

    @property
    def real(self) -> Any:
        """With the real parts of elements."""
        return self._mapped(_tnp.real)

    @property
    def imag(self) -> Any:
        """With the imaginary parts of elements."""
        return self._mapped(_tnp.imag)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<{self.format}_array of {self.dtype}, {rows} x {columns}, {self.nnz} stored>"

    # Other forms.

    def asformat(self, format: str | None, copy: bool = False) -> Any:
        """In another format, by its name; "auto": as fastest() has it."""
        if format == "auto":
            return self.fastest()
        if format is None or format == self.format:
            return self.copy() if copy else self
        if format not in self._classes:
            raise _InvalidArgument(f"format {format!r}; there are {', '.join(self._classes)}")
        made = self._classes[format]
        return made._of(made._of_csr(self._csr))

    def fastest(self, timed: bool = True, keep: bool = True) -> Any:
        """In the format whose products are the fastest on this device: the three that read the
        least are made and timed (timed=False: the first of them is taken), and the verdict is kept
        in the tuner's store for matrices of the same structure (keep=False: not)."""
        made, name, _, _ = _choose_format(self._matrix, timed, keep)
        return self._classes[name.split()[0]]._of(made)

    def explain_formats(self, timed: bool = True, keep: bool = True) -> str:
        """What each format would read in a product, what those that were timed took, and which
        fastest() takes, as text."""
        return _choose_format(self._matrix, timed, keep)[2]

    def tocsr(self, copy: bool = False) -> Any:
        """In compressed rows."""
        return self.asformat("csr", copy)

    def tocoo(self, copy: bool = False) -> Any:
        """As a list of entries."""
        return self.asformat("coo", copy)

    def tocsc(self, copy: bool = False) -> Any:
        """In compressed columns."""
        return self.asformat("csc", copy)

    def todia(self, copy: bool = False) -> Any:
        """As diagonals."""
        return self.asformat("dia", copy)

    def toell(self) -> Any:
        """With rows filled up to the longest."""
        return self.asformat("ell")

    def tohyb(self) -> Any:
        """Rows of usual length, and the rest."""
        return self.asformat("hyb")

    def tostencil(self) -> Any:
        """Diagonals of one number each, written into the kernel."""
        return self.asformat("stencil")

    def tosell(self, slice_rows: int = 32) -> Any:
        """With rows filled up in slices of so many."""
        made = self._classes["sell"]
        return made(self, slice_rows=slice_rows)  # type: ignore[call-arg]

    def tobsr(self, blocksize: tuple[int, int] = (1, 1), copy: bool = False) -> Any:
        """In dense blocks of this size."""
        made = self._classes["bsr"]
        return made(self, blocksize=blocksize)  # type: ignore[call-arg]

    def copy(self) -> Any:
        """With data of its own."""
        return self._mapped(lambda data: data.copy())

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """With elements of another dtype."""
        return self._mapped(lambda data: data.astype(dtype, copy=copy))

    def toarray(self, order: str | None = None) -> Array:
        """All elements, on the device."""
        made = self._csr.dense()
        return _tnp.asfortranarray(made) if order == "F" else made

    todense = toarray

    def __bool__(self) -> bool:
        if self.shape != (1, 1):
            raise ValueError(f"the truth of a matrix of {self.shape}; ask for nnz, or for elements")
        return self.count_nonzero() > 0

    def __len__(self) -> int:
        raise TypeError("len() of a sparse matrix; shape[0] is the number of rows, nnz of elements")

    def get(self) -> Any:
        """SciPy's, on the host: of the same format where SciPy has it, else a csr_array. Waits."""
        csr = self._csr
        parts = (csr.data.get(), csr.indices.get(), csr.offsets.get())
        return _import_module("scipy.sparse").csr_array(parts, shape=self.shape)

    def to_scipy(self) -> Any:
        """As get()."""
        return self.get()

    @classmethod
    def from_scipy(cls, matrix: Any, dtype: Any = None) -> Any:
        """Of any sparse matrix of SciPy's."""
        return cls(matrix, dtype=dtype)

    # Operations.

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transposed matrix, whose columns are in order. Waits for the number of entries."""
        if axes not in (None, (1, 0), (-1, -2)):
            raise ValueError(f"axes={axes!r}; a matrix has two, which change places")
        return self._like(self._csr.transposed())

    def conj(self, copy: bool = True) -> Any:
        """With conjugated elements."""
        return self._mapped(_tnp.conj)

    conjugate = conj

    def power(self, n: Any, dtype: Any = None) -> Any:
        """Each element to the power of n."""
        if _numpy.ndim(n) != 0 or n == 0:
            raise _InvalidArgument(f"power({n!r}); pass a number that is not 0")
        made = self if dtype is None else self.astype(dtype)
        return made._mapped(lambda data: data**n)

    def diagonal(self, k: int = 0) -> Array:
        """The elements at (i, i + k); none where the matrix has no such diagonal."""
        if not -self.shape[0] < k < self.shape[1]:
            return _tnp.zeros(0, self.dtype)
        return self._csr.diagonal(k)

    def trace(self, offset: int = 0) -> Any:
        """The sum of a diagonal."""
        return self.diagonal(offset).sum()

    def sum(self, axis: Any = None, dtype: Any = None) -> Any:
        """The sums of the columns (axis 0), of the rows (axis 1), or of all elements."""
        made = self._csr.sum(_one_axis(axis))
        return made if dtype is None else made.astype(dtype)

    def mean(self, axis: Any = None, dtype: Any = None) -> Any:
        """The means of the columns (axis 0), of the rows (axis 1), or of all elements."""
        axis = _one_axis(axis)
        rows, columns = self.shape
        count = rows * columns if axis is None else rows if axis in (0, -2) else columns
        made = self.sum(axis) / count
        return made if dtype is None else made.astype(dtype)

    def max(self, axis: int | None = None) -> Array:
        """The largest elements of columns (axis 0), of rows (axis 1), or of all, zeros included."""
        return self._csr.largest(axis)

    def min(self, axis: int | None = None) -> Array:
        """The least elements, likewise."""
        return self._csr.least(axis)

    def sum_duplicates(self) -> None:
        """Adds elements of one place."""
        self._matrix = self._like(self._csr.canonical())._matrix

    def eliminate_zeros(self) -> None:
        """Leaves elements that are 0 out."""
        self._matrix = self._like(self._csr.without_zeros())._matrix

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Sets the elements at (i, i + k): to one for each of the first, or one for all."""
        if not -self.shape[0] < k < self.shape[1]:
            raise ValueError(f"diagonal {k} of a matrix of {self.shape}")
        given, there = _array(values, self.dtype), self._csr.diagonal(k)
        if given.ndim == 1:
            given = _tnp.concatenate([given[: there.size], there[given.size :]])
        self._matrix = self._like(self._csr.with_diagonal(given, k))._matrix

    def __round__(self, ndigits: int = 0) -> Any:
        return self._mapped(lambda data: _tnp.round(data, ndigits))

    def reshape(self, *shape: Any, order: str = "C", copy: bool = False) -> Any:
        """The same elements in C's order, or Fortran's ("F"), in rows of another length; -1: what
        is left."""
        given = shape[0] if len(shape) == 1 and not _numpy.isscalar(shape[0]) else shape
        rows, columns = _size(given)
        if order not in ("C", "F") or max(rows, columns) < 0:
            raise ValueError(f"reshape({given!r}, order={order!r}); one length may be -1")
        count = self.shape[0] * self.shape[1]
        rows = count // max(columns, 1) if rows == -1 else rows
        columns = count // max(rows, 1) if columns == -1 else columns
        if order == "F":
            return self.T.reshape(columns, rows).T
        return self._like(self._csr.reshaped(rows, columns))

    def dot(self, other: Any) -> Any:
        """self @ other, or each element times a number."""
        return self * other if _numpy.ndim(other) == 0 and _is_number(other) else self @ other

    def multiply(self, other: Any) -> Any:
        """Element by element, by a sparse matrix, an array that broadcasts, or a number."""
        if hasattr(other, "tocsr"):
            if other.shape != self.shape:  # they broadcast: the one with more elements stays sparse
                own, others = (rows * columns for rows, columns in (self.shape, other.shape))
                one, less = (csr_array(other), self) if own < others else (self, other)
                return one.multiply(_array(less.toarray()))
            found = self._csr.times(_csr_of(other, None, None))
            made = csr_array._of(found) if self.format == "coo" else self._like(found)
            kind = _numpy.result_type(self.dtype, other.dtype)
            return made if made.dtype == kind else made.astype(kind)
        if _numpy.ndim(other) == 0:
            return self._mapped(lambda data: data * other)
        beside = _array(other)
        shape = _numpy.broadcast_shapes(self.shape, beside.shape)
        if shape != self.shape:
            return csr_array(self.toarray() * beside)
        return csr_array._of(self._csr.times_dense(beside))

    def __matmul__(self, other: Any) -> Any:
        if hasattr(other, "tocsr"):
            return csr_array._of(self._csr.multiply_matrix(_csr_of(other, None, None)))
        if _is_number(other):
            raise ValueError(f"A @ {other!r}; elements are multiplied by A * {other!r}")
        return self._matrix.multiply(_array(other))

    def __rmatmul__(self, other: Any) -> Any:
        x = _array(other)
        return (self.T @ x) if x.ndim == 1 else (self.T @ x.T).T

    def __mul__(self, other: Any) -> Any:
        return self.multiply(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if hasattr(other, "tocsr"):
            return self.toarray() / _array(other.toarray())
        if _numpy.ndim(other) == 0:
            return self._mapped(lambda data: data / other)
        return self.multiply(1 / _array(other))

    def __pow__(self, n: Any) -> Any:
        return self.power(n)

    def __neg__(self) -> Any:
        return self._mapped(_operator.neg)

    def __abs__(self) -> Any:
        return self._mapped(abs)

    def __add__(self, other: Any) -> Any:
        if hasattr(other, "tocsr"):
            kind = _numpy.result_type(self.dtype, other.dtype)
            own, others = self._csr, _csr_of(other, None, None)
            made = own.with_data(own.data.astype(kind)).plus(
                others.with_data(others.data.astype(kind))
            )
            if made.dtype != kind:  # the sum of booleans is a number
                made = made.with_data(made.data.astype(kind))
            same = isinstance(other, sparray) and other.format == self.format
            return self._like(made) if same else csr_array._of(made)
        if _numpy.ndim(other) == 0:
            return self if _numpy.isscalar(other) and other == 0 else NotImplemented
        return self.toarray() + _array(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if _numpy.ndim(other) == 0 and not hasattr(other, "tocsr"):
            return self + -other
        return self + -(other if hasattr(other, "tocsr") else _array(other))

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __getitem__(self, key: Any) -> Any:
        """A matrix of rows and columns: A[3:7], A[[2, 0]], A[mask], A[:, 1:5], A[numpy.ix_(i, j)].
        A number chooses a vector, which is dense: A[2], A[:, 3]; pairs choose elements: A[2, 3],
        A[[0, 2], [1, 1]]."""
        made = _selected(self._csr, key)
        return csr_array._of(made) if isinstance(made, _CsrMatrix) else made

    def _compared(self, function: Any, other: Any) -> Any:
        if hasattr(other, "tocsr"):
            if other.shape != self.shape and function in (_operator.eq, _operator.ne):
                return function is _operator.ne
            return csr_array._of(_applied(function, self._csr, _csr_of(other, None, None)))
        if _numpy.ndim(other) == 0:
            return csr_array._of(_applied(function, self._csr, other))
        return function(self.toarray(), _array(other))

    def maximum(self, other: Any) -> Any:
        """The larger elements, beside a matrix, an array or a number."""
        return self._compared(_extremum("maximum"), other)

    def minimum(self, other: Any) -> Any:
        """The smaller elements, likewise."""
        return self._compared(_extremum("minimum"), other)

    def argmax(self, axis: int | None = None) -> Array:
        """The first place of the largest elements of columns (axis 0), of rows (axis 1), or of all
        elements in C's order; what is not stored is 0. Waits."""
        return _place_of_extremum(self._csr, "argmax", axis)

    def argmin(self, axis: int | None = None) -> Array:
        """The first place of the least elements, likewise."""
        return _place_of_extremum(self._csr, "argmin", axis)


def _comparison(name: str, function: Any) -> Any:
    def compare(self: sparray, other: Any) -> Any:
        return self._compared(function, other)

    compare.__name__ = name
    compare.__doc__ = f"{name.strip('_')} of elements: a matrix of booleans; an array of an array."
    return compare


for _name, _function in _COMPARISONS.items():
    setattr(sparray, _name, _comparison(_name, _function))
sparray.__hash__ = object.__hash__  # type: ignore[method-assign]


def _element_function(name: str) -> Any:
    function = getattr(_tnp, name)

    def apply(self: sparray) -> Any:
        return self._mapped(function)

    apply.__name__ = name
    apply.__doc__ = f"{name}() of each element."
    return apply


for _name in _ELEMENT_FUNCTIONS:
    setattr(sparray, _name, _element_function(_name))


class csr_array(sparray):  # noqa: N801 - SciPy's name
    """A matrix in compressed sparse rows, on the device of its data.

    csr_array(dense), csr_array(sparse), csr_array((data, indices, indptr), shape=...) or
    csr_array((data, (row, column)), shape=...), whose entries of one place are added; matrices of
    SciPy, CuPy and torch. dtype is cast to. Makes and looks; products wait for nothing.
    """

    format = "csr"

    def _mapped(self, function: Any) -> Any:
        return self._of(self._matrix.with_data(function(self._matrix.data)))

    @property
    def indices(self) -> Array:
        """The column of each, int32 or int64."""
        return self._matrix.indices

    @property
    def indptr(self) -> Array:
        """Where the elements of each row begin, int64; one more than rows."""
        return self._matrix.offsets

    @property
    def has_sorted_indices(self) -> bool:
        """Whether columns of each row go up. Waits."""
        return self._matrix.has_sorted_indices()

    @property
    def has_canonical_format(self) -> bool:
        """The same, with each place once. Waits."""
        return self._matrix.is_canonical()

    def merged(self) -> csr_array:
        """The same matrix, whose products with vectors deal entries and ends of rows evenly to the
        work-items of a GPU: for rows of very different lengths. fastest() tries that, too."""
        return self._of(self._matrix.merged())

    def sort_indices(self) -> None:
        """Puts the columns of each row in order."""
        self._matrix = self._matrix.sorted()

    def sorted_indices(self) -> csr_array:
        """A matrix with the columns of each row in order."""
        return self._of(self._matrix.sorted())
