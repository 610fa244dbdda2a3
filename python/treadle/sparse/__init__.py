# SPDX-License-Identifier: MIT
"""Sparse matrices on any device, in SciPy's words.

csr_array           compressed rows: A @ x, A @ B, A.T, A + B, rows, diagonals and sums
coo_array, csc_array, bsr_array, dia_array, ell_array, sell_array, hyb_array, stencil_array
                    other formats, which convert into each other
eye_array, ...      matrices that SciPy makes
mmread, mmwrite     Matrix Market files
linalg              solvers, eigenvalues and preconditioners: cg, gmres, eigsh, ...
cg, SolverWarning   those of linalg

C++ has the same in treadle/sparse/.
"""

from treadle.sparse import linalg as linalg
from treadle.sparse._construct import (
    block_array,
    block_diag,
    diags_array,
    eye_array,
    find,
    hstack,
    issparse,
    kron,
    kronsum,
    mmread,
    mmwrite,
    random_array,
    tril,
    triu,
    vstack,
)
from treadle.sparse._formats import (
    bsr_array,
    coo_array,
    csc_array,
    dia_array,
    ell_array,
    hyb_array,
    sell_array,
    stencil_array,
)
from treadle.sparse._matrices import csr_array, sparray
from treadle.sparse._solvers import SolverWarning, cg

__all__ = [
    "SolverWarning",
    "block_array",
    "block_diag",
    "bsr_array",
    "cg",
    "coo_array",
    "csc_array",
    "csr_array",
    "dia_array",
    "diags_array",
    "ell_array",
    "eye_array",
    "find",
    "hstack",
    "hyb_array",
    "issparse",
    "kron",
    "kronsum",
    "linalg",
    "mmread",
    "mmwrite",
    "random_array",
    "sell_array",
    "sparray",
    "stencil_array",
    "tril",
    "triu",
    "vstack",
]
