# SPDX-License-Identifier: MIT
"""Solvers with SciPy's signatures, as treadle.sparse.linalg has them."""

from __future__ import annotations

import operator as _operator
import warnings as _warnings
from typing import Any

import numpy as _numpy

from treadle._core import DTypeError as _DTypeError
from treadle._core import ShapeError as _ShapeError
from treadle._core.array import Array
from treadle._core.sparse import CsrMatrix as _CsrMatrix
from treadle._core.sparse import conjugate_gradients as _conjugate_gradients
from treadle.numpy import asarray as _array
from treadle.sparse._matrices import csr_array


class SolverWarning(UserWarning):
    """A solver ended without a solution, and not because of its number of iterations."""


_ENDS = ("converged", "iterations", "not_definite", "not_a_number")
_REASONS = {
    "not_definite": "(p, A p) is not above 0 for a direction p: A is not positive definite",
    "not_a_number": "NaN or an infinity came up",
}


def _operator_of(given: Any, name: str) -> Any:
    """What is multiplied by: a csr_array, a matrix, an object with matvec(), or a function."""
    if isinstance(given, csr_array):
        return given._matrix
    if hasattr(given, "tocsr"):
        return csr_array(given)._matrix
    if hasattr(given, "matvec"):
        return given.matvec
    if isinstance(given, Array | _numpy.ndarray):
        matrix = _array(given)
        return lambda x: matrix @ x
    if not callable(given):
        raise TypeError(f"{name} is a {type(given).__name__}; pass a csr_array or a function of x")
    return given


# over 6 parameters because they are SciPy's
def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    check_every: int = 1,
) -> tuple[Array, int]:
    """(x, info) with A x = b, for a symmetric or Hermitian positive definite A.

    A and M, about the inverse of A, are csr_arrays, matrices, objects with matvec(), or functions
    of a vector on the device. Ends where norm(b - A x) <= max(rtol * norm(b), atol). info is 0,
    the number of iterations if they were too few, or -1 where the matrix is not positive definite
    or NaN came up, with a SolverWarning. callback(x) is called after each iteration. The host looks
    at the residual every check_every iterations, and waits for it; all other numbers stay on the
    device. Preconditioned conjugate gradients: Hestenes and Stiefel 1952.
    """
    function = _operator_of(A, "A")
    if isinstance(function, _CsrMatrix):
        rows, columns = function.row_count, function.column_count
        if rows != columns:
            raise _ShapeError(f"A is {rows} x {columns}; cg() solves square systems")
        kind = _numpy.result_type(function.data.dtype, _numpy.float32)
    else:
        kind = _numpy.dtype(_numpy.float32)
    right = _array(b)
    if right.ndim == 2 and right.shape[1] == 1:
        right = right.ravel()
    if right.dtype == bool:
        raise _DTypeError("b is bool; pass floating-point or complex numbers")
    right = right.astype(_numpy.result_type(right.dtype, kind), copy=False)
    start = None if x0 is None else _array(x0).astype(right.dtype, copy=False).ravel()
    most = 0 if maxiter is None else _operator.index(maxiter)
    made = None if M is None else _operator_of(M, "M")
    x, done, _, end = _conjugate_gradients(
        function, right, start, rtol, atol, most, made, callback, check_every
    )
    reason = _ENDS[end]
    if reason in _REASONS:
        _warnings.warn(f"cg(): {_REASONS[reason]}", SolverWarning, stacklevel=2)
        return x, -1
    return x, 0 if reason == "converged" else done
