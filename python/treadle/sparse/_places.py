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


def _is_open(rows: Any, columns: Any) -> bool:
    """Whether each row goes with each column."""
    return isinstance(rows, slice) or isinstance(columns, slice) or not _lists(rows, columns)


def _all_of(key: Any, length: int) -> Array:
    """Numbers that any key chooses."""
    if isinstance(key, slice):
        return _tnp.arange(*key.indices(length))
    numbers = _array(_counted(key, length)) if _is_number(key) else _array(key)
    shape = numbers.shape
    flat = _numbers(numbers.ravel(), length)
    if flat.size and not 0 <= int(flat.min()) <= int(flat.max()) < length:
        raise _IndexError(f"[{key!r}] of {length} rows or columns")
    return flat if _is_mask(numbers) else flat.reshape(shape)


def _places(csr: _CsrMatrix, key: Any) -> Array:
    """Where a key puts elements: row * columns + column, in the shape of the key."""
    width = csr.column_count
    if _is_mask(key) and getattr(key, "ndim", 0) == 2:
        mask = _array(key.toarray() if hasattr(key, "toarray") else key)
        if mask.shape != (csr.row_count, width):
            raise _IndexError(f"a mask of {mask.shape} for ({csr.row_count}, {width})")
        return _tnp.flatnonzero(mask)
    key_of_rows, key_of_columns = _keys(key)
    rows, columns = _all_of(key_of_rows, csr.row_count), _all_of(key_of_columns, width)
    if _is_open(key_of_rows, key_of_columns) and rows.ndim == 1 and columns.ndim <= 1:
        rows = rows.reshape(-1, 1) if columns.ndim == 1 else rows
    try:
        _numpy.broadcast_shapes(rows.shape, columns.shape)
    except ValueError:
        text = f"rows of {rows.shape} with columns of {columns.shape}; pass pairs, or numpy.ix_()"
        raise _IndexError(text) from None
    return rows.astype(_numpy.int64) * width + columns


def assigned(csr: _CsrMatrix, key: Any, value: Any) -> _CsrMatrix:
    """With other elements where the key says; zeros are stored as well. Of a place that comes
    several times the last element stays. Waits."""
    places = _places(csr, key)
    elements = _array(value.toarray() if hasattr(value, "toarray") else value)
    if places.ndim == 0 and elements.size != 1:
        raise ValueError("Trying to assign a sequence to an item")
    is_vector = elements.ndim > places.ndim and max(elements.shape) == elements.size
    if is_vector and elements.size in (1, places.size):  # as a matrix
        elements = elements.reshape(places.shape if elements.size == places.size else ())
    if elements.dtype.kind == "c" and csr.dtype.kind != "c":
        raise TypeError(f"{elements.dtype} for an element of {csr.dtype}; take real parts")
    elements = _tnp.broadcast_to(elements.astype(csr.dtype), places.shape).ravel()
    order = _tnp.argsort(places.ravel(), kind="stable")
    places, elements = places.ravel()[order], elements[order]
    if places.size > 1:
        is_last = _tnp.concatenate([places[1:] != places[:-1], _tnp.ones(1, bool)])
        places, elements = places[is_last], elements[is_last]
    own = csr.canonical()
    rows, columns = own.rows(), own.indices.astype(_numpy.int64)
    stays = ~_tnp.isin(rows * csr.column_count + columns, places)
    return _CsrMatrix.from_entries(
        _tnp.concatenate([own.data[stays], elements]),
        _tnp.concatenate([rows[stays], places // csr.column_count]),
        _tnp.concatenate([columns[stays], places % csr.column_count]),
        csr.row_count,
        csr.column_count,
    )


def resized(csr: _CsrMatrix, rows: int, columns: int) -> _CsrMatrix:
    """With what lies within so many rows and columns."""
    all_rows, all_columns = csr.rows(), csr.indices
    stays = (all_rows < rows) & (all_columns < columns)
    parts = csr.data[stays], all_rows[stays], all_columns[stays]
    return _CsrMatrix.from_entries(*parts, rows, columns)


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
