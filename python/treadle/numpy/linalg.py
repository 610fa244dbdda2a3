# SPDX-License-Identifier: MIT
"""What of numpy.linalg needs neither products of matrices nor decompositions: norms, and views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle._core import InvalidArgument, NotSupported
from treadle._core import array as _array
from treadle._core.array import Array

from ._creation import asarray
from ._linear_algebra import outer, trace, vecdot
from ._manipulation import diagonal, matrix_transpose

__all__ = [
    "diagonal",
    "matrix_norm",
    "matrix_transpose",
    "norm",
    "outer",
    "trace",
    "vecdot",
    "vector_norm",
]


def vector_norm(
    x: Any, /, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """The root of `ord` of the sum of powers of magnitudes, along axes or of all elements; the
    largest magnitude for inf, the least for -inf, how many are not 0 for 0. One kernel."""
    return _array.vector_norm(asarray(x), float(ord), axis=axis, keepdims=bool(keepdims))


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Of matrices in the last two axes: "fro" the root of the sum of squares, 1 and inf the largest
    sum of magnitudes of a column and of a row, -1 and -inf the least."""
    return _of_matrices(asarray(x), (-2, -1), keepdims, ord)


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
    return _of_matrices(x, (axes[0], axes[1]), keepdims, "fro" if ord is None else ord)


def _of_matrices(x: Array, axes: tuple[int, int], keepdims: bool, ord: Any) -> Array:
    if ord == "fro":
        return _array.matrix_norm(x, None, *axes, bool(keepdims))
    if ord in (2, -2, "nuc"):
        raise NotSupported(
            f"norm with ord={ord!r} takes singular values: numpy.linalg.norm(x.get())"
        )
    if not isinstance(ord, int | float):
        raise InvalidArgument(f"norm of matrices with ord={ord!r}: it is 'fro', 1, -1, inf or -inf")
    return _array.matrix_norm(x, float(ord), *axes, bool(keepdims))
