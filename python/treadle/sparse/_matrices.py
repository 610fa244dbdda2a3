# SPDX-License-Identifier: MIT
"""Sparse matrices in SciPy's words: what all formats have, and compressed rows."""

from __future__ import annotations

import operator as _operator
from importlib import import_module as _import_module
from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import InvalidArgument as _InvalidArgument
from treadle._core import NotSupported as _NotSupported
from treadle._core.array import Array
from treadle._core.sparse import CsrMatrix as _CsrMatrix
from treadle._core.sparse import choose_format as _choose_format
from treadle.numpy import asarray as _array
from treadle.sparse._elements import add_operations as _add_operations
from treadle.sparse._elements import applied as _applied
from treadle.sparse._elements import extremum as _extremum
from treadle.sparse._elements import nan_extremum as _nan_extremum
from treadle.sparse._given import csr_of as _csr_of
from treadle.sparse._given import lengths as _lengths
from treadle.sparse._given import one_axis as _one_axis
from treadle.sparse._given import require_two_axes as _require_two_axes
from treadle.sparse._given import size as _size
from treadle.sparse._given import stored_in as _stored_in
from treadle.sparse._places import assigned as _assigned
from treadle.sparse._places import place_of_extremum as _place_of_extremum
from treadle.sparse._places import resized as _resized
from treadle.sparse._places import selected as _selected
from treadle.sparse._shown import Shown as _Shown
from treadle.sparse._shown import part as _part


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | complex | _numpy.generic)


class sparray(_Shown):  # noqa: N801 - SciPy's name
    """What sparse matrices of all formats have. Made by csr_array(), coo_array(), ..."""

    ndim = 2
    format = ""
    __array_priority__ = 1000.0  # NumPy's operators leave a @ b to this class
    _classes: dict[str, type[sparray]] = {}

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> None:
        if type(arg1) is type(self) and dtype in (None, arg1.dtype):
            self._share(arg1)
        else:
            csr = _csr_of(arg1, shape, dtype)
            self._matrix = self._of_csr(arg1._apart(csr) if isinstance(arg1, sparray) else csr)
            parts = arg1 if isinstance(arg1, tuple) and len(arg1) == 3 else ()
            if hasattr(arg1, "crow_indices") or any(isinstance(x, Array) for x in parts):
                self._show()  # the program has them
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
        return self._of(self._of_csr(self._apart(csr)))

    def _layout(self) -> dict[str, int]:
        """What the constructor is told of the layout that SciPy's matrix does not say."""
        return {}

    def _mapped(self, function: Any) -> Any:
        """With function(elements) in the place of elements."""
        csr = self._csr
        return self._like(csr.with_data(function(csr.data)))

    # What it is.

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self._kept_size

    data = _part("data", "The elements stored, as the format has them; can be assigned to.")

    @property
    def dtype(self) -> _numpy.dtype:
        """Of the elements."""
        return self._matrix.dtype

    @property
    def device(self) -> Any:
        """Where the elements are."""
        return self._read()["data"].device

    @property
    def nnz(self) -> int:
        """How many elements are stored, zeros as well; formats that are filled up count."""
        return self._matrix.entries

    size = nnz

    @property
    def nbytes(self) -> int:
        """About what a product reads of the matrix."""
        return self._matrix.size_bytes

    def check_format(self, full_check: bool = True) -> None:
        """Throws as the constructor if arrays that were written to or assigned to do not fit."""
        self._look()

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
        return csr.rows().astype(csr.indices.dtype), csr.indices.copy()

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
        return made._of(made._of_csr(self._apart(self._csr)))

    def fastest(self, timed: bool = True, keep: bool = True) -> Any:
        """In the format whose products are the fastest on this device: the three that read the
        least are made and timed (timed=False: the first of them is taken), and the verdict is kept
        in the tuner's store for matrices of the same structure (keep=False: not)."""
        own = self._matrix
        # Compressed rows may win, which are these themselves.
        apart = self._apart(own) if self.format == "csr" else own
        made, name, _, _ = _choose_format(apart, timed, keep)
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

    def __str__(self) -> str:
        listed = str(self.get()).partition("\n  Coords")  # as SciPy lists entries
        return f"{self!r}\n  Coords{listed[2]}" if listed[2] else repr(self)

    def __copy__(self) -> Any:
        made = type(self).__new__(type(self))
        made._share(self)
        return made

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        return _pickled, (self.format, self.get(), self._layout())

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
        _require_two_axes(axes)
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

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """The sums of the columns (axis 0), of the rows (axis 1), or of all elements."""
        made = self._csr.sum(_one_axis(axis))
        return _stored_in(out, made if dtype is None else made.astype(dtype))

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """The means of the columns (axis 0), of the rows (axis 1), or of all elements."""
        axis = _one_axis(axis)
        rows, columns = self.shape
        count = rows * columns if axis is None else rows if axis in (0, -2) else columns
        made = self.sum(axis) / count
        return _stored_in(out, made if dtype is None else made.astype(dtype))

    def max(self, axis: int | None = None, out: Any = None) -> Array:
        """The largest elements of columns (axis 0), of rows (axis 1), or of all, zeros included."""
        return _stored_in(out, self._csr.largest(_one_axis(axis)))

    def min(self, axis: int | None = None, out: Any = None) -> Array:
        """The least elements, likewise."""
        return _stored_in(out, self._csr.least(_one_axis(axis)))

    def nanmax(self, axis: int | None = None, out: Any = None) -> Array:
        """The largest elements that are no NaN; NaN where there are none."""
        return _stored_in(out, _nan_extremum(self._csr, "max", _one_axis(axis)))

    def nanmin(self, axis: int | None = None, out: Any = None) -> Array:
        """The least elements that are no NaN; NaN where there are none."""
        return _stored_in(out, _nan_extremum(self._csr, "min", _one_axis(axis)))

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
        is left. One axis is an array. Itself if it has this shape and no copy is asked for."""
        if order not in ("C", "F"):
            raise ValueError(f"reshape(order={order!r}); pass 'C' or 'F'")
        lengths = _lengths(shape, self.shape)
        if lengths == self.shape:
            return self.copy() if copy else self
        if len(lengths) == 1:
            return _tnp.reshape(self.toarray(), lengths, order=order)
        rows, columns = lengths
        if order == "F":
            return self.T.reshape(columns, rows).T
        return self._like(self._csr.reshaped(rows, columns))

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place: what lies beyond goes, what is new is 0."""
        given = shape[0] if len(shape) == 1 else shape
        self._matrix = self._like(_resized(self._csr, *_size(given)))._matrix

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
        return csr_array._of(self._apart(self._csr.times_dense(beside)))

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
        if _numpy.ndim(other) == 0 and _is_number(other):
            if other == 0:
                return self.copy()
            raise _NotSupported(
                f"the sum of a sparse matrix and {other!r} is dense: A.toarray() + {other!r}"
            )
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
        return csr_array._of(self._apart(made)) if isinstance(made, _CsrMatrix) else made

    def __setitem__(self, key: Any, value: Any) -> None:
        """Sets elements: A[2, 3] = 1, A[2] = row, A[:, 1:5] = 0, A[A < 0] = 0. Makes the matrix
        anew, so that one call for many elements is quicker than many calls."""
        self._matrix = self._like(_assigned(self._csr, key, value))._matrix

    def _compared(self, function: Any, other: Any) -> Any:
        if hasattr(other, "tocsr"):
            if other.shape != self.shape and function in (_operator.eq, _operator.ne):
                return function is _operator.ne
            other = _csr_of(other, None, None)
        if isinstance(other, _CsrMatrix) or _numpy.ndim(other) == 0:
            return csr_array._of(self._apart(_applied(function, self._csr, other)))
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


def _pickled(format: str, matrix: Any, layout: Any = None) -> Any:
    """A matrix that was pickled, on the device of the moment."""
    return sparray._classes[format](matrix, **(layout or {}))


_add_operations(sparray)
sparray.__hash__ = object.__hash__  # type: ignore[method-assign]


class csr_array(sparray):  # noqa: N801 - SciPy's name
    """A matrix in compressed sparse rows, on the device of its data.

    csr_array(dense), csr_array(sparse), csr_array((data, indices, indptr), shape=...) or
    csr_array((data, (row, column)), shape=...), whose entries of one place are added; matrices of
    SciPy, CuPy and torch. dtype is cast to. Makes and looks; products wait for nothing.
    """

    format = "csr"

    _watched = ("indices", "indptr")

    def _parts_of(self, matrix: Any) -> dict[str, Array]:
        return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.offsets}

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        data, indices, indptr = parts.values()
        if changed == {"data"} and data.size == self._kept.entries:
            return self._kept.with_data(data)
        return _CsrMatrix(data, indices, indptr, *self._kept_size)

    def _owned(self, matrix: Any) -> Any:
        return matrix.copied() if matrix.is_shared() else matrix

    def _apart(self, csr: _CsrMatrix) -> _CsrMatrix:
        return csr if self._shown is None else csr.copied()

    def copy(self) -> csr_array:
        """With arrays of its own."""
        return self._of(self._matrix.copied())

    indices = _part("indices", "The column of each, int32 or int64; can be assigned to.")
    indptr = _part(
        "indptr",
        "Where the elements of each row begin, int64, one more than rows; can be assigned to.",
    )

    @property
    def has_sorted_indices(self) -> bool:
        """Whether columns of each row go up. Waits."""
        return self._matrix.has_sorted_indices()

    @property
    def has_canonical_format(self) -> bool:
        """The same, with each place once. Waits."""
        return self._matrix.is_canonical()

    def by_length(self) -> csr_array:
        """The same matrix, whose products with vectors give each row as many work-items of a GPU as
        its length is worth: for rows of very different lengths. fastest() tries that, too."""
        return self._of(self._apart(self._matrix).by_length())

    def sort_indices(self) -> None:
        """Puts the columns of each row in order."""
        if not self.has_sorted_indices:
            self._matrix = self._apart(self._matrix.sorted())

    def sum_duplicates(self) -> None:
        """Puts the columns of each row in order, and adds elements of one place."""
        if not self.has_canonical_format:
            super().sum_duplicates()

    def eliminate_zeros(self) -> None:
        """Leaves elements that are 0 out."""
        if int(_tnp.count_nonzero(self._matrix.data)) < self.nnz:
            super().eliminate_zeros()

    def sorted_indices(self) -> csr_array:
        """A matrix with the columns of each row in order."""
        return self._of(self._apart(self._matrix.sorted()))
