# SPDX-License-Identifier: MIT
"""Sparse matrices on any device, in SciPy's words.

csr_array           compressed rows: A @ x, A.T, A + B, rows, diagonals and sums
linalg              solvers, eigenvalues and preconditioners: cg, gmres, eigsh, ...
cg, SolverWarning   those of linalg

C++ has the same in treadle/sparse/.
"""

from treadle.sparse import linalg as linalg
from treadle.sparse._matrices import csr_array
from treadle.sparse._solvers import SolverWarning, cg

__all__ = ["SolverWarning", "cg", "csr_array", "linalg"]
