# SPDX-License-Identifier: MIT
"""About the inverse of a matrix, for M= of solvers."""

from __future__ import annotations

import operator as _operator
from typing import Any

import treadle._core.sparse as _core
from treadle.sparse._given import csr_of as _csr_of
from treadle.sparse._operators import LinearOperator


def _matrix(A: Any) -> Any:
    return _csr_of(A, None, None)


def jacobi(A: Any) -> LinearOperator:
    """Divides by the diagonal of A."""
    made = _core.jacobi(_matrix(A))
    return LinearOperator._of(lambda: made)


def block_jacobi(A: Any, block: int) -> LinearOperator:
    """The inverse of the blocks of that many rows on the diagonal of A."""
    made = _core.block_jacobi(_matrix(A), _operator.index(block))
    return LinearOperator._of(lambda: made)


def chebyshev(A: Any, degree: int = 4, ratio: float = 1 / 30) -> LinearOperator:
    """A polynomial of a symmetric positive definite A, scaled by its diagonal: `degree` steps of
    Chebyshev's iteration for eigenvalues from `ratio` times a bound to that bound.
    """
    made = _core.chebyshev(_matrix(A), _operator.index(degree), float(ratio))
    return LinearOperator._of(lambda: made)
