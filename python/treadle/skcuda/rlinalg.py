# SPDX-License-Identifier: MIT
"""skcuda.rlinalg: singular values and dynamic modes by random samples. No two calls draw the same.

scikit-cuda asked CULA for these; here they are treadle.numpy's products and decompositions. Arrays
may lie in C's or Fortran's order.
"""

from __future__ import annotations

from typing import Any

import treadle.numpy as tnp
from treadle._core import InvalidArgument, NotSupported
from treadle.pycuda import curandom
from treadle.random import default_rng

from . import _modes
from .linalg import LinAlgError, _failing, _require_dtype, _require_matrix, hermitian, transpose
from .misc import _has_cula as _has_cula
from .misc import add_matvec, div_matvec, init, mult_matvec, ordered

__all__ = [
    "LinAlgError",
    "add_matvec",
    "cdmd",
    "div_matvec",
    "hermitian",
    "init",
    "mult_matvec",
    "rdmd",
    "rsvd",
    "transpose",
]


def __getattr__(name: str) -> Any:
    if name == "rand":  # in the current context, whichever that is
        return curandom.XORWOWRandomNumberGenerator()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# over 6 parameters because they are scikit-cuda's
def rsvd(
    a_gpu: Any,
    k: int | None = None,
    p: int = 0,
    q: int = 0,
    method: str = "standard",
    handle: Any = None,
) -> tuple[Any, Any, Any]:
    """The first k singular values s and vectors of a matrix that is not wide: (u, s, vt). p more
    samples than k and q turns of a @ a^H make them more exact. "fast" takes eigenvalues of a small
    matrix in place of its singular values: half of the digits."""
    _require_dtype(a_gpu)
    _modes.require_tall(a_gpu)
    count = _modes.require_rank(a_gpu, k, a_gpu.shape[1])
    u, s, vt = _failing(_modes.random_svd, tnp.asarray(a_gpu), count, (p, q), method)
    return ordered(a_gpu, u, "F"), a_gpu._wrap(s), ordered(a_gpu, vt, "F")


# over 6 parameters because they are scikit-cuda's
def rdmd(
    a_gpu: Any,
    k: int | None = None,
    p: int = 5,
    q: int = 1,
    modes: str = "exact",
    method_rsvd: str = "standard",
    return_amplitudes: bool = False,
    return_vandermonde: bool = False,
    handle: Any = None,
) -> tuple[Any, ...]:
    """linalg.dmd() by rsvd(); k None: of all."""
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu)
    count = _modes.rank_of_snapshots(a_gpu, k)
    return _failing(
        _modes.dynamic_modes,
        a_gpu,
        lambda x: _modes.random_svd(x, count, (p, q), method_rsvd),
        _modes.Wanted(modes, return_amplitudes, return_vandermonde),
    )


# over 6 parameters because they are scikit-cuda's
def cdmd(
    a_gpu: Any,
    k: int | None = None,
    c: int | None = None,
    modes: str = "exact",
    return_amplitudes: bool = False,
    return_vandermonde: bool = False,
    handle: Any = None,
) -> tuple[Any, ...]:
    """linalg.dmd() of c random combinations of rows; ten more than k without c. Modes are exact."""
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu)
    if modes == "standard":
        raise NotSupported("cdmd: modes='standard' are of all rows\n  try: modes='exact'")
    rows, count = a_gpu.shape[0], _modes.rank_of_snapshots(a_gpu, k)
    samples = min(rows, count + 10) if c is None else int(c)
    if not count <= samples <= rows:
        raise InvalidArgument(f"c={c}: it is from {count} to {rows}")
    a = tnp.asarray(a_gpu)
    sample = _modes.sampled(tnp.transpose(a), samples, default_rng(device=a.device))
    return _failing(
        _modes.dynamic_modes,
        a_gpu,
        lambda x: _modes.truncated_svd(x, count),
        _modes.Wanted(modes, return_amplitudes, return_vandermonde),
        tnp.transpose(sample),
    )
