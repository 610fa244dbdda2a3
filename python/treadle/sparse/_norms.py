# SPDX-License-Identifier: MIT
"""Norms of sparse matrices, as treadle.sparse.linalg has them."""

from __future__ import annotations

from typing import Any

import numpy as _numpy

import treadle.numpy as _tnp
from treadle._core import InvalidArgument as _InvalidArgument
from treadle._core import NotSupported as _NotSupported
from treadle.sparse._given import csr_of as _csr_of
from treadle.sparse._matrices import csr_array


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
