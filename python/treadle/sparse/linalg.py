# SPDX-License-Identifier: MIT
"""Solvers of systems with sparse matrices, under the names of scipy.sparse.linalg."""

from treadle.sparse._solvers import SolverWarning, cg

__all__ = ["SolverWarning", "cg"]
