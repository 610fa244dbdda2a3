# SPDX-License-Identifier: MIT
"""skcuda.integrate: integrals by the trapezoidal rule and Simpson's, as numbers of the host."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle.numpy as tnp
from treadle._core import DTypeError, InvalidArgument, ShapeError
from treadle.pycuda import gpuarray

from .misc import init, shutdown

__all__ = [
    "gen_simps_mult",
    "gen_trapz2d_mult",
    "gen_trapz_mult",
    "init",
    "shutdown",
    "simps",
    "trapz",
    "trapz2d",
]


def _require_inexact(dtype: Any) -> np.dtype:
    if np.dtype(dtype) not in map(np.dtype, ("f4", "f8", "c8", "c16")):
        raise DTypeError(f"dtype={np.dtype(dtype)}: float32, float64, complex64 or complex128")
    return np.dtype(dtype)


def _trapezoid(n: int) -> np.ndarray:
    weights = np.ones(n)
    weights[[0, -1]] = 0.5
    return weights


def _simpson(n: int, even: str) -> np.ndarray:
    if n % 2:
        weights = np.full(n, 2 / 3)
        weights[1::2] = 4 / 3
        weights[[0, -1]] = 1 / 3
        return weights
    if even == "avg":
        return (_simpson(n, "first") + _simpson(n, "last")) / 2
    if even not in ("first", "last"):
        raise InvalidArgument(f"even={even!r}: it is 'first', 'last' or 'avg'")
    weights = np.zeros(n)
    weights[:-1] = _simpson(n - 1, even)  # and one trapezoid behind them
    weights[-2:] += 0.5
    return weights if even == "first" else weights[::-1].copy()


def gen_trapz_mult(N: int, dtype: Any) -> Any:
    """The weights of the trapezoidal rule for N elements at distance 1."""
    return gpuarray.to_gpu(_trapezoid(N).astype(_require_inexact(dtype)))


def gen_simps_mult(N: int, dtype: Any, even: str = "avg") -> Any:
    """Those of Simpson's rule. Of an even number of elements the last interval ("first"), the first
    one ("last"), or each once ("avg") is a trapezoid."""
    return gpuarray.to_gpu(_simpson(N, even).astype(_require_inexact(dtype)))


def gen_trapz2d_mult(mat_shape: tuple[int, int], dtype: Any) -> Any:
    """Those of the trapezoidal rule for a matrix."""
    weights = np.outer(_trapezoid(mat_shape[0]), _trapezoid(mat_shape[1]))
    return gpuarray.to_gpu(weights.astype(_require_inexact(dtype)))


def _integral(x_gpu: Any, ndim: int, weights: Any, factor: Any) -> Any:
    if x_gpu.ndim != ndim:
        raise ShapeError(f"x_gpu of shape {x_gpu.shape}: it has {ndim} axes")
    if np.iscomplexobj(factor):
        raise InvalidArgument(f"a step of {factor}: steps are real")
    total = tnp.sum(tnp.asarray(x_gpu) * weights)
    return x_gpu.dtype.type(total.get()) * x_gpu.dtype.type(factor)


def trapz(x_gpu: Any, dx: float = 1.0, handle: Any = None) -> Any:
    """The integral over elements at distance dx by the trapezoidal rule; waits for it."""
    _require_inexact(x_gpu.dtype)
    return _integral(x_gpu, 1, gen_trapz_mult(x_gpu.size, x_gpu.dtype), dx)


def simps(x_gpu: Any, dx: float = 1.0, even: str = "avg", handle: Any = None) -> Any:
    """The same by Simpson's rule."""
    _require_inexact(x_gpu.dtype)
    return _integral(x_gpu, 1, gen_simps_mult(x_gpu.size, x_gpu.dtype, even), dx)


def trapz2d(x_gpu: Any, dx: float = 1.0, dy: float = 1.0, handle: Any = None) -> Any:
    """The integral over a matrix by the trapezoidal rule."""
    _require_inexact(x_gpu.dtype)
    if x_gpu.ndim != 2:
        raise ShapeError(f"x_gpu of shape {x_gpu.shape}: it has 2 axes")
    return _integral(x_gpu, 2, gen_trapz2d_mult(x_gpu.shape, x_gpu.dtype), dx * dy)
