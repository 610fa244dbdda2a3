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

from typing import NoReturn

from treadle import _absent
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

_SOLVERS = "use cg, minres, bicgstab or gmres, or SciPy's function on A.get()"
_ABSENT = {
    **dict.fromkeys(("bicg", "cgs", "gcrotmk", "lgmres", "qmr", "tfqmr"), _SOLVERS),
    **dict.fromkeys(("factorized", "splu", "spsolve", "spsolve_triangular", "inv"), _SOLVERS),
    "spilu": "SciPy's of A.get() is a preconditioner: M=LinearOperator(A.shape, spilu(...).solve)",
    "lsmr": "use lsqr",
    "eigs": "eigsh is of symmetric matrices; SciPy's takes A.get()",
    "lobpcg": "use eigsh",
    "svds": "use eigsh of A.T @ A, or SciPy's on A.get()",
    **dict.fromkeys(("expm", "expm_multiply"), "SciPy's takes A.get()"),
}


def __getattr__(name: str) -> NoReturn:
    raise _absent.no_name("treadle.sparse.linalg", name, _ABSENT)
