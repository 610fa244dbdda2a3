# SPDX-License-Identifier: MIT
"""Norms, bandwidths and powers of sparse matrices, as treadle.sparse.linalg has them."""

from __future__ import annotations

import operator as _operator
from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import NotSupported as _NotSupported
from treadle._core.sparse import bandwidths as _bandwidths
from treadle._core.sparse import matrix_norm as _matrix_norm
from treadle._core.sparse import matrix_power as _matrix_power
from treadle.sparse._given import csr_of as _csr_of
from treadle.sparse._matrices import csr_array, sparray


def norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """A norm of a sparse matrix, on the device: Frobenius' (None, "fro"), the largest or least sum
    of magnitudes of columns (1, -1) or rows (inf, -inf); with an axis of each row or column: the
    sum of magnitudes (1) or the root of the sum of squares (None, 2).
    """
    csr = _csr_of(x, None, None)
    if isinstance(axis, tuple):
        axis = axis[0] if len(axis) == 1 else None
    if axis is not None:
        matrix = csr_array._of(csr.canonical())
        sizes = abs(matrix)
        if ord == 1:
            return sizes.sum(axis=axis)
        if ord in (None, 2):
            return _tnp.sqrt((sizes * sizes).sum(axis=axis))
        if ord in (_numpy.inf, -_numpy.inf):
            return (sizes.max if ord > 0 else sizes.min)(axis=axis)
        if ord == 0:
            return (matrix != 0).sum(axis=axis).astype(sizes.dtype)
        raise _NotSupported(f"norm(ord={ord!r}, axis={axis}); pass 0, 1, 2, inf, -inf or None")
    return _matrix_norm(csr, ord)


def onenormest(
    A: Any, t: int = 2, itmax: int = 5, compute_v: bool = False, compute_w: bool = False
) -> Any:
    """The norm that sums of columns have, norm(A, 1), which SciPy estimates; with compute_v and
    compute_w a vector v of one 1, and A v, whose norm it is. t and itmax are ignored.
    """
    if not hasattr(A, "tocsr") and not hasattr(A, "__array__"):
        raise _NotSupported(f"onenormest() of a {type(A).__name__}; pass a matrix")
    csr = _csr_of(A, None, None)
    largest = _matrix_norm(csr, 1)
    if not (compute_v or compute_w):
        return largest
    matrix = csr_array._of(csr.canonical())
    sums = abs(matrix).sum(axis=0)
    v = (_tnp.arange(matrix.shape[1]) == sums.argmax()).astype(matrix.dtype)
    chosen = ((compute_v, v), (compute_w, matrix @ v))
    return (largest, *(x for wanted, x in chosen if wanted))


def spbandwidth(A: Any) -> tuple[int, int]:
    """How many diagonals below and above the main one have entries. Waits."""
    return _bandwidths(_csr_of(A, None, None))


def is_sptriangular(A: Any) -> tuple[bool, bool]:
    """Whether no entry lies above the diagonal, and whether none lies below it. Waits."""
    below, above = spbandwidth(A)
    return above == 0, below == 0


def matrix_power(A: Any, power: int) -> Any:
    """A @ A @ ..., `power` times, by squares; the identity for 0."""
    times = _operator.index(power)
    matrix = A if isinstance(A, sparray) else csr_array(A)
    made = csr_array._of(_matrix_power(matrix._csr, times))
    return made.copy().asformat(matrix.format) if times < 2 else made
