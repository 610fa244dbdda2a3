# SPDX-License-Identifier: MIT
"""Sparse matrices on any device, in SciPy's words.

csr_array           compressed rows: A @ x, A @ B, A.T, A + B, rows, diagonals and sums
coo_array, csc_array, bsr_array, dia_array, ell_array, sell_array, hyb_array, stencil_array
                    other formats, which convert into each other
eye_array, ...      matrices that SciPy makes
mmread, mmwrite, load_npz, save_npz     files
linalg              solvers, eigenvalues and preconditioners: cg, gmres, eigsh, ...
cg, SolverWarning   those of linalg

C++ has the same in treadle/sparse/.
"""

from typing import NoReturn

from treadle import _absent
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
    load_npz,
    mmread,
    mmwrite,
    permute_dims,
    random_array,
    save_npz,
    swapaxes,
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
    "load_npz",
    "mmread",
    "mmwrite",
    "permute_dims",
    "random_array",
    "save_npz",
    "sell_array",
    "sparray",
    "stencil_array",
    "swapaxes",
    "tril",
    "triu",
    "vstack",
]

# SciPy's matrices multiply by `*`, these arrays element by element.
_ARRAYS = {
    **{f"{kind}_matrix": f"{kind}_array" for kind in ("csr", "csc", "coo", "bsr", "dia")},
    **{"eye": "eye_array", "identity": "eye_array", "diags": "diags_array"},
    **{"spdiags": "diags_array", "random": "random_array", "rand": "random_array"},
    **{"bmat": "block_array", "spmatrix": "sparray"},
}
_UNBUILT = "assemble by coo_array((data, (rows, columns))), or give csr_array() SciPy's"
_ABSENT = {
    **{name: f"use {other}, whose * is element by element" for name, other in _ARRAYS.items()},
    **dict.fromkeys(("dok_array", "lil_array", "dok_matrix", "lil_matrix"), _UNBUILT),
    "csgraph": "scipy.sparse.csgraph's functions take A.get()",
    "expand_dims": "these matrices have two axes",
    **dict.fromkeys(("SparseWarning", "SparseEfficiencyWarning"), "nothing here warns of that"),
}


def __getattr__(name: str) -> NoReturn:
    raise _absent.no_name("treadle.sparse", name, _ABSENT)
