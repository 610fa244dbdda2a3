# SPDX-License-Identifier: MIT
"""Direct solvers, as treadle.sparse.linalg has them: SciPy's, on the host, between two copies."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any

import numpy as _numpy

from treadle._core import NotSupported as _NotSupported
from treadle._core import ShapeError as _ShapeError
from treadle._core.array import Array
from treadle.numpy import asarray as _array
from treadle.sparse._construct import on_host as _on_host
from treadle.sparse._matrices import csr_array, sparray


def _scipy() -> Any:
    try:
        return _import_module("scipy.sparse.linalg")
    except ImportError:
        raise _NotSupported(
            "direct solvers are SciPy's, which is absent; use cg or gmres"
        ) from None


def _square(A: Any, name: str) -> Any:
    """SciPy's matrix of A, in compressed columns."""
    there = _on_host(A)
    if not hasattr(there, "tocsc"):
        there = csr_array(A).get()
    if there.shape[0] != there.shape[1]:
        raise _ShapeError(f"{name}() of a matrix of {there.shape}; pass a square one, or use lsqr")
    return there.tocsc()


def _here(x: Any, *beside: Any) -> Any:
    """A result of SciPy on the device of the first operand that is on one."""
    device = next((y.device for y in beside if isinstance(y, Array | sparray)), None)
    if device is None:
        return csr_array(x) if hasattr(x, "tocsr") else _array(x)
    with device:
        return csr_array(x) if hasattr(x, "tocsr") else _array(x)


def _right_side(A: Any, b: Any, name: str) -> Any:
    there = _on_host(b)
    shape = there.shape if hasattr(there, "shape") else _numpy.shape(there)
    if len(shape) not in (1, 2):
        raise _ShapeError(f"{name}(): b has the shape {shape}; pass a vector or a matrix")
    if shape[0] != A.shape[0]:
        raise _ShapeError(f"{name}(): A is {A.shape[0]} x {A.shape[1]}, b has {shape[0]} rows")
    return there


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """x with A x = b for a square A; b is a vector, or a dense or sparse matrix. SciPy's, on the
    host: x is on the device of A, or of b. A singular A warns, and x is NaN, as in SciPy.
    """
    there = _square(A, "spsolve")
    right = _right_side(there, b, "spsolve")
    right = right.tocsc() if hasattr(right, "tocsc") else right
    return _here(_scipy().spsolve(there, right, permc_spec, use_umfpack), A, b)


# over 6 parameters because they are SciPy's
def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """x with A x = b for a triangular A; SciPy's, on the host. Nothing is overwritten."""
    there = _square(A, "spsolve_triangular")
    right = _right_side(there, b, "spsolve_triangular")
    made = _scipy().spsolve_triangular(there, right, lower=lower, unit_diagonal=unit_diagonal)
    return _here(made, A, b)


def inv(A: Any) -> Any:
    """The inverse of a square matrix, as a csr_array; SciPy's, on the host."""
    return _here(_scipy().inv(_square(A, "inv")), A)


class SuperLU:
    """A factorisation by splu() or spilu(), which is on the host."""

    def __init__(self, made: Any, beside: Any) -> None:
        self._made, self._beside = made, beside

    @property
    def shape(self) -> tuple[int, int]:
        """Of the matrix."""
        return self._made.shape

    @property
    def nnz(self) -> int:
        """How many elements both factors have."""
        return self._made.nnz

    @property
    def L(self) -> Any:
        """The lower factor: Pr A Pc = L U."""
        return _here(self._made.L, self._beside)

    @property
    def U(self) -> Any:
        """The upper factor."""
        return _here(self._made.U, self._beside)

    @property
    def perm_r(self) -> Any:
        """The permutation of rows, an array of the host."""
        return self._made.perm_r

    @property
    def perm_c(self) -> Any:
        """The permutation of columns, an array of the host."""
        return self._made.perm_c

    def solve(self, rhs: Any, trans: str = "N") -> Array:
        """x with A x = rhs, or with the transposed ("T") or adjoint ("H") matrix."""
        right = _right_side(self, rhs, "solve")
        return _here(self._made.solve(right, trans), rhs, self._beside)


def splu(A: Any, *arguments: Any, **options: Any) -> SuperLU:
    """The factorisation of a square matrix, whose solve() is called for each b; SciPy's, on the
    host."""
    return SuperLU(_scipy().splu(_square(A, "splu"), *arguments, **options), A)


def spilu(A: Any, *arguments: Any, **options: Any) -> SuperLU:
    """An incomplete factorisation; M=LinearOperator(A.shape, spilu(A).solve) is a preconditioner.
    SciPy's, on the host."""
    return SuperLU(_scipy().spilu(_square(A, "spilu"), *arguments, **options), A)


def factorized(A: Any) -> Any:
    """A function of b that solves A x = b; splu(A).solve."""
    return splu(A).solve
