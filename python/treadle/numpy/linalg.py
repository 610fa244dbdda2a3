# SPDX-License-Identifier: MIT
"""numpy.linalg: products, norms, systems of equations, factors and eigenvalues. Decompositions are
LAPACK's on the host, or cuSOLVER's on a GPU of NVIDIA's: they wait."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

from treadle._core import InvalidArgument, LinAlgError, ShapeError
from treadle._core import array as _array
from treadle._core import linalg as _linalg
from treadle._core.array import Array
from treadle._required import required

from ._creation import asarray, asarrays, written
from ._linear_algebra import matmul, tensordot, vecdot
from ._manipulation import as_list, matrix_transpose

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


class EigResult(NamedTuple):
    """Eigenvalues, and vectors in columns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """Eigenvalues that rise, and orthonormal vectors in columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """Orthonormal columns, and an upper triangle."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """Sign and logarithm of a determinant."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Singular vectors and values."""

    U: Array
    S: Array
    Vh: Array


# These take matrices from the last two axes, and vectors, where the functions of the same names in
# treadle.numpy are NumPy's older ones.
def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """Elements (i, i + offset) of matrices, a read-only view."""
    return _array.diagonal(asarray(x), offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sum of elements (i, i + offset) of matrices."""
    return _array.reduce("sum", diagonal(x, offset=offset), axis=-1, dtype=dtype)


def outer(x1: Any, x2: Any, /) -> Array:
    """The products of each element of a vector with each of another."""
    first, second = asarrays((x1, x2))
    if (first.ndim, second.ndim) != (1, 1):
        raise ShapeError(f"outer of shapes {first.shape} and {second.shape}: both have one axis")
    return _array.outer(first, second)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """The cross products of vectors of 3 elements, which lie along an axis."""
    first, second = asarrays((x1, x2))
    for x in (first, second):
        if x.shape[_array.checked_axis(axis, x.ndim, "cross")] != 3:
            raise ShapeError(f"cross along axis {axis} of shape {x.shape}: it has 3 elements")
    return _array.cross(first, second, axis, axis, axis)


def solve(a: Any, b: Any) -> Array:
    """The x for which a @ x is b, a vector if that has one axis. LinAlgError if a is singular."""
    return _linalg.solve(*asarrays((a, b)))


def tensorsolve(a: Any, b: Any, axes: Sequence[int] | None = None) -> Array:
    """The x for which tensordot(a, x, x.ndim) is b; `axes` of a are moved behind the others
    first."""
    matrix, right = asarrays((a, b))
    return _linalg.tensorsolve(matrix, right, [] if axes is None else as_list(axes))


def tensorinv(a: Any, ind: int = 2) -> Array:
    """The inverse of that: tensordot(tensorinv(a, ind), b, ind) is tensorsolve(a, b)."""
    return _linalg.tensorinv(asarray(a), operator.index(ind))


def inv(a: Any) -> Array:
    """The inverse. LinAlgError if a is singular."""
    return _linalg.inv(asarray(a))


def det(a: Any) -> Array:
    """The determinant, 0 of singular matrices."""
    return _linalg.det(asarray(a))


def slogdet(a: Any) -> SlogdetResult:
    """Sign and logarithm of the determinant, which itself may be too large or small."""
    return SlogdetResult(*_linalg.slogdet(asarray(a)))


def cholesky(a: Any, /, *, upper: bool = False) -> Array:
    """The triangular L with a = L @ L^H, or U with a = U^H @ U. LinAlgError if a is not positive
    definite."""
    return _linalg.cholesky(asarray(a), bool(upper))


def qr(a: Any, mode: str = "reduced") -> Any:
    """a = Q @ R, Q with orthonormal columns: "reduced", "complete", or R alone for "r". "raw" gives
    LAPACK's reflections, transposed, and their factors."""
    if mode == "raw":
        vectors, factors = _linalg.qr_reflections(asarray(a))
        return matrix_transpose(vectors), factors
    if mode not in ("reduced", "complete", "r"):
        raise InvalidArgument(f"qr with mode={mode!r}: it is 'reduced', 'complete', 'r' or 'raw'")
    q, r = _linalg.qr(asarray(a), mode)
    return r if mode == "r" else QRResult(q, r)


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """a = U * S @ Vh, S falling; S alone without compute_uv. `hermitian` is taken and makes no
    difference."""
    u, s, vh = _linalg.svd(asarray(a), bool(full_matrices), bool(compute_uv))
    return SVDResult(u, s, vh) if compute_uv else s


def svdvals(x: Any, /) -> Array:
    """Singular values, falling."""
    return _linalg.svdvals(asarray(x))


def _upper(UPLO: str) -> bool:
    letter = required(UPLO, "UPLO", "'L' or 'U'", "upper").upper()
    if letter not in ("L", "U"):
        raise InvalidArgument(f"UPLO={UPLO!r}: it is 'L' or 'U'")
    return letter == "U"


def eigh(a: Any, UPLO: str = "L") -> EighResult:
    """Eigenvalues and vectors of symmetric or Hermitian matrices, of which one triangle is read."""
    return EighResult(*_linalg.eigh(asarray(a), _upper(UPLO), True))


def eigvalsh(a: Any, UPLO: str = "L") -> Array:
    """Eigenvalues of symmetric or Hermitian matrices, rising."""
    return _linalg.eigh(asarray(a), _upper(UPLO), False)[0]


def eig(a: Any) -> EigResult:
    """Eigenvalues and vectors of any matrices; complex, as in NumPy 2.5 and the array API."""
    return EigResult(*_linalg.eig(asarray(a), True))


def eigvals(a: Any) -> Array:
    """Eigenvalues of any matrices."""
    return _linalg.eig(asarray(a), False)[0]


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Array, Array, int, Array]:
    """The x for which the norm of a @ x - b is least; residuals, the rank of a, its singular
    values. Values below rcond times the largest count as 0."""
    matrix, right = asarrays((a, b))
    return _linalg.lstsq(matrix, right, None if rcond is None else float(rcond))


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """The pseudo-inverse: singular values below rcond times the largest count as 0."""
    return _linalg.pinv(asarray(a), rcond if rtol is None else rtol)


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """How many singular values are above a limit."""
    return _linalg.matrix_rank(asarray(A), rtol, tol)


def cond(x: Any, p: Any = None) -> Array:
    """The condition number: by singular values, or of another norm by the inverse."""
    return _linalg.cond(asarray(x), p)


def matrix_power(a: Any, n: int) -> Array:
    """Square matrices multiplied with themselves; n below 0: their inverses."""
    return _linalg.matrix_power(asarray(a), operator.index(n))


def expm(a: Any) -> Array:
    """The exponential of square matrices, SciPy's: 1 + a + a @ a / 2 + ..., NaN of NaN."""
    return _linalg.expm(asarray(a))


def multi_dot(arrays: Sequence[Any], *, out: Array | None = None) -> Array:
    """The product of several matrices, in the order that takes the fewest multiplications."""
    return written(_linalg.multi_dot(list(asarrays(arrays))), out)


def vector_norm(
    x: Any, /, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """The root of `ord` of the sum of powers of magnitudes, along axes or of all elements; the
    largest magnitude for inf, the least for -inf, how many are not 0 for 0. One kernel."""
    return _array.vector_norm(asarray(x), float(ord), axis=axis, keepdims=bool(keepdims))


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Of matrices in the last two axes: "fro" the root of the sum of squares, 1 and inf the largest
    sum of magnitudes of a column and of a row, -1 and -inf the least."""
    return _linalg.matrix_norm(asarray(x), ord, -2, -1, bool(keepdims))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """NumPy's: without ord the root of the sum of squares, along an axis the norm of vectors, along
    two that of matrices."""
    x = asarray(x)
    if ord is None and (axis is None or isinstance(axis, int)):
        return vector_norm(x, axis=axis, keepdims=bool(keepdims))
    axes = tuple(range(x.ndim)) if axis is None else axis
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise InvalidArgument(f"norm of {len(axes)} axes: ord={ord!r} has one axis or two")
    return _linalg.matrix_norm(x, ord, axes[0], axes[1], bool(keepdims))
