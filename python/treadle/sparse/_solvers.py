# SPDX-License-Identifier: MIT
"""Solvers with SciPy's signatures, as treadle.sparse.linalg has them."""

from __future__ import annotations

import operator as _operator
import warnings as _warnings
from typing import Any

import treadle._core.sparse as _core
from treadle._core import InvalidArgument as _InvalidArgument
from treadle._core import NotSupported as _NotSupported
from treadle._core.array import Array
from treadle._core.device import Device as _Device
from treadle.numpy import asarray as _array
from treadle.sparse._operators import core_operator as _core_operator


class SolverWarning(UserWarning):
    """A solver ended without a solution, and not because of its number of iterations."""


class SolverInfo(int):
    """SciPy's info, and more: 0 is a solution, above 0 iterations that were not enough."""

    reason: str
    """Why the solver ended: "converged", "iterations", "stagnation", ..."""
    iterations: int
    """Done; of several right-hand sides the most."""
    residual: float
    """The norm of b - A x; of several right-hand sides the largest."""
    columns: tuple[SolverInfo, ...]
    """The same of each right-hand side."""


_WITHOUT_WARNING = (
    _core.SolverEnd.converged,
    _core.SolverEnd.iterations,
    _core.SolverEnd.least_squares,
)
_CODES = {
    _core.SolverEnd.converged: 0,
    _core.SolverEnd.least_squares: 0,
    _core.SolverEnd.breakdown: -10,
    _core.SolverEnd.not_definite: -1,
    _core.SolverEnd.not_a_number: -1,
}


def _info(found: Any, counted: int) -> SolverInfo:
    # Where iterations were not enough, SciPy tells their number, which is not 0.
    made = SolverInfo(_CODES.get(found.end, max(counted, 1)))
    made.reason = found.end.name
    made.iterations, made.residual = found.iterations, found.residual
    made.columns = (made,)
    return made


def _answer(name: str, found: Any, counted: int | None = None) -> Any:
    info = _info(found, found.iterations if counted is None else counted)
    if len(found.columns) > 1:
        info.columns = tuple(_info(one, one.iterations) for one in found.columns)
    if found.end not in _WITHOUT_WARNING:
        text = f"{name}(): {_core.text_of(found.end)}"
        _warnings.warn(text, SolverWarning, stacklevel=3)
    return found.x, info


def _vector(x: Any) -> Array:
    """A vector of an array with one column."""
    x = _array(x)
    return x.ravel() if x.ndim == 2 and x.shape[1] == 1 else x


def _right_side(A: Any, b: Any) -> Array:
    """b as an array, on the device of A where it comes from the host."""
    device = getattr(A, "device", None)
    if isinstance(b, Array) or not isinstance(device, _Device):
        return _vector(b)
    with device:
        return _vector(b)


def _tolerance(name: str, given: Any) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        raise _InvalidArgument(f"{name}={given!r}; pass a number") from None


# over 6 parameters because they are SciPy's
def _system(
    A: Any, b: Any, x0: Any, M: Any, rtol: float, atol: float, maxiter: Any, check_every: int
) -> tuple[Any, Array, Any]:
    """The operator, b, and options with what all solvers take."""
    right = _right_side(A, b)
    options = _core.SolverOptions()
    if M is not None:
        options.preconditioner = _core_operator(M, "M", right)
    if isinstance(x0, str) and x0 == "Mb":  # SciPy's word
        options.start = right if M is None else options.preconditioner.apply(right)
    elif x0 is not None:
        start = _array(x0)
        options.start = start.reshape(right.shape) if start.size == right.size else start
    function = _core_operator(A, "A", right)
    options.relative_tolerance = _tolerance("rtol", rtol)
    options.absolute_tolerance = _tolerance("atol", atol)
    options.most_iterations = 0 if maxiter is None else _operator.index(maxiter)
    if maxiter is not None and options.most_iterations < 1:
        raise _InvalidArgument(f"maxiter={maxiter}; pass 1 or more, or None")
    options.check_every = _operator.index(check_every)
    return function, right, options


# over 6 parameters because they are SciPy's
def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    check_every: int = 1,
    inner_dtype: Any = None,
) -> tuple[Array, SolverInfo]:
    """(x, info) with A x = b, for a symmetric or Hermitian positive definite A.

    A and M, about the inverse of A, are matrices of any kind, LinearOperators, or functions of an
    array on the device. b is a vector, or has a right-hand side in each column. Ends where
    norm(b - A x) <= max(rtol * norm(b), atol), which is computed again at the end. info is 0, the
    number of iterations if they were too few, or below 0 where the matrix is not positive definite
    or NaN came up, with a SolverWarning; info.reason says which. callback(x) is called after each
    iteration. The host looks every check_every iterations, and waits; all numbers stay on the
    device. inner_dtype="float32" iterates so; the residual is that of b's dtype. Equal calls give
    equal bits. Preconditioned conjugate gradients: Hestenes and Stiefel 1952.
    """
    function, right, options = _system(A, b, x0, M, rtol, atol, maxiter, check_every)
    options.callback = callback
    options.inner_dtype = inner_dtype
    return _answer("cg", _core.conjugate_gradients(function, right, options))


# over 6 parameters because they are SciPy's
def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    check_every: int = 1,
) -> tuple[Array, SolverInfo]:
    """(x, info) with A x = b for a square A, by stabilised biconjugate gradients (van der Vorst
    1992). Arguments and results are cg()'s; info is -10 where a number to be divided by vanished.
    """
    function, right, options = _system(A, b, x0, M, rtol, atol, maxiter, check_every)
    options.callback = callback
    return _answer("bicgstab", _core.bicgstab(function, right, options))


# over 6 parameters because they are SciPy's
def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    callback_type: str | None = None,
    check_every: int = 1,
) -> tuple[Array, SolverInfo]:
    """(x, info) with A x = b for a square A, by generalised minimal residuals (Saad and Schultz
    1986) with M on the left. Begins again after `restart` (20) vectors; maxiter counts these
    cycles. callback is called with the relative residual of each step that the host looks at
    ("pr_norm"), or with x after each cycle ("x").
    """
    if callback_type not in (None, "x", "pr_norm", "legacy"):
        raise _InvalidArgument(f"callback_type={callback_type!r}; pass 'x' or 'pr_norm'")
    function, right, options = _system(A, b, x0, M, rtol, atol, maxiter, check_every)
    if restart is not None:
        options.restart = _operator.index(restart)
    if callback_type == "x":
        options.callback = callback
    else:
        options.on_norm = callback
    found = _core.gmres(function, right, options)
    return _answer("gmres", found, options.most_iterations or 10 * right.size)


# over 6 parameters because they are SciPy's
def minres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    show: bool = False,
    check: bool = False,
    check_every: int = 1,
) -> tuple[Array, SolverInfo]:
    """(x, info) with (A - shift) x = b, or the least residual, for a symmetric or Hermitian A, by
    minimal residuals (Paige and Saunders 1975). M is positive definite. Ends where the residual's
    norm is at most rtol times estimates of the norms of A and x.
    """
    if show or check:
        raise _NotSupported("minres(show=True) and check=True; leave them away")
    function, right, options = _system(A, b, x0, M, rtol, 0, maxiter, check_every)
    options.callback, options.shift = callback, float(shift)
    return _answer("minres", _core.minres(function, right, options))


# over 6 parameters because they are SciPy's
def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
    *,
    check_every: int = 1,
) -> tuple[Any, ...]:
    """(x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var): the x for which the norm
    of b - A x is least, A of any size (Paige and Saunders 1982). istop is 1 for a solution, 2 for
    least squares, 7 after iter_lim iterations, and 8 where NaN came up, with a SolverWarning.
    """
    if show:
        raise _NotSupported("lsqr(show=True); leave it away")
    right = _right_side(A, b)
    options = _core.LsqrOptions()
    options.damping, options.most_condition = float(damp), float(conlim)
    options.matrix_tolerance = 1e-6 if atol is None else float(atol)
    options.right_tolerance = 1e-6 if btol is None else float(btol)
    options.most_iterations = 0 if iter_lim is None else _operator.index(iter_lim)
    options.has_variances = bool(calc_var)
    options.check_every = _operator.index(check_every)
    if x0 is not None:
        options.start = _vector(x0)
    found = _core.lsqr(_core_operator(A, "A", right), right, options)
    if found.end == 8:
        _warnings.warn("lsqr(): NaN or an infinity came up", SolverWarning, stacklevel=2)
    norms = (found.residual, found.damped_residual, found.matrix_norm, found.condition)
    return (
        *(found.x, found.end, found.iterations, *norms, found.gradient_norm, found.norm),
        found.variances,
    )
