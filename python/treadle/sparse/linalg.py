# SPDX-License-Identifier: MIT
"""Solvers and eigenvalues of sparse matrices, under the names of scipy.sparse.linalg.

cg, minres                      symmetric systems
bicgstab, gmres                 square systems
lsqr                            least squares
eigsh                           eigenvalues of symmetric matrices
LinearOperator, aslinearoperator    functions in the place of matrices
jacobi, block_jacobi, chebyshev     preconditioners, for M=
norm                            of matrices
"""

from treadle.sparse._eigen import ArpackNoConvergence, eigsh
from treadle.sparse._norms import norm
from treadle.sparse._operators import LinearOperator, aslinearoperator
from treadle.sparse._preconditioners import block_jacobi, chebyshev, jacobi
from treadle.sparse._solvers import (
    SolverInfo,
    SolverWarning,
    bicgstab,
    cg,
    gmres,
    lsqr,
    minres,
)

__all__ = [
    "ArpackNoConvergence",
    "LinearOperator",
    "SolverInfo",
    "SolverWarning",
    "aslinearoperator",
    "bicgstab",
    "block_jacobi",
    "cg",
    "chebyshev",
    "eigsh",
    "gmres",
    "jacobi",
    "lsqr",
    "minres",
    "norm",
]
