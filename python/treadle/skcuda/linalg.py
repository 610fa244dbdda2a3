# SPDX-License-Identifier: MIT
"""skcuda.linalg: products and matrices of arrays of the PyCUDA face.

Arrays may lie in C's or Fortran's order: results are NumPy's for either, where scikit-cuda asked
for one of them. `handle` is taken and not needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle.numpy as tnp
from treadle._core import DTypeError, InvalidArgument, NotSupported, ShapeError
from treadle._core.array import Array

from . import _modes
from .misc import _has_cula as _has_cula
from .misc import (
    _new,
    add_matvec,
    div_matvec,
    init,
    mult_matvec,
    ordered,
    shutdown,
)

__all__ = [
    "LinAlgError",
    "PCA",
    "add_diag",
    "add_dot",
    "add_matvec",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "conj",
    "det",
    "diag",
    "div_matvec",
    "dmd",
    "dot",
    "dot_diag",
    "eig",
    "eye",
    "hermitian",
    "init",
    "inv",
    "mdot",
    "mult_matvec",
    "multiply",
    "norm",
    "pinv",
    "qr",
    "scale",
    "shutdown",
    "svd",
    "trace",
    "transpose",
    "tril",
    "triu",
    "vander",
]


class LinAlgError(Exception):
    """A matrix that has no such decomposition."""


_DTYPES = tuple(map(np.dtype, ("f4", "f8", "c8", "c16")))


def _require_dtype(*arrays: Any) -> None:
    dtype = arrays[0].dtype
    if dtype not in _DTYPES:
        raise DTypeError(f"an array of {dtype}: float32, float64, complex64 or complex128")
    for other in arrays[1:]:
        if other.dtype != dtype:
            raise DTypeError(f"arrays of {dtype} and {other.dtype}: they have one dtype")


def _require_matrix(name: str, x: Any, is_square: bool = False) -> None:
    if x.ndim != 2 or is_square and x.shape[0] != x.shape[1]:
        raise ShapeError(
            f"{name} of shape {x.shape}: it is a {'square ' if is_square else ''}matrix"
        )


def _turned(name: str, x: Any, letter: str) -> Any:
    if letter.upper() not in ("N", "T", "C"):
        raise InvalidArgument(f"{name}={letter!r}: it is 'N', 'T' or 'C'")
    if letter.upper() == "N" or x.ndim < 2:
        return tnp.asarray(x)
    turned = tnp.transpose(x)
    return tnp.conj(turned) if letter.upper() == "C" else turned


# --- products ------------------------------------------------------------------------------------


# over 6 parameters because they are scikit-cuda's
def dot(
    x_gpu: Any,
    y_gpu: Any,
    transa: str = "N",
    transb: str = "N",
    handle: Any = None,
    out: Any = None,
) -> Any:
    """The product of matrices and vectors as NumPy's dot(); of two vectors a number, for which it
    waits. transa and transb turn matrices first: "T", or "C" with conjugates."""
    _require_dtype(x_gpu, y_gpu)
    if max(x_gpu.ndim, y_gpu.ndim) > 2 or min(x_gpu.ndim, y_gpu.ndim) < 1:
        raise ShapeError(f"dot of shapes {x_gpu.shape} and {y_gpu.shape}: of one or two axes each")
    x, y = _turned("transa", x_gpu, transa), _turned("transb", y_gpu, transb)
    if x.shape[-1] != y.shape[0]:
        raise ShapeError(f"dot of shapes {x.shape} and {y.shape}: the inner lengths are equal")
    made = tnp.matmul(x, y)
    if x.ndim == y.ndim == 1:
        return x_gpu.dtype.type(made.get())
    if out is None:
        return ordered(x_gpu, made)
    if (out.shape, out.dtype) != (made.shape, made.dtype):
        raise ShapeError(f"out of {out.dtype} and shape {out.shape}: {made.dtype}, {made.shape}")
    Array.__setitem__(out, ..., made)
    return out


# over 6 parameters because they are scikit-cuda's
def add_dot(
    a_gpu: Any,
    b_gpu: Any,
    c_gpu: Any,
    transa: str = "N",
    transb: str = "N",
    alpha: Any = 1.0,
    beta: Any = 1.0,
    handle: Any = None,
) -> Any:
    """c_gpu = alpha * a @ b + beta * c_gpu, in place; views of columns and rows are fine."""
    _require_dtype(a_gpu, b_gpu, c_gpu)
    for name, x in (("a_gpu", a_gpu), ("b_gpu", b_gpu), ("c_gpu", c_gpu)):
        _require_matrix(name, x)
    a, b = _turned("transa", a_gpu, transa), _turned("transb", b_gpu, transb)
    if a.shape[1] != b.shape[0] or c_gpu.shape != (a.shape[0], b.shape[1]):
        raise ShapeError(f"shapes {a.shape} @ {b.shape} into {c_gpu.shape}: they do not fit")
    number = c_gpu.dtype.type
    Array.__setitem__(
        c_gpu, ..., number(alpha) * tnp.matmul(a, b) + number(beta) * tnp.asarray(c_gpu)
    )
    return c_gpu


def mdot(*args: Any, handle: Any = None) -> Any:
    """The product of all, from the left."""
    if not args:
        raise InvalidArgument("mdot of nothing: pass an array or more")
    made = args[0]
    for other in args[1:]:
        made = dot(made, other)
    return made


def _diagonal(name: str, d_gpu: Any, length: int) -> Any:
    if d_gpu.size != length or d_gpu.ndim > 2:
        raise ShapeError(f"{name} of shape {d_gpu.shape}: it has {length} elements")
    return tnp.reshape(d_gpu, (length,))


def _written(a_gpu: Any, made: Any, overwrite: bool) -> Any:
    if not overwrite:
        return ordered(a_gpu, made)
    Array.__setitem__(a_gpu, ..., made)
    return a_gpu


def dot_diag(
    d_gpu: Any, a_gpu: Any, trans: str = "N", overwrite: bool = False, handle: Any = None
) -> Any:
    """diag(d) @ a, or, with trans="T", a @ diag(d)."""
    _require_dtype(d_gpu, a_gpu)
    _require_matrix("a_gpu", a_gpu)
    is_right = trans.upper() != "N"
    d = _diagonal("d_gpu", d_gpu, a_gpu.shape[1 if is_right else 0])
    factor = d if is_right else tnp.reshape(d, (-1, 1))
    return _written(a_gpu, tnp.asarray(a_gpu) * factor, overwrite)


def add_diag(d_gpu: Any, a_gpu: Any, overwrite: bool = False, handle: Any = None) -> Any:
    """a + diag(d) of a square matrix."""
    _require_dtype(d_gpu, a_gpu)
    _require_matrix("a_gpu", a_gpu, is_square=True)
    d = _diagonal("d_gpu", d_gpu, a_gpu.shape[0])
    return _written(a_gpu, tnp.asarray(a_gpu) + tnp.diag(d), overwrite)


def multiply(x_gpu: Any, y_gpu: Any, overwrite: bool = False) -> Any:
    """The products of elements of equal shapes; into y_gpu if `overwrite`."""
    if x_gpu.shape != y_gpu.shape:
        raise ShapeError(f"multiply of shapes {x_gpu.shape} and {y_gpu.shape}: they are equal")
    made = tnp.multiply(tnp.asarray(x_gpu), tnp.asarray(y_gpu))
    return _written(y_gpu, made, True) if overwrite else ordered(x_gpu, made)


def scale(alpha: Any, x_gpu: Any, alpha_real: bool = False, handle: Any = None) -> None:
    """x_gpu *= alpha, in place."""
    _require_dtype(x_gpu)
    Array.__setitem__(x_gpu, ..., x_gpu.dtype.type(alpha) * tnp.asarray(x_gpu))


def norm(x_gpu: Any, handle: Any = None) -> Any:
    """The root of the sum of squares of all magnitudes: a number, for which it waits."""
    _require_dtype(x_gpu)
    return tnp.linalg.norm(tnp.ravel(x_gpu)).get()[()]


def conj(x_gpu: Any, overwrite: bool = False) -> Any:
    """The conjugates: of real elements x_gpu itself."""
    if x_gpu.dtype.kind != "c":
        return x_gpu
    return _written(x_gpu, tnp.conj(tnp.asarray(x_gpu)), overwrite)


def transpose(a_gpu: Any, handle: Any = None) -> Any:
    """A new array of a's columns as rows, in C's order."""
    _require_matrix("a_gpu", a_gpu)
    return a_gpu._wrap(tnp.copy(tnp.transpose(a_gpu), order="C"))


def hermitian(a_gpu: Any, handle: Any = None) -> Any:
    """The same of its conjugates."""
    _require_matrix("a_gpu", a_gpu)
    return a_gpu._wrap(tnp.copy(tnp.conj(tnp.transpose(a_gpu)), order="C"))


def trace(x_gpu: Any, handle: Any = None) -> Any:
    """The sum of the main diagonal: a number, for which it waits."""
    _require_dtype(x_gpu)
    _require_matrix("x_gpu", x_gpu)
    return tnp.trace(x_gpu).get()[()]


# --- new matrices --------------------------------------------------------------------------------


def eye(N: int, dtype: Any = np.float32) -> Any:
    """Ones on the main diagonal of an (N, N) matrix of zeros."""
    if N < 1:
        raise InvalidArgument(f"N={N}: it is 1 or more")
    return _new(tnp.eye(N, dtype=np.dtype(dtype)))


def diag(v_gpu: Any) -> Any:
    """A matrix of this diagonal, or the diagonal of a matrix."""
    _require_dtype(v_gpu)
    if v_gpu.ndim not in (1, 2) or v_gpu.size == 0:
        raise ShapeError(f"v_gpu of shape {v_gpu.shape}: a vector or a matrix with elements")
    return v_gpu._wrap(tnp.copy(tnp.diag(v_gpu), order="C"))


def tril(a_gpu: Any, overwrite: bool = False, handle: Any = None) -> Any:
    """Zeros above the main diagonal of a square matrix."""
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu, is_square=True)
    return _written(a_gpu, tnp.tril(tnp.asarray(a_gpu)), overwrite)


def triu(a_gpu: Any, k: int = 0, overwrite: bool = False, handle: Any = None) -> Any:
    """Zeros below the diagonal that is k to the right of the main one."""
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu, is_square=True)
    return _written(a_gpu, tnp.triu(tnp.asarray(a_gpu), int(k)), overwrite)


def vander(a_gpu: Any, n: int | None = None, handle: Any = None) -> Any:
    """Powers of a vector's elements from 0 to n - 1, a column for each, in Fortran's order."""
    _require_dtype(a_gpu)
    if a_gpu.ndim != 1:
        raise ShapeError(f"a_gpu of shape {a_gpu.shape}: it has one axis")
    powers = tnp.vander(tnp.asarray(a_gpu), n, increasing=True)
    return ordered(a_gpu, tnp.astype(powers, a_gpu.dtype), "F")


# --- decompositions ------------------------------------------------------------------------------


def _require_library(function: str, lib: str) -> None:
    if lib == "cula":
        raise NotSupported(
            f"{function}: the CULA backend no longer exists; call it with lib='cusolver'"
        )
    if lib != "cusolver":
        raise InvalidArgument(f"lib={lib!r}: it is 'cusolver'")


def _failing(function: Any, *arguments: Any, **keywords: Any) -> Any:
    """A function of treadle.numpy.linalg, whose failures are LinAlgErrors of this module."""
    try:
        return function(*arguments, **keywords)
    except np.linalg.LinAlgError as problem:
        raise LinAlgError(str(problem)) from None


# over 6 parameters because they are scikit-cuda's
def svd(a_gpu: Any, jobu: str = "A", jobvt: str = "A", lib: str = "cusolver") -> Any:
    """The singular values s and vectors: (u, s, vh), as NumPy's svd(). Letters: "A" all vectors,
    "S" those of min(m, n) values, "O" the same, written into a_gpu, "N" none, which are left out
    of the result."""
    _require_library("svd", lib)
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu)
    letters = jobu.upper(), jobvt.upper()
    for name, letter in zip(("jobu", "jobvt"), letters, strict=True):
        if letter not in ("A", "S", "O", "N"):
            raise InvalidArgument(f"{name}={letter!r}: it is 'A', 'S', 'O' or 'N'")
    if letters == ("O", "O") or ("O" in letters and a_gpu.shape[0] != a_gpu.shape[1]):
        raise InvalidArgument("'O' is for one of jobu and jobvt, and for square matrices")
    a = tnp.asarray(a_gpu)
    if letters == ("N", "N"):
        return a_gpu._wrap(tnp.linalg.svdvals(a))
    u, s, vh = _failing(tnp.linalg.svd, a, full_matrices="A" in letters)
    count = min(a_gpu.shape)
    results = []
    for letter, vectors, thin in ((letters[0], u, u[:, :count]), (letters[1], vh, vh[:count])):
        if letter == "O":
            results.append(_written(a_gpu, vectors, True))
        elif letter != "N":
            results.append(ordered(a_gpu, vectors if letter == "A" else thin, "C"))
    results.insert(0 if letters[0] == "N" else 1, a_gpu._wrap(s))
    return tuple(results)


def pinv(a_gpu: Any, rcond: float = 1e-15, lib: str = "cusolver") -> Any:
    """The pseudo-inverse, without singular values up to rcond times the largest."""
    _require_library("pinv", lib)
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu)
    return ordered(a_gpu, _failing(tnp.linalg.pinv, tnp.asarray(a_gpu), rcond), "C")


def _is_lower(a_gpu: Any, uplo: str) -> bool:
    """Triangles are those of memory read by columns: of a matrix in C's order the other one."""
    if uplo.upper() not in ("L", "U"):
        raise InvalidArgument(f"uplo={uplo!r}: it is 'L' or 'U'")
    return (uplo.upper() == "L") == (a_gpu.flags.f_contiguous and not a_gpu.flags.c_contiguous)


def _factor(a_gpu: Any, is_lower: bool) -> Any:
    """L with a = L L^H, or R with a = R^H R, of the triangle that is read."""
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu, is_square=True)
    a = tnp.asarray(a_gpu)
    if not is_lower:
        a = tnp.conj(tnp.transpose(a))
    factor = _failing(tnp.linalg.cholesky, a)
    return factor if is_lower else tnp.conj(tnp.transpose(factor))


def cho_factor(a_gpu: Any, uplo: str = "L", lib: str = "cusolver") -> None:
    """Writes the Cholesky factor of a positive definite matrix into one of its triangles, that
    which uplo names in Fortran's order; the other one stays. Raises LinAlgError for others."""
    _require_library("cho_factor", lib)
    is_lower = _is_lower(a_gpu, uplo)
    factor, a = _factor(a_gpu, is_lower), tnp.asarray(a_gpu)
    rest = tnp.triu(a, 1) if is_lower else tnp.tril(a, -1)
    Array.__setitem__(a_gpu, ..., factor + rest)


def cholesky(a_gpu: Any, uplo: str = "L", lib: str = "cusolver") -> None:
    """The same with zeros in the other triangle."""
    _require_library("cholesky", lib)
    Array.__setitem__(a_gpu, ..., _factor(a_gpu, _is_lower(a_gpu, uplo)))


def cho_solve(a_gpu: Any, b_gpu: Any, uplo: str = "L", lib: str = "cusolver") -> None:
    """Writes the solution of a @ x = b into b_gpu and the factor into a_gpu. Of complex matrices in
    C's order it is that of a.T @ x = b, as scikit-cuda's."""
    _require_library("cho_solve", lib)
    _require_dtype(a_gpu, b_gpu)
    if b_gpu.ndim not in (1, 2) or b_gpu.shape[0] != a_gpu.shape[0]:
        raise ShapeError(f"b_gpu of shape {b_gpu.shape}: it has {a_gpu.shape[0]} rows")
    a = tnp.asarray(a_gpu)
    is_turned = a_gpu.flags.c_contiguous and a_gpu.dtype.kind == "c"
    solution = _failing(tnp.linalg.solve, tnp.transpose(a) if is_turned else a, tnp.asarray(b_gpu))
    tnp.evaluate(solution)
    cho_factor(a_gpu, uplo)
    Array.__setitem__(b_gpu, ..., solution)


def inv(a_gpu: Any, overwrite: bool = False, ipiv_gpu: Any = None, lib: str = "cusolver") -> Any:
    """The inverse of a square matrix, in its order of memory; in a_gpu if `overwrite`. Raises
    LinAlgError for a singular one."""
    _require_library("inv", lib)
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu, is_square=True)
    return _written(a_gpu, _failing(tnp.linalg.inv, tnp.asarray(a_gpu)), overwrite)


# over 6 parameters because they are scikit-cuda's
def det(
    a_gpu: Any,
    overwrite: bool = False,
    workspace_gpu: Any = None,
    ipiv_gpu: Any = None,
    handle: Any = None,
    lib: str = "cusolver",
) -> Any:
    """The determinant of a square matrix: an array of the host without axes; waits for it."""
    _require_library("det", lib)
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu, is_square=True)
    return np.asarray(tnp.linalg.det(tnp.asarray(a_gpu)).get())


def qr(a_gpu: Any, mode: str = "reduced", handle: Any = None, lib: str = "cusolver") -> Any:
    """(q, r) of a matrix that is not wide, in Fortran's order; q alone for mode="economic", r alone
    for "r"."""
    _require_library("qr", lib)
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu)
    if mode not in ("reduced", "economic", "r"):
        raise InvalidArgument(f"mode={mode!r}: it is 'reduced', 'economic' or 'r'")
    if a_gpu.shape[0] < a_gpu.shape[1] and mode != "r":
        raise ShapeError(f"a_gpu of shape {a_gpu.shape}: q is of matrices that are not wide")
    q, r = _failing(tnp.linalg.qr, tnp.asarray(a_gpu))
    made = [ordered(a_gpu, one, "F") for one in (q, r)]
    return tuple(made) if mode == "reduced" else made[mode == "r"]


# over 6 parameters because they are scikit-cuda's
def eig(
    a_gpu: Any, jobvl: str = "N", jobvr: str = "V", imag: str = "F", lib: str = "cusolver"
) -> Any:
    """(vectors, values) of a symmetric or Hermitian matrix, of which the lower triangle is read;
    values alone for jobvr="N". Values go up."""
    _require_library("eig", lib)
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu, is_square=True)
    for name, letter, known in (
        ("jobvl", jobvl, "NV"),
        ("jobvr", jobvr, "NV"),
        ("imag", imag, "TF"),
    ):
        if letter.upper() not in known:
            raise InvalidArgument(f"{name}={letter!r}: it is '{known[0]}' or '{known[1]}'")
    if jobvl.upper() == "V":
        raise NotSupported(
            "eig: left vectors, which cuSOLVER's solver for symmetric matrices lacks"
        )
    if jobvr.upper() == "N":
        return a_gpu._wrap(_failing(tnp.linalg.eigvalsh, tnp.asarray(a_gpu)))
    values, vectors = _failing(tnp.linalg.eigh, tnp.asarray(a_gpu))
    return ordered(a_gpu, vectors, "F"), a_gpu._wrap(values)


# over 6 parameters because they are scikit-cuda's
def dmd(
    a_gpu: Any,
    k: int | None = None,
    modes: str = "exact",
    return_amplitudes: bool = False,
    return_vandermonde: bool = False,
    handle: Any = None,
) -> tuple[Any, ...]:
    """Dynamic modes of snapshots, which are the columns of a_gpu: (modes[, amplitudes][, powers],
    eigenvalues), complex; a_gpu is about modes @ diag(amplitudes) @ powers. Of the first k singular
    vectors, by default all. "exact" modes are in the space of the later snapshots, "standard" ones
    in that of the earlier."""
    _require_dtype(a_gpu)
    _require_matrix("a_gpu", a_gpu)
    count = _modes.rank_of_snapshots(a_gpu, k)
    return _failing(
        _modes.dynamic_modes,
        a_gpu,
        lambda x: _modes.truncated_svd(x, count),
        _modes.Wanted(modes, return_amplitudes, return_vandermonde),
    )


class PCA:
    """Principal components: `fit_transform(X_gpu)` gives the scores of samples (rows) of variables
    (columns), whose columns are orthogonal. Each sample's mean over the variables is subtracted, as
    scikit-cuda does. epsilon and max_iter are taken and not needed."""

    h: Any = None

    def __init__(
        self,
        n_components: int | None = None,
        handle: Any = None,
        epsilon: float = 1e-7,
        max_iter: int = 10000,
    ) -> None:
        init()
        self.epsilon, self.max_iter = epsilon, max_iter
        self.n_components = n_components
        if n_components is not None:
            self.set_n_components(n_components)

    def set_n_components(self, n_components: int) -> None:
        """How many columns the scores have at most."""
        if n_components <= 0:
            raise InvalidArgument(f"n_components={n_components}: it is 1 or more")
        self.n_components = n_components

    def get_n_components(self) -> int | None:
        """How many; None: all."""
        return self.n_components

    def fit_transform(self, X_gpu: Any, transposed_input: bool = False) -> Any:
        """The scores, (samples, components); of transposed input (components, samples). Of float32
        or float64; raises ShapeError for other arrays than matrices in C's order."""
        if X_gpu.ndim != 2 or X_gpu.flags.f_contiguous:
            raise ShapeError(f"X_gpu of shape {X_gpu.shape}: it is a matrix in C's order")
        if X_gpu.dtype not in (np.dtype("f4"), np.dtype("f8")):
            raise TypeError(f"X_gpu of {X_gpu.dtype}: it is of float32 or float64")
        x = tnp.transpose(X_gpu) if transposed_input else tnp.asarray(X_gpu)
        centred = x - tnp.mean(x, axis=1, keepdims=True)
        u, s, _ = tnp.linalg.svd(centred, full_matrices=False)
        count = min(*x.shape, self.n_components or x.size)
        scores = u[:, :count] * s[:count]
        made = tnp.transpose(scores) if transposed_input else scores
        return ordered(X_gpu, made, "C")
