# SPDX-License-Identifier: MIT
"""Dynamic modes of snapshots, and singular values by random samples: what linalg and rlinalg share.

A matrix of snapshots has one in each column. If A takes each to the next, its eigenvalues on the
space of the first k singular vectors are those of the k x k matrix U^H A U, and modes are their
vectors (Schmid; Tu and others, "On dynamic mode decomposition", 2014).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import treadle.numpy as tnp
from treadle._core import InvalidArgument, ShapeError
from treadle.random import default_rng

from .misc import ordered


def adjoint(x: Any) -> Any:
    """Conjugates of a matrix, rows as columns."""
    return tnp.conj(tnp.transpose(x))


def require_rank(a_gpu: Any, k: Any, most: int) -> int:
    """k, how many singular values count."""
    if k is None or not 1 <= k <= most:
        raise InvalidArgument(f"k={k} of an array of shape {a_gpu.shape}: it is from 1 to {most}")
    return int(k)


def rank_of_snapshots(a_gpu: Any, k: int | None) -> int:
    """The same of snapshots but the last one; None: all."""
    most = min(a_gpu.shape[0], a_gpu.shape[1] - 1)
    return require_rank(a_gpu, most if k is None else k, most)


def truncated_svd(x: Any, k: int) -> tuple[Any, Any, Any]:
    """The first k singular values and vectors."""
    u, s, vh = tnp.linalg.svd(x, full_matrices=False)
    return u[:, :k], s[:k], vh[:k]


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What a call asks for: modes "exact" or "standard", and what follows them."""

    modes: str
    amplitudes: bool
    vandermonde: bool

    def __post_init__(self) -> None:
        if self.modes not in ("exact", "standard"):
            raise InvalidArgument(f"modes={self.modes!r}: they are 'exact' or 'standard'")


def dynamic_modes(
    a_gpu: Any, parts: Callable[[Any], tuple[Any, Any, Any]], wanted: Wanted, sample: Any = None
) -> tuple[Any, ...]:
    """(modes[, amplitudes][, powers of eigenvalues], eigenvalues) of snapshots a_gpu; a is about
    modes @ diag(amplitudes) @ powers. `parts` gives singular vectors and values of a matrix;
    `sample`, a matrix, takes snapshots to shorter ones, of which they are found."""
    a = tnp.asarray(a_gpu)
    short = a if sample is None else tnp.matmul(sample, a)
    u, s, vh = parts(short[:, :-1])
    weights = adjoint(vh) / s
    reduced = tnp.matmul(tnp.matmul(adjoint(u), short[:, 1:]), weights)
    values, vectors = tnp.linalg.eig(reduced)
    dtype = np.result_type(a.dtype, np.complex64)
    values, vectors = (tnp.astype(x, dtype) for x in (values, vectors))
    basis = tnp.matmul(a[:, 1:], weights) if wanted.modes == "exact" else u
    modes = tnp.matmul(tnp.astype(basis, dtype), vectors)
    made = [ordered(a_gpu, modes, "F")]
    if wanted.amplitudes:
        made.append(a_gpu._wrap(tnp.linalg.lstsq(modes, tnp.astype(a[:, 0], dtype))[0]))
    if wanted.vandermonde:
        powers = tnp.vander(values, a.shape[1], increasing=True)
        made.append(ordered(a_gpu, tnp.astype(powers, dtype), "F"))
    return (*made, a_gpu._wrap(values))


def sampled(a: Any, count: int, rng: Any) -> Any:
    """Uniform numbers between -1 and 1, (columns of a, count), of a's dtype."""
    shape, real = (a.shape[1], count), np.empty(0, a.dtype).real.dtype
    made = rng.uniform(-1, 1, shape, real)
    if a.dtype.kind == "c":
        made = tnp.astype(made, a.dtype) + a.dtype.type(1j) * rng.uniform(-1, 1, shape, real)
    return made


def random_svd(a: Any, k: int, extra: tuple[int, int], method: str) -> tuple[Any, Any, Any]:
    """The first k singular values and vectors, of what k + p random combinations of columns span,
    after q turns of a @ a^H, (p, q) = extra (Halko, Martinsson, Tropp, 2011)."""
    if method not in ("standard", "fast"):
        raise InvalidArgument(f"method={method!r}: it is 'standard' or 'fast'")
    p, q = extra
    if p < 0 or q < 0:
        raise InvalidArgument(f"p={p}, q={q}: they are 0 or more")
    rng = default_rng(device=a.device)
    span = tnp.linalg.qr(tnp.matmul(a, sampled(a, min(k + p, a.shape[1]), rng)))[0]
    for _ in range(q):
        other = tnp.linalg.qr(tnp.matmul(adjoint(a), span))[0]
        span = tnp.linalg.qr(tnp.matmul(a, other))[0]
    small = tnp.matmul(adjoint(span), a)
    if method == "standard":
        u, s, vh = truncated_svd(small, k)
    else:
        squares, vectors = tnp.linalg.eigh(tnp.matmul(small, adjoint(small)))
        u = vectors[:, ::-1][:, :k]
        s = tnp.sqrt(tnp.maximum(squares[::-1][:k], 0))
        vh = tnp.matmul(adjoint(u), small) / tnp.reshape(s, (-1, 1))
    return tnp.matmul(span, u), s, vh


def require_tall(a_gpu: Any) -> None:
    """A matrix that is not wide."""
    if a_gpu.ndim != 2 or a_gpu.shape[0] < a_gpu.shape[1]:
        raise ShapeError(f"a_gpu of shape {a_gpu.shape}: a matrix with m >= n")
