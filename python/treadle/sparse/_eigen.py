# SPDX-License-Identifier: MIT
"""Eigenvalues with SciPy's signature, as treadle.sparse.linalg has them."""

from __future__ import annotations

import operator as _operator
from typing import Any

import numpy as _numpy

import treadle._core.sparse as _core
import treadle.numpy as _tnp
from treadle._core import InvalidArgument as _InvalidArgument
from treadle._core import NotSupported as _NotSupported
from treadle._core.array import Array
from treadle.numpy import asarray as _array
from treadle.sparse._operators import LinearOperator, aslinearoperator

_CHOICES = {
    "LM": _core.EigenChoice.largest_magnitude,
    "SM": _core.EigenChoice.smallest_magnitude,
    "LA": _core.EigenChoice.largest,
    "SA": _core.EigenChoice.smallest,
    "BE": _core.EigenChoice.both_ends,
}


class ArpackNoConvergence(RuntimeError):  # noqa: N818 - SciPy's name
    """Fewer eigenvalues than wanted converged; those that did are `eigenvalues`."""

    def __init__(self, text: str, eigenvalues: Array, eigenvectors: Array) -> None:
        super().__init__(text)
        self.eigenvalues, self.eigenvectors = eigenvalues, eigenvectors


def _dtype_of(operator: LinearOperator, v0: Any) -> Any:
    kind = operator.dtype
    if kind is None:
        kind = _numpy.float64 if v0 is None else _array(v0).dtype
    return _numpy.result_type(kind, _numpy.float32)


# over 6 parameters because they are SciPy's
def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: float | None = None,
    which: str = "LM",
    v0: Any = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Any = None,
    OPinv: Any = None,
    mode: str = "normal",
    rng: Any = None,
) -> Any:
    """(w, v): k eigenvalues of a symmetric or Hermitian A, rising, and vectors in columns.

    which says which: "LM" and "SM" of the largest and smallest magnitude, "LA" and "SA" the largest
    and smallest, "BE" half from each end. With sigma those nearest to it ("LM"): OPinv is the
    inverse of A - sigma, without which minres() solves with it. ncv vectors are kept, maxiter
    restarts are made at most; tol=0 is the dtype's precision; rng draws v0, which is else the same
    each time. Lanczos' method with thick restarts
    (Wu and Simon 2000). Raises ArpackNoConvergence.
    """
    if M is not None or Minv is not None or mode != "normal":
        raise _NotSupported(
            "eigsh() of two matrices, and modes but 'normal'; leave M= and mode= away"
        )
    if which not in _CHOICES:
        raise _InvalidArgument(f"which={which!r}; pass one of {', '.join(_CHOICES)}")
    operator = aslinearoperator(A)
    rows, columns = operator.shape
    if rows != columns:
        raise _InvalidArgument(f"expected square matrix (shape=({rows}, {columns}))")
    options = _core.EigshOptions()
    options.choice, options.tolerance = _CHOICES[which], float(tol)
    options.basis = 0 if ncv is None else _operator.index(ncv)
    options.most_restarts = 0 if maxiter is None else _operator.index(maxiter)
    if v0 is None and rng is not None:
        v0 = _numpy.random.default_rng(rng).standard_normal(rows)
    if v0 is not None:
        options.start = _array(v0).ravel()
    kind = _dtype_of(operator, v0)
    applied = operator._operator
    if sigma is not None:
        options.shift = float(sigma)
        if OPinv is None:
            applied = _core.shifted_inverse(applied, options.shift, 4 * _numpy.finfo(kind).eps)
        else:
            applied = aslinearoperator(OPinv)._operator
    count = _operator.index(k)
    found = _core.eigsh(applied, rows, count, kind, options)
    values = _tnp.array(_numpy.array(found.values, _numpy.zeros(0, kind).real.dtype))
    if not found.has_all:
        text = f"eigsh(): {len(found.values)} of {count} eigenvalues converged"
        text += f" in {found.restarts} restarts"
        raise ArpackNoConvergence(text, values, found.vectors)
    return (values, found.vectors) if return_eigenvectors else values
