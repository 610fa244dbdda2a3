# SPDX-License-Identifier: MIT
"""Norms, bandwidths and powers of sparse matrices, as treadle.sparse.linalg has them."""

from __future__ import annotations

import operator as _operator
from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import InvalidArgument as _InvalidArgument
from treadle._core import NotSupported as _NotSupported
from treadle._core import ShapeError as _ShapeError
from treadle.sparse._given import csr_of as _csr_of
from treadle.sparse._matrices import csr_array, sparray


def norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """A norm of a sparse matrix, on the device: Frobenius' (None, "fro"), the largest or least sum
    of magnitudes of columns (1, -1) or rows (inf, -inf); with an axis of each row or column: the
    sum of magnitudes (1) or the root of the sum of squares (None, 2).
    """
    matrix = csr_array._of(_csr_of(x, None, None).canonical())
    sizes = abs(matrix)
    if isinstance(axis, tuple):
        axis = axis[0] if len(axis) == 1 else None
    if axis is not None:
        if ord == 1:
            return sizes.sum(axis=axis)
        if ord in (None, 2):
            return _tnp.sqrt((sizes * sizes).sum(axis=axis))
        if ord in (_numpy.inf, -_numpy.inf):
            return (sizes.max if ord > 0 else sizes.min)(axis=axis)
        if ord == 0:
            return (matrix != 0).sum(axis=axis).astype(sizes.dtype)
        raise _NotSupported(f"norm(ord={ord!r}, axis={axis}); pass 0, 1, 2, inf, -inf or None")
    if ord in (None, "fro", "f"):
        return _tnp.linalg.norm(matrix._matrix.data)
    if ord in (1, -1):
        sums = sizes.sum(axis=0)
    elif ord in (_numpy.inf, -_numpy.inf):
        sums = sizes.sum(axis=1)
    elif ord in (2, -2):
        raise _NotSupported("norm(ord=2) of a sparse matrix; eigsh(A.T @ A) has its square")
    else:
        raise _InvalidArgument(f"norm(ord={ord!r}); pass None, 'fro', 1, -1, inf or -inf")
    return sums.max() if ord > 0 else sums.min()


def onenormest(
    A: Any, t: int = 2, itmax: int = 5, compute_v: bool = False, compute_w: bool = False
) -> Any:
    """The norm that sums of columns have, norm(A, 1), which SciPy estimates; with compute_v and
    compute_w a vector v of one 1, and A v, whose norm it is. t and itmax are ignored.
    """
    if not hasattr(A, "tocsr") and not hasattr(A, "__array__"):
        raise _NotSupported(f"onenormest() of a {type(A).__name__}; pass a matrix")
    matrix = csr_array._of(_csr_of(A, None, None).canonical())
    sums = abs(matrix).sum(axis=0)
    largest = sums.max()
    if not (compute_v or compute_w):
        return largest
    v = (_tnp.arange(matrix.shape[1]) == sums.argmax()).astype(matrix.dtype)
    chosen = ((compute_v, v), (compute_w, matrix @ v))
    return (largest, *(x for wanted, x in chosen if wanted))


def spbandwidth(A: Any) -> tuple[int, int]:
    """How many diagonals below and above the main one have entries. Waits."""
    csr = _csr_of(A, None, None)
    if csr.entries == 0:
        return 0, 0
    offsets = csr.indices.astype("i8") - csr.rows()
    ends = _tnp.stack([offsets.min(), offsets.max()]).get()
    return max(0, -int(ends[0])), max(0, int(ends[1]))


def is_sptriangular(A: Any) -> tuple[bool, bool]:
    """Whether no entry lies above the diagonal, and whether none lies below it. Waits."""
    below, above = spbandwidth(A)
    return above == 0, below == 0


def matrix_power(A: Any, power: int) -> Any:
    """A @ A @ ..., `power` times, by squares; the identity for 0."""
    times = _operator.index(power)
    matrix = A if isinstance(A, sparray) else csr_array(A)
    rows, columns = matrix.shape
    if rows != columns:
        raise _ShapeError(f"matrix_power() of a matrix of {matrix.shape}; pass a square one")
    if times < 0:
        raise _InvalidArgument(f"matrix_power(A, {times}); pass 0 or more")
    if times == 0:
        with matrix.device:
            ones, places = _tnp.ones(rows, dtype=matrix.dtype), _tnp.arange(rows)
            return csr_array((ones, (places, places)), shape=matrix.shape).asformat(matrix.format)
    made = None
    while times:
        if times % 2:
            made = matrix if made is None else made @ matrix
        times //= 2
        if times:
            matrix = matrix @ matrix
    return made.copy() if made is A else made
