# SPDX-License-Identifier: MIT
"""Rows, columns and elements of a sparse matrix at places that a program names."""

from __future__ import annotations

from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import IndexError as _IndexError
from treadle._core.array import Array
from treadle._core.sparse import CsrMatrix as _CsrMatrix
from treadle.numpy import asarray as _array

_ALL = slice(None)
_ADVICE = "rows and columns are chosen by numbers, slices, lists and masks"


def _is_number(key: Any) -> bool:
    return isinstance(key, int | _numpy.integer) and not isinstance(key, bool)


def _is_mask(key: Any) -> bool:
    return str(getattr(key, "dtype", "")) == "bool"


def _counted(key: Any, length: int) -> int:
    if not -length <= key < length:
        raise _IndexError(f"index {key} of {length} rows or columns")
    return int(key) % length


def _numbers(key: Any, length: int) -> Array:
    """What a list or a mask chooses, counted from 0."""
    chosen = _array(key)
    if chosen.ndim == 2 and 1 in chosen.shape:  # numpy.ix_()
        chosen = chosen.ravel()
    if chosen.ndim != 1:
        raise _IndexError(f"[{key!r}] of a sparse matrix; {_ADVICE}")
    if _is_mask(chosen):
        if chosen.size != length:
            raise _IndexError(f"a mask of {chosen.size} for {length}")
        return _tnp.nonzero(chosen)[0]
    if chosen.size == 0:
        return chosen.astype(_numpy.int64)
    if chosen.dtype.kind not in "iu":
        raise _IndexError(f"[{key!r}] of a sparse matrix; {_ADVICE}")
    return _tnp.where(chosen < 0, chosen + length, chosen)


def rows_of(csr: _CsrMatrix, key: Any) -> _CsrMatrix:
    """The rows that a key chooses; a number chooses one."""
    if isinstance(key, slice):
        first, last, step = key.indices(csr.row_count)
        if step == 1:
            return csr.rows_between(first, max(first, last))
        return csr.rows_at(_tnp.arange(first, last, step))
    if _is_number(key):
        row = _counted(key, csr.row_count)
        return csr.rows_between(row, row + 1)
    return csr.rows_at(_numbers(key, csr.row_count))


def _elements_at(csr: _CsrMatrix, rows: Any, columns: Any) -> Array:
    """One element for each pair of a row and a column."""
    rows, columns = _array(rows), _array(columns)
    shape = _numpy.broadcast_shapes(rows.shape, columns.shape)
    rows, columns = (_tnp.broadcast_to(k, shape).ravel() for k in (rows, columns))
    rows, columns = _numbers(rows, csr.row_count), _numbers(columns, csr.column_count)
    if columns.size and not 0 <= int(columns.min()) <= int(columns.max()) < csr.column_count:
        raise _IndexError(f"columns {columns.get()} of a matrix with {csr.column_count}")
    chosen = csr.rows_at(rows)
    wanted = columns[chosen.rows()]
    there = chosen.with_data(_tnp.where(chosen.indices == wanted, chosen.data, 0))
    return there.sum(1).astype(csr.dtype).reshape(shape)


def _keys(key: Any) -> tuple[Any, Any]:
    """The key of rows, and that of columns."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if any(k is Ellipsis for k in keys):
        at = next(n for n, k in enumerate(keys) if k is Ellipsis)
        keys[at : at + 1] = [_ALL] * (3 - len(keys))
    if any(k is None for k in keys):
        raise _IndexError("None as an index of a sparse matrix; a matrix has two axes")
    if len(keys) > 2:
        raise _IndexError(f"{len(keys)} indices of a matrix; pass one or two")
    return (*keys, _ALL) if len(keys) == 1 else (keys[0], keys[1])


def _lists(rows: Any, columns: Any) -> bool:
    """Whether both are lists whose pairs are meant, and none is numpy.ix_()'s."""
    kinds = (int, _numpy.integer, slice)
    if isinstance(rows, slice) or isinstance(columns, slice):
        return False
    if isinstance(rows, kinds) and isinstance(columns, kinds):
        return False
    shapes = [getattr(k, "shape", None) or _numpy.shape(k) for k in (rows, columns)]
    is_open = len(shapes[0]) == len(shapes[1]) == 2 and shapes[0][1] == shapes[1][0] == 1
    return not is_open


def selected(csr: _CsrMatrix, key: Any) -> Any:
    """A matrix, or an array: of a row or column that a number chooses, of single elements."""
    dense_mask = _is_mask(key) and getattr(key, "ndim", 0) == 2
    if dense_mask:
        return csr.dense()[_array(key.toarray() if hasattr(key, "toarray") else key)]
    rows, columns = _keys(key)
    if _is_number(rows) and _is_number(columns):
        place = _counted(rows, csr.row_count), _counted(columns, csr.column_count)
        return _elements_at(csr, *place).reshape(())[()]
    if _lists(rows, columns):
        masks = [_numbers(k, n) if _is_mask(_array(k)) else k
                 for k, n in ((rows, csr.row_count), (columns, csr.column_count))]  # fmt: skip
        return _elements_at(csr, *masks)
    made = rows_of(csr, rows)
    if not (isinstance(columns, slice) and columns == _ALL):
        made = rows_of(made.transposed(), columns).transposed()
    if _is_number(rows) or _is_number(columns):
        return made.dense().ravel()
    return made


def place_of_extremum(csr: _CsrMatrix, name: str, axis: int | None) -> Array:
    """argmax or argmin: the first place of the largest or least element, zeros included."""
    if axis is not None and axis % 2 == 0:
        return place_of_extremum(csr.transposed(), name, 1)
    if csr.row_count * csr.column_count == 0:
        raise ValueError("attempt to get an extremum of an empty matrix")
    largest = (csr.largest if name == "argmax" else csr.least)(1)
    single = csr.canonical()
    rows = single.rows()
    # Of rows that reach it at an entry the first one; and the first place without an entry.
    far = csr.column_count
    reaches = single.data == largest[rows]
    stored = _tnp.full(csr.row_count, far, dtype=_numpy.int64)
    columns = single.indices.astype(_numpy.int64)
    within = _tnp.arange(single.entries) - single.offsets[rows]
    _tnp.minimum.at(stored, rows, _tnp.where(reaches, columns, far))
    gaps = _tnp.diff(single.offsets)
    _tnp.minimum.at(gaps, rows, _tnp.where(columns != within, within, far))
    absent = _tnp.where((largest == 0) & (gaps < far), gaps, far)
    places = _tnp.minimum(stored, absent)
    if axis is not None:
        return places
    best = (_tnp.argmax if name == "argmax" else _tnp.argmin)(largest)
    return best * far + places[best]
