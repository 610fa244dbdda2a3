# SPDX-License-Identifier: MIT
"""Sampled signals: windows, convolutions, slopes and steps; products of vectors; covariances."""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from treadle._core import DTypeError, InvalidArgument, ShapeError
from treadle._core import array as _array
from treadle._core.array import Array
from treadle._core.device import Device
from treadle._core.rules import result_type

from ._creation import asarray, asarrays, zeros
from ._joining import concatenate
from ._manipulation import as_list, checked_axes

__all__ = [
    "bartlett",
    "blackman",
    "convolve",
    "corrcoef",
    "correlate",
    "cov",
    "cross",
    "ediff1d",
    "gradient",
    "hamming",
    "hanning",
    "i0",
    "kaiser",
    "kron",
    "unwrap",
    "vander",
]


def bartlett(M: int, *, device: Device | str | None = None) -> Array:
    """A window that is a triangle of M numbers, 0 at both ends."""
    return _array.bartlett(_count(M), device)


def blackman(M: int, *, device: Device | str | None = None) -> Array:
    """A window of two cosines, nearly 0 at its ends."""
    return _array.blackman(_count(M), device)


def hamming(M: int, *, device: Device | str | None = None) -> Array:
    """A window of one cosine, 0.08 at its ends."""
    return _array.hamming(_count(M), device)


def hanning(M: int, *, device: Device | str | None = None) -> Array:
    """A window of one cosine, 0 at its ends."""
    return _array.hanning(_count(M), device)


def kaiser(M: int, beta: float, *, device: Device | str | None = None) -> Array:
    """A window of i0() of a half circle that is beta high, over i0(beta)."""
    return _array.kaiser(_count(M), float(beta), device)


def i0(x: Any) -> Array:
    """The modified Bessel function of order 0."""
    return _array.i0(asarray(x))


def _count(M: Any) -> int:
    """As NumPy, which takes floating numbers, too."""
    return int(_numpy.ceil(M)) if isinstance(M, float) else int(M)


def _signals(x: Any, y: Any) -> list[Array]:
    """Numbers are signals of one sample."""
    return [signal.reshape(1) if signal.ndim == 0 else signal for signal in asarrays((x, y))]


def convolve(a: Any, v: Any, mode: str = "full") -> Array:
    """The sums of a[k - j] * v[j] over j: at all places where they meet ("full"), in the middle
    ("same"), or where the shorter one lies within the other ("valid")."""
    a, v = _signals(a, v)
    return _array.convolve(a, v, mode)


def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    """The sums of a[k + j] * conj(v[j]) over j; modes as those of convolve()."""
    a, v = asarrays((a, v))
    return _array.correlate(a, v, mode)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Slopes along an axis, or a tuple of those along several (all by default): of the neighbours'
    difference, at the ends by one neighbour (edge_order=1) or two. varargs: a distance for all
    axes, or for each a distance or the places of its samples."""
    f = asarray(f)
    axes = checked_axes(None if axis is None else as_list(axis), f.ndim, "gradient")
    spacings = list(varargs)
    if len(spacings) <= 1 and all(_numpy.ndim(s) == 0 for s in spacings):
        spacings = (spacings or [1.0]) * len(axes)
    if len(spacings) != len(axes):
        raise InvalidArgument(
            f"gradient: {len(spacings)} spacings for {len(axes)} axes; it takes one for all, or "
            "one for each"
        )
    slopes = tuple(
        _array.gradient(f, float(s), a, edge_order)
        if _numpy.ndim(s) == 0
        else _array.gradient_at(f, asarrays((f, s))[1], a, edge_order)
        for s, a in zip(spacings, axes, strict=True)
    )
    return slopes[0] if len(slopes) == 1 else slopes


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """Differences of neighbours in C's order, between what is put before and behind them."""
    x = asarray(ary).ravel()
    if x.dtype == bool:
        raise DTypeError("ediff1d of bool, which has no differences; diff() says where it changes")
    parts = [_array.diff(x, 1, -1)]
    for name, end, at in (("to_begin", to_begin, 0), ("to_end", to_end, len(parts))):
        if end is None:
            continue
        other = asarrays((x, end))[1].ravel()
        if not _numpy.can_cast(other.dtype, x.dtype, "same_kind"):
            raise DTypeError(f"ediff1d: {name} is {other.dtype}, which is no {x.dtype}; cast it")
        parts.insert(at if at == 0 else len(parts), other.astype(x.dtype, copy=False))
    return concatenate(parts) if len(parts) > 1 else parts[0]


def unwrap(
    p: Any, discont: float | None = None, axis: int = -1, *, period: float = 2 * _numpy.pi
) -> Array:
    """Angles whose steps along an axis are at most half a period: multiples of the period are added
    behind steps of `discont` or more."""
    return _array.unwrap(asarray(p), discont, axis, float(period))


# over 6 parameters because they are NumPy's
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    """The cross products of vectors of 3 elements, or of 2, which lie in a plane."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = asarrays((a, b))
    return _array.cross(a, b, axisa, axisb, axisc)


def kron(a: Any, b: Any) -> Array:
    """Each element of a times the whole of b, in blocks along each axis."""
    return _array.kron(*asarrays((a, b)))


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Array:
    """Powers of each element in columns, N - 1 down to 0, or up from 0."""
    x = asarray(x)
    return _array.vander(x, x.size if N is None else N, increasing)


# over 6 parameters because they are NumPy's
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Array:
    """The covariances of variables, which are rows (rowvar) or columns; those of y are behind them.
    bias: divided by the number of observations; fweights: how often each was made; aweights: how
    much each counts."""
    return _covariance(
        _array.covariance, m, y, rowvar, _ddof(bias, ddof), fweights, aweights, dtype
    )


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """Covariances of variables divided by their standard deviations."""
    return _covariance(_array.correlation, x, y, rowvar, 1, None, None, dtype)


def _ddof(bias: bool, ddof: int | None) -> int:
    if ddof is not None and ddof != int(ddof):
        raise InvalidArgument(f"cov: ddof={ddof!r} is an integer")
    return (0 if bias else 1) if ddof is None else int(ddof)


# over 6 parameters because those of cov() are NumPy's
def _covariance(
    of: Any, m: Any, y: Any, rowvar: bool, ddof: int, fweights: Any, aweights: Any, dtype: Any
) -> Array:
    m, y = (asarray(m), None) if y is None else asarrays((m, y))
    if dtype is None:
        dtype = result_type(m.dtype, _numpy.float64, *(() if y is None else (y.dtype,)))
    if y is not None:
        m, y = (x.reshape(1, -1) if x.ndim < 2 else x if rowvar else x.T for x in (m, y))
        m, rowvar = concatenate([m, y], 0), True
    counts = None if fweights is None else asarrays((m, fweights))[1]
    weights = None if aweights is None else asarrays((m, aweights))[1]
    if counts is not None and counts.dtype.kind not in "iu":
        raise DTypeError(f"cov: fweights are {counts.dtype}; how often each was made is an integer")
    for name, given in (("fweights", counts), ("aweights", weights)):
        if given is not None and bool((given < 0).any()):
            raise InvalidArgument(f"cov: {name} has elements below 0; they are 0 or more")
    if m.ndim > 2:
        raise ShapeError(f"cov: an array of shape {m.shape}; it has two axes at most")
    if m.ndim == 2 and m.shape[0 if rowvar else 1] == 0:
        return zeros((0, 0), device=m.device)  # of any dtype, as NumPy has it
    return of(m, rowvar, float(ddof), counts, weights, dtype)
