# SPDX-License-Identifier: MIT
"""What solvers multiply by: matrices of any kind, functions, and SciPy's LinearOperators."""

from __future__ import annotations

import operator as _operator
import sys as _sys
from collections.abc import Callable
from typing import Any

import numpy as _numpy

import treadle._core.sparse as _core
from treadle._core import NotSupported as _NotSupported
from treadle._core.array import Array
from treadle.numpy import asarray as _array
from treadle.numpy import stack as _stack
from treadle.sparse._given import size as _size
from treadle.sparse._matrices import csr_array, sparray


def _on_device(function: Any) -> Any:
    """A function whose results become arrays of the device."""
    return lambda x: _array(function(x))


def _on_host(function: Any, beside: Any) -> Any:
    """A function of NumPy's arrays: vectors are copied to the host and results back."""

    def apply(x: Array) -> Array:
        with beside.device:
            return _array(function(x.get()))

    return apply


def _is_of(given: Any, module: str, name: str) -> bool:
    """Whether it is of a class of a module that is loaded, which nothing imports for that."""
    loaded = _sys.modules.get(module)
    return loaded is not None and isinstance(given, getattr(loaded, name))


def core_operator(given: Any, name: str, beside: Array) -> _core.LinearOperator:
    """The operator of C++ for a matrix, an operator or a function; `beside` names a device."""
    if isinstance(given, LinearOperator):
        return given._operator
    if isinstance(given, sparray):
        return _core.LinearOperator.of_matrix(given._matrix)
    if hasattr(given, "tocsr"):  # SciPy's
        with beside.device:
            return _core.LinearOperator.of_matrix(csr_array(given)._matrix)
    if isinstance(given, Array | _numpy.ndarray | list | tuple):
        with beside.device:
            return _core.LinearOperator.dense(_array(given))
    if _is_of(given, "scipy.sparse.linalg", "LinearOperator"):
        return _host_operator(given, beside)
    if hasattr(given, "matvec"):
        rows, columns = given.shape
        adjoint = getattr(given, "rmatvec", None)
        return _core.LinearOperator(
            _on_device(given.matvec),
            *(rows, columns, getattr(given, "dtype", None)),
            None if adjoint is None else _on_device(adjoint),
        )
    if hasattr(given, "__matmul__"):
        rows, columns = given.shape
        kind = getattr(given, "dtype", None)
        return _core.LinearOperator(_on_device(lambda x: given @ x), rows, columns, kind)
    if not callable(given):
        text = f"{name} is a {type(given).__name__}; pass a matrix or a function of x"
        raise TypeError(text)
    return _core.LinearOperator.of_function(_on_device(given))


def _host_operator(given: Any, beside: Array) -> _core.LinearOperator:
    """SciPy's operator, such as a factorisation or PyAMG's hierarchy: it runs on the host."""
    rows, columns = given.shape
    return _core.LinearOperator(
        _on_host(lambda x: given @ x, beside),
        *(rows, columns, given.dtype),
        _on_host(lambda x: given.H @ x, beside),
    )


class LinearOperator:
    """What arrays of a device are multiplied by, in the place of a matrix.

    LinearOperator(shape, matvec, rmatvec=None, matmat=None, dtype=None, rmatmat=None), of functions
    of arrays on the device; rmatvec is that of the conjugated and transposed matrix. Vectors have
    one axis. Without matmat, matvec is called for each column. A class of a program's own passes
    (dtype, shape), and has _matvec(x) or _matmat(x), and perhaps _rmatvec(x), instead.
    """

    ndim = 2
    __array_priority__ = 1000.0  # NumPy's operators leave A @ x to this class

    # over 6 parameters because they are SciPy's
    def __init__(
        self,
        shape: Any,
        matvec: Any = None,
        rmatvec: Any = None,
        matmat: Any = None,
        dtype: Any = None,
        rmatmat: Any = None,
    ) -> None:
        if type(self) is not LinearOperator:
            if matvec is not None:  # in SciPy's order: (dtype, shape)
                shape, dtype = matvec, shape
            matmat, rmatvec = getattr(self, "_matmat", None), getattr(self, "_rmatvec", None)
            matvec = getattr(self, "_matvec", matmat)
        if matvec is None:
            raise TypeError(f"{type(self).__name__} has no function: pass matvec, or write _matvec")
        rows, columns = _size(shape)
        apply = _columns(matvec, matmat)
        adjoint = None if rmatvec is None else _columns(rmatvec, rmatmat)
        self._make = lambda: _core.LinearOperator(apply, rows, columns, dtype, adjoint)
        self._make()  # looks at the arguments

    @staticmethod
    def _of(make: Callable[[], _core.LinearOperator]) -> LinearOperator:
        self = LinearOperator.__new__(LinearOperator)
        self._make = make
        return self

    # Made when it is needed: what C++ keeps of Python's functions is hidden from the garbage
    # collector, and functions refer to operators that refer to them.
    @property
    def _operator(self) -> _core.LinearOperator:
        return self._make()

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        found = self._operator.shape
        if found is None:
            raise _NotSupported("the shape of a function of any length; LinearOperator(shape, f)")
        return found

    @property
    def dtype(self) -> Any:
        """Of the matrix that it stands for, or None."""
        return self._operator.dtype

    @property
    def H(self) -> LinearOperator:
        """The conjugated and transposed operator."""
        return self._of(lambda: self._operator.adjoint())

    def _checked(self, make: Callable[[], _core.LinearOperator]) -> LinearOperator:
        make()  # looks at sizes
        return self._of(make)

    @property
    def T(self) -> LinearOperator:
        """The transposed operator."""
        return self._of(lambda: self._operator.transposed())

    def transpose(self) -> LinearOperator:
        """The transposed operator."""
        return self.T

    def adjoint(self) -> LinearOperator:
        """The conjugated and transposed operator."""
        return self.H

    def matvec(self, x: Any) -> Array:
        """The product with a vector, of one axis or one column."""
        x = _array(x)
        flat = self._operator.apply(x.ravel())
        return flat.reshape(-1, 1) if x.ndim == 2 else flat

    def rmatvec(self, x: Any) -> Array:
        """The product of the adjoint with a vector."""
        return self.H.matvec(x)

    def matmat(self, x: Any) -> Array:
        """The product with each column of a matrix."""
        return self._operator.apply(_array(x))

    def rmatmat(self, x: Any) -> Array:
        """The product of the adjoint with each column of a matrix."""
        return self.H.matmat(x)

    def __call__(self, x: Any) -> Any:
        return self @ x

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, LinearOperator):
            return self._checked(lambda: self._operator.times(other._operator))
        return self._operator.apply(_array(other))

    dot = __matmul__

    def __mul__(self, other: Any) -> Any:
        if _numpy.ndim(other) == 0 and not isinstance(other, LinearOperator):
            return self._of(lambda: self._operator.scaled(complex(other)))
        return self @ other

    def __rmul__(self, other: Any) -> Any:
        return self * other if _numpy.ndim(other) == 0 else NotImplemented

    def __truediv__(self, other: Any) -> LinearOperator:
        return self * (1 / other)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, LinearOperator):
            return NotImplemented
        return self._checked(lambda: self._operator.plus(other._operator))

    def __neg__(self) -> LinearOperator:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, LinearOperator) else NotImplemented

    def __pow__(self, power: Any) -> LinearOperator:
        size, kind = self.shape[0], self.dtype
        made = self._of(lambda: _core.LinearOperator.identity(size, kind))
        for _ in range(_operator.index(power)):
            made = self @ made
        return made

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<LinearOperator of {self.dtype}, {rows} x {columns}>"


def _columns(one: Any, several: Any) -> Any:
    def apply(x: Array) -> Array:
        if x.ndim == 1:
            return _array(one(x)).ravel()
        if several is not None:
            return _array(several(x))
        parts = [_array(one(x[:, k])).ravel() for k in range(x.shape[1])]
        return _stack(parts, axis=1) if parts else x

    return apply


def aslinearoperator(A: Any) -> LinearOperator:
    """The LinearOperator of a matrix of any kind, or of an object with matvec()."""
    if isinstance(A, LinearOperator):
        return A
    made = core_operator(A, "A", _array(0))
    is_matrix = hasattr(A, "tocsr") or isinstance(A, Array | _numpy.ndarray | list | tuple)
    if is_matrix and not isinstance(A, sparray):  # whose arrays may be other ones later
        return LinearOperator._of(lambda: made)
    return LinearOperator._of(lambda: core_operator(A, "A", _array(0)))  # as __init__() does
