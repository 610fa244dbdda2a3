# SPDX-License-Identifier: MIT
"""Solvers and eigenvalues of sparse matrices, under the names of scipy.sparse.linalg.

cg, minres                      symmetric systems
bicgstab, gmres                 square systems
lsqr                            least squares
eigsh                           eigenvalues of symmetric matrices
LinearOperator, aslinearoperator    functions in the place of matrices
jacobi, block_jacobi, chebyshev     preconditioners, for M=
spsolve, splu, spilu, factorized, inv, spsolve_triangular    SciPy's direct solvers, on the host
norm, onenormest, spbandwidth, is_sptriangular, matrix_power    of matrices
"""

from typing import NoReturn

from treadle import _absent
from treadle.sparse._direct import (
    SuperLU,
    factorized,
    inv,
    spilu,
    splu,
    spsolve,
    spsolve_triangular,
)
from treadle.sparse._eigen import ArpackNoConvergence, eigsh
from treadle.sparse._norms import (
    is_sptriangular,
    matrix_power,
    norm,
    onenormest,
    spbandwidth,
)
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
    "SuperLU",
    "aslinearoperator",
    "bicgstab",
    "block_jacobi",
    "cg",
    "chebyshev",
    "eigsh",
    "factorized",
    "gmres",
    "inv",
    "is_sptriangular",
    "jacobi",
    "lsqr",
    "matrix_power",
    "minres",
    "norm",
    "onenormest",
    "spbandwidth",
    "spilu",
    "splu",
    "spsolve",
    "spsolve_triangular",
]

_SOLVERS = "use cg, minres, bicgstab or gmres, or SciPy's function on A.get()"
_OF_SCIPY = "SciPy's takes A.get()"
_ABSENT = {
    **dict.fromkeys(("bicg", "cgs", "gcrotmk", "lgmres", "qmr", "tfqmr"), _SOLVERS),
    "lsmr": "use lsqr",
    "eigs": "eigsh is of symmetric matrices; SciPy's takes A.get()",
    "lobpcg": "use eigsh",
    "svds": "use eigsh of A.T @ A, or SciPy's on A.get()",
    **dict.fromkeys(("expm", "expm_multiply", "funm_multiply_krylov"), _OF_SCIPY),
    **dict.fromkeys(("ArpackError", "MatrixRankWarning"), "it is scipy.sparse.linalg's"),
    "LaplacianNd": "SciPy's tosparse() is what csr_array() takes",
    "use_solver": "there is no UMFPACK here",
}


def __getattr__(name: str) -> NoReturn:
    raise _absent.no_name("treadle.sparse.linalg", name, _ABSENT)
