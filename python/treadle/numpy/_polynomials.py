# SPDX-License-Identifier: MIT
"""Polynomials, given by coefficients, those of the highest power first."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as _numpy

from treadle._core import DTypeError, InvalidArgument, ShapeError
from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array

from ._creation import arange, asarray, asarrays, zeros
from ._joining import concatenate
from .linalg import eigvals, inv, lstsq

# More are a mistake: each is a division of all coefficients, and NumPy's recursion ends here too.
_MOST_INTEGRATIONS = 1000

__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "roots",
]


def _coefficients(*polynomials: Any) -> list[Array]:
    """Coefficients, those of the highest power first, as arrays with one axis."""
    found = [p.reshape(1) if p.ndim == 0 else p for p in asarrays(polynomials)]
    for p in found:
        if p.ndim != 1:
            raise ShapeError(f"the coefficients of a polynomial have one axis, not shape {p.shape}")
    return found


def _of_one_degree(a1: Any, a2: Any) -> list[Array]:
    first, second = _coefficients(a1, a2)
    longest = max(first.size, second.size)
    return [_array.pad(p, [(longest - p.size, 0)], 0) if p.size < longest else p
            for p in (first, second)]  # fmt: skip


def polyadd(a1: Any, a2: Any) -> Array:
    """The sum of two polynomials, given by coefficients, those of the highest power first."""
    first, second = _of_one_degree(a1, a2)
    return first + second


def polysub(a1: Any, a2: Any) -> Array:
    """Their difference."""
    first, second = _of_one_degree(a1, a2)
    return first - second


def polymul(a1: Any, a2: Any) -> Array:
    """Their product. Leading zeros stay: NumPy leaves them out, which takes a look at them."""
    first, second = (p if p.size else zeros(1, p.dtype, device=p.device)
                     for p in _coefficients(a1, a2))  # fmt: skip
    return _array.convolve(first, second, "full")


def polyder(p: Any, m: int = 1) -> Array:
    """The m-th derivative."""
    (p,), m = _coefficients(p), int(m)
    if m < 0:
        raise InvalidArgument(f"polyder: m={m}; it is 0 or more")
    for _ in range(min(m, p.size)):
        p = p[:-1] * arange(p.size - 1, 0, -1, device=p.device)
    return p


def polyint(p: Any, m: int = 1, k: Any = None) -> Array:
    """The m-th antiderivative, m at most 1000; k: the constant of each, 0 by default."""
    (p,), m = _coefficients(p), int(m)
    if m > _MOST_INTEGRATIONS:
        raise InvalidArgument(f"polyint: m={m}; it is at most {_MOST_INTEGRATIONS}")
    constants = [0.0] * m if k is None else list(_numpy.atleast_1d(_numpy.asarray(k)))
    if len(constants) == 1:
        constants = constants * m
    if m < 0 or len(constants) < m:
        raise InvalidArgument(f"polyint: {len(constants)} constants for m={m}; there is one each")
    for constant in constants[:m]:
        parts = asarrays((p / arange(p.size, 0, -1, device=p.device), [constant]))
        p = concatenate(parts)
    return p


def polydiv(u: Any, v: Any) -> tuple[Array, Array]:
    """The quotient and the remainder, without its leading zeros, for which it looks, and waits."""
    u, v = (p + 0.0 for p in _coefficients(u, v))
    dtype = _rules.result_type(u.dtype, v.dtype)
    steps = max(u.size - v.size + 1, 1)
    quotient, rest = zeros(steps, dtype, device=u.device), u.astype(dtype)
    for k in range(u.size - v.size + 1):
        factor = rest[k : k + 1] / v[:1]
        quotient[k : k + 1] = factor
        rest[k : k + v.size] -= factor * v
    is_there = _numpy.abs(rest.get()) > 1e-14
    first = int(is_there.argmax()) if is_there.any() else rest.size - 1
    return quotient, rest[max(first, 0) :]


def roots(p: Any) -> Array:
    """The numbers where it is 0, as eigenvalues of the companion matrix. Waits."""
    (p,) = _coefficients(p)
    others = _numpy.flatnonzero(p.get())
    if not others.size:
        return zeros(0, device=p.device)
    zeros_at_0 = p.size - 1 - int(others[-1])
    p = p[int(others[0]) : int(others[-1]) + 1] + 0.0
    found = zeros(0, device=p.device)
    if p.size > 1:
        companion = _array.diag(asarray(_numpy.ones(p.size - 2, p.dtype), device=p.device), -1)
        companion[0, :] = -p[1:] / p[0, ...]
        found = eigvals(companion)
        if p.dtype.kind == "f" and found.dtype.kind == "c" and not bool(found.imag.any()):
            found = found.real.copy()
    return concatenate([found, zeros(zeros_at_0, found.dtype, device=p.device)])


def poly(seq_of_zeros: Any) -> Array:
    """The polynomial whose highest coefficient is 1, and which is 0 at these numbers, or at the
    eigenvalues of a matrix. Of complex ones it looks whether they are pairs, and waits."""
    at = asarray(seq_of_zeros)
    if at.ndim == 2 and at.shape[0] == at.shape[1] and at.size:
        at = eigvals(at)
    elif at.ndim != 1:
        raise ShapeError(f"poly: shape {at.shape}; it takes one axis, or a square matrix")
    if at.size == 0:
        return asarray(1.0, device=at.device)
    at = at + 0.0 if at.dtype.kind in "fc" else at.astype("f8")
    made = asarray(_numpy.ones(1, at.dtype), device=at.device)
    for k in range(at.size):
        factor = concatenate([made[:1] * 0 + 1, -at[k : k + 1]])
        made = _array.convolve(made, factor, "full")
    if at.dtype.kind == "c":
        host = at.get()
        if _numpy.array_equal(_numpy.sort(host), _numpy.sort(host.conj())):
            made = made.real.copy()
    return made


# over 6 parameters because they are NumPy's
def polyfit(
    x: Any,
    y: Any,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: Any = False,
) -> Any:
    """The polynomial of degree deg that is nearest to y at x: least squares of the distances, which
    count by weights w. full: residuals, rank, singular values and rcond behind it; cov: the
    covariances of the coefficients, or "unscaled". Waits."""
    x, y = asarrays((x, y))
    x, y, count = x + 0.0, y + 0.0, int(deg) + 1
    if count < 1:
        raise InvalidArgument(f"polyfit: deg={deg}; it is 0 or more")
    if x.ndim != 1 or x.size == 0 or y.ndim not in (1, 2) or y.shape[0] != x.size:
        raise DTypeError(
            f"polyfit: y of shape {y.shape} at x of shape {x.shape}; x has one axis and elements, "
            "y as many rows"
        )
    rcond = x.size * float(_numpy.finfo(x.dtype).eps) if rcond is None else rcond
    powers, values = _array.vander(x, count, False), y
    if w is not None:
        weights = asarrays((x, w))[1] + 0.0
        if weights.ndim != 1 or weights.size != x.size:
            raise DTypeError(f"polyfit: w of shape {weights.shape} for {x.size} places")
        powers = powers * weights.reshape(-1, 1)
        values = y * (weights.reshape(-1, 1) if y.ndim == 2 else weights)
    scale = _array.reduce("sum", powers * powers, axis=0) ** 0.5
    scaled = powers / scale
    found, residuals, rank, values_of = lstsq(scaled, values, rcond)
    found = (found.T / scale).T
    if full:
        return found, residuals, rank, values_of, rcond
    if int(rank) != count:
        warnings.warn(
            "polyfit: the places do not tell all coefficients",
            _numpy.exceptions.RankWarning,
            stacklevel=2,
        )
    if not cov:
        return found
    base = inv(scaled.T @ scaled) / _array.outer(scale, scale)
    if isinstance(cov, str) and cov == "unscaled":
        factor: Any = 1
    else:
        if x.size <= count:
            raise InvalidArgument(f"polyfit: cov=True of {x.size} places for {count} coefficients")
        factor = residuals / (x.size - count)
    return found, base * factor if y.ndim == 1 else base[:, :, None] * factor
