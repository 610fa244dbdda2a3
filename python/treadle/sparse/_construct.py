# SPDX-License-Identifier: MIT
"""Matrices that SciPy makes on the host, and files."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any

from treadle._core import IndexError as _IndexError
from treadle._core import InvalidArgument as _InvalidArgument
from treadle.sparse._given import csr_of as _csr_of
from treadle.sparse._matrices import csr_array, sparray


def issparse(x: Any) -> bool:
    """Whether x is one of these matrices, or SciPy's."""
    return isinstance(x, sparray) or bool(_import_module("scipy.sparse").issparse(x))


def find(A: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and elements of what is not 0, on the device."""
    csr = _csr_of(A, None, None).canonical().without_zeros()
    return csr.rows().astype(csr.indices.dtype), csr.indices.copy(), csr.data.copy()


def on_host(x: Any) -> Any:
    """SciPy's matrix, or NumPy's array, of one on a device; lists of them too."""
    if isinstance(x, list | tuple):
        return type(x)(map(on_host, x))
    return x.get() if hasattr(x, "get") and hasattr(x, "device") else x


def _here(made: Any, format: str | None) -> Any:
    name = format or (made.format if made.format in sparray._classes else "csr")
    return csr_array(made).asformat(name) if name != made.format else sparray._classes[name](made)


def _by_scipy(name: str, what: str) -> Any:
    def function(*arguments: Any, format: str | None = None, **options: Any) -> Any:
        made = getattr(_import_module("scipy.sparse"), name)
        return _here(
            made(*map(on_host, arguments), **{k: on_host(v) for k, v in options.items()}), format
        )

    function.__name__ = name
    function.__doc__ = f"{what}, as SciPy's function of this name; made by it, on the host."
    return function


eye_array = _by_scipy("eye_array", "Ones on a diagonal")
diags_array = _by_scipy("diags_array", "A matrix of diagonals")
random_array = _by_scipy("random_array", "A matrix of random elements")
kron = _by_scipy("kron", "The Kronecker product")
kronsum = _by_scipy("kronsum", "The Kronecker sum")
hstack = _by_scipy("hstack", "Matrices side by side")
vstack = _by_scipy("vstack", "Matrices one below the other")
block_array = _by_scipy("block_array", "A matrix of matrices")
block_diag = _by_scipy("block_diag", "Matrices along the diagonal")
tril = _by_scipy("tril", "The lower triangle")
triu = _by_scipy("triu", "The upper triangle")


def _axes(name: str, axes: Any) -> list[int]:
    """Axes of a matrix, which may be counted from the end, from the front."""
    for axis in axes:
        if not -2 <= axis < 2:
            raise _IndexError(f"{name}() of axis {axis}; a matrix has two")
    return [axis % 2 for axis in axes]


def swapaxes(A: Any, axis1: int, axis2: int) -> Any:
    """A.T for two different axes, else A; both may be counted from the end."""
    first, second = _axes("swapaxes", (axis1, axis2))
    return A.T if first != second else A.copy()


def permute_dims(A: Any, axes: Any = None, copy: bool = False) -> Any:
    """A.T, or A for axes=(0, 1)."""
    chosen = [1, 0] if axes is None else _axes("permute_dims", axes)
    if chosen == [1, 0]:
        return A.T
    if chosen != [0, 1]:
        raise _InvalidArgument(f"permute_dims(axes={axes!r}); pass both axes")
    return A.copy() if copy else A


def save_npz(file: Any, matrix: Any, compressed: bool = True) -> None:
    """Writes a matrix as a file that SciPy reads, too; by SciPy, in its format or as csr."""
    there = on_host(matrix)
    _import_module("scipy.sparse").save_npz(file, there, compressed)


def load_npz(file: Any) -> Any:
    """The matrix of a file that save_npz(), or SciPy's, wrote."""
    return _here(_import_module("scipy.sparse").load_npz(file), None)


def mmread(source: Any) -> Any:
    """A coo_array of a file in Matrix Market format, or a dense array; read by SciPy."""
    made = _import_module("scipy.io").mmread(source)
    if hasattr(made, "tocoo"):
        return sparray._classes["coo"](made)
    return _import_module("treadle.numpy").asarray(made)


def mmwrite(target: Any, a: Any, *arguments: Any, **options: Any) -> None:
    """Writes a matrix, or a dense array, as a file in Matrix Market format, by SciPy."""
    _import_module("scipy.io").mmwrite(target, on_host(a), *arguments, **options)
