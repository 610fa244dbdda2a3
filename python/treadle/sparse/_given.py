# SPDX-License-Identifier: MIT
"""What constructors and methods of sparse matrices are given."""

from __future__ import annotations

import operator as _operator
from math import prod as _prod
from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import ShapeError as _ShapeError
from treadle._core.array import Array
from treadle._core.sparse import CsrMatrix as _CsrMatrix
from treadle.numpy import asarray as _array


def size(shape: Any) -> tuple[int, int]:
    try:
        rows, columns = map(_operator.index, shape)
    except (TypeError, ValueError):
        raise _ShapeError(f"shape={shape!r}; pass two integers: (rows, columns)") from None
    return rows, columns


def elements(given: Any, dtype: Any) -> Array:
    """An array, cast where a dtype is asked for."""
    data = _array(given)
    return data if dtype is None else data.astype(dtype)


def is_entries(given: Any) -> bool:
    """(data, (row, column)); (data, [...]) may be a format's own arrays."""
    return (
        isinstance(given, tuple)
        and len(given) == 2
        and isinstance(given[1], tuple | list)
        and len(given[1]) == 2
        and _numpy.ndim(given[0]) == 1
    )


def entries(given: Any, shape: Any, dtype: Any) -> tuple[Any, ...]:
    row, column = (_array(x) for x in given[1])
    if shape is None:
        shape = [int(x.max()) + 1 if x.size else 0 for x in (row, column)]
    return (elements(given[0], dtype), row, column, *size(shape))


def compressed(given: Any, shape: Any, dtype: Any) -> tuple[Any, ...]:
    data, indices, offsets = elements(given[0], dtype), _array(given[1]), _array(given[2])
    found = (offsets.size - 1, int(indices.max()) + 1 if indices.size else 0)
    return (data, indices, offsets, *(found if shape is None else size(shape)))


def csr_of(given: Any, shape: Any, dtype: Any) -> _CsrMatrix:
    """Whatever a constructor is given, in compressed rows."""
    if hasattr(given, "_csr"):  # of ours
        csr = given._csr
        return csr if dtype is None else csr.with_data(csr.data.astype(dtype))
    if hasattr(given, "tocsr"):  # SciPy's, CuPy's
        csr = given.tocsr()
        return csr_of((csr.data, csr.indices, csr.indptr), csr.shape, dtype)
    if hasattr(given, "crow_indices"):  # torch's
        parts = (given.values(), given.col_indices(), given.crow_indices())
        return csr_of(parts, tuple(given.shape), dtype)
    if isinstance(given, tuple) and len(given) == 3:
        return _CsrMatrix(*compressed(given, shape, dtype))
    if is_entries(given):
        return _CsrMatrix.from_entries(*entries(given, shape, dtype))
    if isinstance(given, tuple):  # a shape
        kind = _numpy.float64 if dtype is None else dtype
        nothing = _tnp.zeros(0, kind), _tnp.zeros(0, _numpy.int32)
        rows, columns = size(given)
        return _CsrMatrix(*nothing, _tnp.zeros(rows + 1, _numpy.int64), rows, columns)
    dense = _array(given, dtype)
    if shape is not None and dense.shape != size(shape):
        raise _ShapeError(f"shape={shape!r} of an array of {dense.shape}; leave shape= away")
    return _CsrMatrix.from_dense(dense)


def one_axis(axis: Any) -> int | None:
    """An axis, or none for both."""
    if isinstance(axis, tuple):
        if sorted(k % 2 for k in axis) == [0, 1]:
            return None
        (axis,) = axis
    if axis is not None and axis not in (-2, -1, 0, 1):
        raise ValueError(f"axis={axis!r} of a matrix; pass 0, 1 or None")
    return axis


def require_two_axes(axes: Any) -> None:
    if axes not in (None, (1, 0), (-1, -2)):
        raise ValueError(f"axes={axes!r}; a matrix has two, which change places")


def lengths(given: Any, shape: tuple[int, int]) -> tuple[int, ...]:
    """The shape that reshape() is given, without -1."""
    if not given:
        raise TypeError("reshape() without a shape")
    if len(given) == 1 and not _numpy.isscalar(given[0]):
        (given,) = given
    found, count = [_operator.index(n) for n in given], shape[0] * shape[1]
    known = _prod(n for n in found if n >= 0)
    unknown = [k for k, n in enumerate(found) if n < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown:
        found[unknown[0]] = count // max(known, 1)
    if _prod(found) != count or len(found) > 2:
        advice = "" if len(found) <= 2 else "; a matrix has two axes"
        text = f"cannot reshape array of size {count} into shape {tuple(given)}{advice}"
        raise ValueError(text)
    return tuple(found)


def stored_in(out: Any, made: Any) -> Any:
    """What NumPy's functions ask for as out=."""
    if out is None:
        return made
    out[...] = made.get() if isinstance(out, _numpy.ndarray) else made
    return out
