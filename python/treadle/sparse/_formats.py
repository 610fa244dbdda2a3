# SPDX-License-Identifier: MIT
"""Formats of sparse matrices beside compressed rows."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any

import treadle.numpy as _tnp
from treadle._core import ShapeError as _ShapeError
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
from treadle.sparse._given import compressed as _compressed
from treadle.sparse._given import csr_of as _csr_of
from treadle.sparse._given import elements as _elements
from treadle.sparse._given import entries as _entries
from treadle.sparse._given import is_entries as _is_entries
from treadle.sparse._given import require_two_axes as _require_two_axes
from treadle.sparse._given import size as _size
from treadle.sparse._matrices import sparray
from treadle.sparse._shown import applied_apart as _applied_apart
from treadle.sparse._shown import part as _part


def _copies(arrays: Any) -> Any:
    return [x.copy() for x in arrays]


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
            if any(isinstance(x, Array) for x in (arg1[0], *arg1[1])):
                self._show()  # the program has them
            if copy:
                self._matrix = self.copy()._matrix
        else:
            super().__init__(arg1, shape, dtype, copy)

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _CooMatrix.of(csr)

    _watched = ("data", "row", "col")  # data too: products read them as they were put in order

    def _parts_of(self, matrix: Any) -> dict[str, Array]:
        return {"data": matrix.data, "row": matrix.rows, "col": matrix.columns}

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        return _CooMatrix(*parts.values(), *self._kept_size)

    def _owned(self, matrix: Any) -> Any:
        if not matrix.is_shared():
            return matrix
        return _CooMatrix(*_copies(self._parts_of(matrix).values()), *self._kept_size)

    def _places(self) -> Any:
        """Rows and columns for another matrix."""
        places = self._matrix.rows, self._matrix.columns
        return places if self._shown is None else _copies(places)

    def _mapped(self, function: Any) -> Any:
        data = _applied_apart(function, self._matrix.data)
        return self._of(_CooMatrix(data, *self._places(), *self._kept_size))

    row = _part("row", "The row of each entry; can be assigned to.")
    col = _part("col", "The column of each entry; can be assigned to.")

    @property
    def coords(self) -> tuple[Array, Array]:
        """(row, col)."""
        return self.row, self.col

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transposed matrix, with entries in the same order."""
        _require_two_axes(axes)
        row, column = self._places()
        data = self._matrix.data
        data = data if self._shown is None else data.copy()
        return self._of(_CooMatrix(data, column, row, *reversed(self.shape)))

    def get(self) -> Any:
        """SciPy's coo_array, on the host. Waits."""
        parts = self._read()
        coords = (parts["row"].get(), parts["col"].get())
        return _of_scipy("coo_array", (parts["data"].get(), coords), self.shape)


class csc_array(sparray):  # noqa: N801 - SciPy's name
    """Compressed columns: csc_array((data, indices, indptr), shape=...), where indices are rows, or
    what csr_array() takes. Products take compressed rows, made at once, and again once the
    program has written to the columns; columns are made when they are looked at first.
    """

    format = "csc"
    _watched = ("data", "indices", "indptr")
    _is_direct = False

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> None:
        if getattr(arg1, "format", None) == "csc" and type(arg1) is not csc_array:
            arg1, shape = (arg1.data, arg1.indices, arg1.indptr), arg1.shape
        if isinstance(arg1, tuple) and len(arg1) == 3:
            turned = None if shape is None else _size(shape)[::-1]
            columns = _CsrMatrix(*_compressed(arg1, turned, dtype))
            self._matrix = columns.transposed()
            self._show(self._parts_of_columns(columns))
        else:
            super().__init__(arg1, shape, dtype)
        if copy:
            self._matrix = self.copy()._matrix

    def _parts_of_columns(self, columns: _CsrMatrix) -> dict[str, Array]:
        return {"data": columns.data, "indices": columns.indices, "indptr": columns.offsets}

    def _parts_of(self, matrix: Any) -> dict[str, Array]:
        return self._parts_of_columns(matrix.transposed())

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        return _CsrMatrix(*parts.values(), *reversed(self._kept_size)).transposed()

    indices = _part("indices", "The row of each element; can be assigned to.")
    indptr = _part(
        "indptr",
        "Where the elements of each column begin, int64, and the end; can be assigned to.",
    )

    def get(self) -> Any:
        """SciPy's csc_array, on the host. Waits."""
        parts = tuple(x.get() for x in self._read().values())
        return _of_scipy("csc_array", parts, self.shape)


class bsr_array(sparray):  # noqa: N801 - SciPy's name
    """Compressed rows of dense blocks.

    bsr_array((data, indices, indptr), shape=...), where data has three axes, or what csr_array()
    takes, with blocksize=(rows, columns) that fill the matrix.
    """

    format = "bsr"
    _watched = ("indices", "indptr")

    # over 5 parameters because they are SciPy's
    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: Any = None,
        copy: bool = False,
        blocksize: tuple[int, int] | None = None,
    ) -> None:
        is_same = getattr(arg1, "format", None) == "bsr" and blocksize in (None, arg1.blocksize)
        if is_same and type(arg1) is bsr_array and dtype in (None, arg1.dtype):
            super().__init__(arg1, copy=copy)
            return
        if is_same:
            arg1, shape = (arg1.data, arg1.indices, arg1.indptr), arg1.shape
        if isinstance(arg1, tuple) and len(arg1) == 3:
            data, indices, offsets, rows, columns = _compressed(arg1, shape, dtype)
            if shape is None:
                rows, columns = rows * data.shape[1], columns * data.shape[2]
            self._matrix = _BsrMatrix(data, indices, offsets, rows, columns)
            if any(isinstance(x, Array) for x in arg1):
                self._show()  # the program has them
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
        if csr.row_count % rows or csr.column_count % columns:
            rows = columns = 1
        return self._of(_BsrMatrix.of(csr, rows, columns))

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transposed matrix, of transposed blocks."""
        _require_two_axes(axes)
        return self._of(_BsrMatrix.of(self._csr.transposed(), *reversed(self.blocksize)))

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place, to one that blocks fill."""
        block = self.blocksize
        given = _size(shape[0] if len(shape) == 1 else shape)
        if any(n % side for n, side in zip(given, block, strict=True)):
            raise _ShapeError(f"{given} in blocks of {block}; pass a shape that blocks fill")
        super().resize(given)

    def _parts_of(self, matrix: Any) -> dict[str, Array]:
        return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.offsets}

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        return _BsrMatrix(*parts.values(), *self._kept_size)

    def _mapped(self, function: Any) -> Any:
        own = self._matrix
        places = _copies((own.indices, own.offsets))
        data = _applied_apart(function, own.data)
        return self._of(_BsrMatrix(data, *places, *self._kept_size))

    @property
    def blocksize(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        _, rows, columns = self._matrix.data.shape
        return rows, columns

    indices = _part("indices", "The column of each block; can be assigned to.")
    indptr = _part("indptr", "Where each row of blocks begins; can be assigned to.")

    def get(self) -> Any:
        """SciPy's bsr_array, on the host. Waits."""
        parts = tuple(x.get() for x in self._read().values())
        return _of_scipy("bsr_array", parts, self.shape)


class dia_array(sparray):  # noqa: N801 - SciPy's name
    """Diagonals. An element of 0 on one is no entry.

    dia_array((data, offsets), shape=...), where data[k, j] is in column j of diagonal offsets[k],
    or what csr_array() takes.
    """

    format = "dia"
    _watched = ("data", "offsets")
    _is_direct = False

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

    def _parts_of(self, matrix: Any) -> dict[str, Array]:
        return {"data": matrix.data, "offsets": matrix.offsets.copy()}

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        return _DiaMatrix(*parts.values(), *self._kept_size)

    def _mapped(self, function: Any) -> Any:
        own = self._matrix
        return self._of(_DiaMatrix(function(own.data), own.offsets, *self.shape))

    offsets = _part(
        "offsets",
        "How far to the right of the main one each diagonal is, going up; can be assigned to.",
    )

    def get(self) -> Any:
        """SciPy's dia_array, on the host. Waits."""
        parts = tuple(x.get() for x in self._read().values())
        return _of_scipy("dia_array", parts, self.shape)


class ell_array(sparray):  # noqa: N801 - as SciPy would call it
    """Rows filled up to the longest: ell_array((data, columns), shape=...), where both have a row
    for each row and a column of -1 is no entry, or what csr_array() takes."""

    format = "ell"
    _watched = ("data", "columns")
    _is_direct = False

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

    def _parts_of(self, matrix: Any) -> dict[str, Array]:
        return {"data": matrix.data, "columns": matrix.columns}

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        return _EllMatrix(*parts.values(), *self._kept_size)

    columns = _part("columns", "The column of each element, -1: none; can be assigned to.")


class sell_array(sparray):  # noqa: N801 - as SciPy would call it
    """Slices of rows, each filled up to its longest: what csr_array() takes, and slice_rows=."""

    format = "sell"

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, slice_rows: int = 32):
        self._matrix = _SellMatrix.of(_csr_of(arg1, shape, dtype), slice_rows)

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _SellMatrix.of(csr)

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        data, kept = parts["data"], self._kept
        if data.shape != kept.data.shape:
            raise _ShapeError(f"data of {data.shape} in the place of {kept.data.shape}")
        csr = kept.to_csr()
        made = _SellMatrix.of(csr.with_data(csr.data.astype(data.dtype)), kept.slice_rows)
        made.data[...] = data
        return made

    def _layout(self) -> dict[str, int]:
        return {"slice_rows": self._matrix.slice_rows}

    def _like(self, csr: Any) -> Any:
        return self._of(_SellMatrix.of(csr, **self._layout()))


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

    _watched = ("data",)
    _is_direct = False

    def _parts_of(self, matrix: Any) -> dict[str, Array]:
        return {"data": matrix.to_csr().data.copy()}

    def _layout(self) -> dict[str, int]:
        return {"depth": self._kept.usual.data.shape[1]}

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        return _HybMatrix.of(self._kept.to_csr().with_data(parts["data"]), **self._layout())

    def _mapped(self, function: Any) -> Any:
        csr = self._csr
        return self._of(_HybMatrix.of(csr.with_data(function(csr.data)), **self._layout()))

    data = _part("data", "The elements row by row, as csr_array has them; can be assigned to.")


class stencil_array(sparray):  # noqa: N801 - as SciPy would call it
    """Diagonals of one number each, at most 32: numbers and offsets are written into the kernel,
    which reads nothing of the matrix but, where diagonals have gaps, a few bits for each row. Takes
    what csr_array() takes."""

    format = "stencil"

    @classmethod
    def _of_csr(cls, csr: Any) -> Any:
        return _StencilMatrix.of(csr)

    _watched = ("data",)
    _is_direct = False

    def _parts_of(self, matrix: Any) -> dict[str, Array]:
        return {"data": matrix.data.copy()}

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        csr = self._kept.to_csr()
        diagonals = csr.indices.astype("int64") - csr.rows()
        which = _tnp.searchsorted(_tnp.asarray(self._kept.offsets), diagonals)
        return _StencilMatrix.of(csr.with_data(parts["data"][which]))

    data = _part("data", "The number on each diagonal; can be assigned to.")

    @property
    def offsets(self) -> list[int]:
        """How far to the right of the main one each diagonal is, going up."""
        return self._matrix.offsets
