# SPDX-License-Identifier: MIT
"""Formats of sparse matrices beside compressed rows."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any

from treadle._core.array import Array
from treadle._core.sparse import BsrMatrix as _BsrMatrix
from treadle._core.sparse import CooMatrix as _CooMatrix
from treadle._core.sparse import CsrMatrix as _CsrMatrix
from treadle._core.sparse import DiaMatrix as _DiaMatrix
from treadle._core.sparse import EllMatrix as _EllMatrix
from treadle._core.sparse import HybMatrix as _HybMatrix
from treadle._core.sparse import SellMatrix as _SellMatrix
from treadle._core.sparse import StencilMatrix as _StencilMatrix
from treadle.numpy import asarray as _array
from treadle.sparse._matrices import (
    _compressed,
    _csr_of,
    _elements,
    _entries,
    _is_entries,
    _size,
    sparray,
)


def _of_scipy(name: str, parts: Any, shape: tuple[int, int]) -> Any:
    return getattr(_import_module("scipy.sparse"), name)(parts, shape=shape)


class coo_array(sparray):  # noqa: N801 - SciPy's name
    """A list of entries in any order; what comes several times counts as the sum.

    coo_array((data, (row, column)), shape=...), or what csr_array() takes.
    """

    format = "coo"

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> None:
        if hasattr(arg1, "tocoo") and not isinstance(arg1, sparray):
            coo = arg1.tocoo()
            arg1, shape = (coo.data, (coo.row, coo.col)), coo.shape
        if _is_entries(arg1):
            self._matrix = _CooMatrix(*_entries(arg1, shape, dtype))
        else:
            super().__init__(arg1, shape, dtype)
        if copy:
            self._matrix = self.copy()._matrix

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _CooMatrix.of(csr)

    def _mapped(self, function: Any) -> Any:
        return self._of(_CooMatrix(function(self.data), self.row, self.col, *self.shape))

    @property
    def row(self) -> Array:
        """The row of each entry."""
        return self._matrix.rows

    @property
    def col(self) -> Array:
        """The column of each entry."""
        return self._matrix.columns

    @property
    def coords(self) -> tuple[Array, Array]:
        """(row, col)."""
        return self.row, self.col

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transposed matrix, with entries in the same order."""
        return self._of(_CooMatrix(self.data, self.col, self.row, *reversed(self.shape)))

    def get(self) -> Any:
        """SciPy's coo_array, on the host. Waits."""
        coords = (self.row.get(), self.col.get())
        return _of_scipy("coo_array", (self.data.get(), coords), self.shape)


class csc_array(sparray):  # noqa: N801 - SciPy's name
    """Compressed columns: csc_array((data, indices, indptr), shape=...), where indices are rows, or
    what csr_array() takes. Products take compressed rows, which are made at once; columns are made
    when they are looked at first.
    """

    format = "csc"

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> None:
        if getattr(arg1, "format", None) == "csc":
            arg1, shape = (arg1.data, arg1.indices, arg1.indptr), arg1.shape
        if isinstance(arg1, tuple) and len(arg1) == 3:
            turned = None if shape is None else _size(shape)[::-1]
            columns = _CsrMatrix(*_compressed(arg1, turned, dtype))
            self._columns, self._matrix = columns, columns.transposed()
            self._of_matrix = self._matrix
        else:
            super().__init__(arg1, shape, dtype)
        if copy:
            self._matrix = self.copy()._matrix

    @property
    def _turned(self) -> Any:
        """The transposed matrix, whose rows are our columns."""
        if getattr(self, "_of_matrix", None) is not self._matrix:
            self._columns, self._of_matrix = self._matrix.transposed(), self._matrix
        return self._columns

    @property
    def data(self) -> Array:
        """The elements, column by column."""
        return self._turned.data

    @property
    def indices(self) -> Array:
        """The row of each."""
        return self._turned.indices

    @property
    def indptr(self) -> Array:
        """Where the elements of each column begin, int64; one more than columns."""
        return self._turned.offsets

    def get(self) -> Any:
        """SciPy's csc_array, on the host. Waits."""
        parts = (self.data.get(), self.indices.get(), self.indptr.get())
        return _of_scipy("csc_array", parts, self.shape)


class bsr_array(sparray):  # noqa: N801 - SciPy's name
    """Compressed rows of dense blocks.

    bsr_array((data, indices, indptr), shape=...), where data has three axes, or what csr_array()
    takes, with blocksize=(rows, columns) that fill the matrix.
    """

    format = "bsr"

    # over 5 parameters because they are SciPy's
    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: Any = None,
        copy: bool = False,
        blocksize: tuple[int, int] | None = None,
    ) -> None:
        if getattr(arg1, "format", None) == "bsr" and blocksize in (None, arg1.blocksize):
            arg1, shape = (arg1.data, arg1.indices, arg1.indptr), arg1.shape
        if isinstance(arg1, tuple) and len(arg1) == 3:
            data, indices, offsets, rows, columns = _compressed(arg1, shape, dtype)
            if shape is None:
                rows, columns = rows * data.shape[1], columns * data.shape[2]
            self._matrix = _BsrMatrix(data, indices, offsets, rows, columns)
        else:
            csr = _csr_of(arg1, shape, dtype)
            self._matrix = _BsrMatrix.of(csr, *((1, 1) if blocksize is None else _size(blocksize)))
        if copy:
            self._matrix = self.copy()._matrix

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _BsrMatrix.of(csr, 1, 1)

    def _like(self, csr: Any) -> Any:
        rows, columns = self.blocksize
        if (csr.row_count, csr.column_count) != self.shape:
            rows, columns = columns, rows
        return self._of(_BsrMatrix.of(csr, rows, columns))

    def _mapped(self, function: Any) -> Any:
        return self._of(_BsrMatrix(function(self.data), self.indices, self.indptr, *self.shape))

    @property
    def blocksize(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        _, rows, columns = self.data.shape
        return rows, columns

    @property
    def indices(self) -> Array:
        """The column of each block."""
        return self._matrix.indices

    @property
    def indptr(self) -> Array:
        """Where each row of blocks begins."""
        return self._matrix.offsets

    def get(self) -> Any:
        """SciPy's bsr_array, on the host. Waits."""
        parts = (self.data.get(), self.indices.get(), self.indptr.get())
        return _of_scipy("bsr_array", parts, self.shape)


class dia_array(sparray):  # noqa: N801 - SciPy's name
    """Diagonals. An element of 0 on one is no entry.

    dia_array((data, offsets), shape=...), where data[k, j] is in column j of diagonal offsets[k],
    or what csr_array() takes.
    """

    format = "dia"

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> None:
        if getattr(arg1, "format", None) == "dia" and not isinstance(arg1, sparray):
            arg1, shape = (arg1.data, arg1.offsets), arg1.shape
        is_diagonals = isinstance(arg1, tuple) and len(arg1) == 2 and not _is_entries(arg1)
        if is_diagonals and shape is not None:
            data, offsets = _elements(arg1[0], dtype), _array(arg1[1])
            data = data.reshape(1, -1) if data.ndim == 1 else data
            self._matrix = _DiaMatrix(data, offsets.reshape(-1), *_size(shape))
            if copy:
                self._matrix = self.copy()._matrix
        else:
            super().__init__(arg1, shape, dtype, copy)

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _DiaMatrix.of(csr)

    def _mapped(self, function: Any) -> Any:
        return self._of(_DiaMatrix(function(self.data), self.offsets, *self.shape))

    @property
    def offsets(self) -> Array:
        """How far to the right of the main one each diagonal is, going up."""
        return self._matrix.offsets

    def get(self) -> Any:
        """SciPy's dia_array, on the host. Waits."""
        return _of_scipy("dia_array", (self.data.get(), self.offsets.get()), self.shape)


class ell_array(sparray):  # noqa: N801 - as SciPy would call it
    """Rows filled up to the longest: ell_array((data, columns), shape=...), where both have a row
    for each row and a column of -1 is no entry, or what csr_array() takes."""

    format = "ell"

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> None:
        is_filled = isinstance(arg1, tuple) and len(arg1) == 2 and not _is_entries(arg1)
        if is_filled and shape is not None:
            data, columns = _elements(arg1[0], dtype), _array(arg1[1])
            self._matrix = _EllMatrix(data, columns, *_size(shape))  # which are transposed copies
        else:
            super().__init__(arg1, shape, dtype, copy)

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _EllMatrix.of(csr)

    @property
    def columns(self) -> Array:
        """The column of each element of data; -1: none."""
        return self._matrix.columns


class sell_array(sparray):  # noqa: N801 - as SciPy would call it
    """Slices of rows, each filled up to its longest: what csr_array() takes, and slice_rows=."""

    format = "sell"

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, slice_rows: int = 32):
        self._matrix = _SellMatrix.of(_csr_of(arg1, shape, dtype), slice_rows)

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _SellMatrix.of(csr)

    def _like(self, csr: Any) -> Any:
        return self._of(_SellMatrix.of(csr, self._matrix.slice_rows))


class hyb_array(sparray):  # noqa: N801 - as SciPy would call it
    """Rows of usual length as ell_array, and what is left of longer ones: what csr_array() takes,
    and depth=, the usual length."""

    format = "hyb"

    def __init__(
        self, arg1: Any, shape: Any = None, dtype: Any = None, depth: int | None = None
    ) -> None:
        self._matrix = _HybMatrix.of(_csr_of(arg1, shape, dtype), depth)

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _HybMatrix.of(csr)

    @property
    def data(self) -> Array:
        """The first elements of each row."""
        return self._matrix.usual.data


class stencil_array(sparray):  # noqa: N801 - as SciPy would call it
    """Diagonals of one number each, at most 32: numbers and offsets are written into the kernel,
    which reads nothing of the matrix but, where diagonals have gaps, a few bits for each row. Takes
    what csr_array() takes."""

    format = "stencil"

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _StencilMatrix.of(csr)

    @property
    def offsets(self) -> list[int]:
        """How far to the right of the main one each diagonal is, going up."""
        return self._matrix.offsets
