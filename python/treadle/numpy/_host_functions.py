# SPDX-License-Identifier: MIT
"""What runs on the host: functions of Python called for each element, and walks over elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as _numpy

from treadle._core import InvalidArgument
from treadle._core.array import Array

from ._creation import asarray, asarrays, asnumpy, on_host

__all__ = [
    "broadcast",
    "frompyfunc",
    "ndenumerate",
    "require",
    "vectorize",
]


def _on_device(made: Any, beside: tuple[Any, ...]) -> Any:
    """Results of the host where the arguments are; objects by the numbers that they are."""
    if isinstance(made, tuple):
        return tuple(_on_device(one, beside) for one in made)
    if isinstance(made, _numpy.ndarray) and made.dtype.kind == "O":
        made = _numpy.array(made.tolist())
    place = next((x.device for x in beside if isinstance(x, Array)), None)
    return asarray(made, device=place)


class vectorize:  # noqa: N801 - the name is NumPy's
    """A function of numbers, called on the host for each element of arrays, which broadcast. Takes
    the arguments of numpy.vectorize(); waits for the arrays."""

    def __init__(self, pyfunc: Callable[..., Any], otypes: Any = None, **options: Any) -> None:
        self.pyfunc = pyfunc
        self._called = _numpy.vectorize(pyfunc, otypes=otypes, **options)
        self.__doc__ = self._called.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results, as arrays on the device of the first Array among the arguments."""
        named = {name: on_host(x) for name, x in kwargs.items()}
        made = self._called(*map(on_host, args), **named)
        return _on_device(made, (*args, *kwargs.values()))


def frompyfunc(
    func: Callable[..., Any], /, nin: int, nout: int, *, identity: Any = None
) -> Callable[..., Any]:
    """The same of a function of nin arguments with nout results. What NumPy leaves as objects is
    here an array of the numbers that they are."""
    called = _numpy.frompyfunc(func, nin, nout, identity=identity)

    def function(*args: Any) -> Any:
        return _on_device(called(*map(on_host, args)), args)

    function.__name__ = function.__qualname__ = getattr(func, "__name__", "frompyfunc")
    function.__doc__ = getattr(func, "__doc__", None)
    return function


def ndenumerate(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Index and element of all elements in C's order, of a copy on the host."""
    return iter(_numpy.ndenumerate(asnumpy(arr)))


class broadcast:  # noqa: N801 - the name is NumPy's
    """The shape that arrays broadcast to, and their elements side by side, on the host."""

    def __init__(self, *args: Any) -> None:
        self._arrays = asarrays(args)
        self.shape = _numpy.broadcast_shapes(*(x.shape for x in self._arrays))
        self.numiter = len(self._arrays)

    @property
    def ndim(self) -> int:
        """How many axes."""
        return len(self.shape)

    nd = ndim

    @property
    def size(self) -> int:
        """How many elements."""
        return int(_numpy.prod(self.shape))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Tuples of elements. Waits for the arrays."""
        return iter(_numpy.broadcast(*(x.get() for x in self._arrays)))


def require(a: Any, dtype: Any = None, requirements: Any = None) -> Array:
    """asarray() with "C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE", "OWNDATA" or "ALIGNED", or their
    first letters."""
    letters = {str(name).upper()[:1] for name in requirements or ()}
    if unknown := letters - set("CFAWOE"):
        raise InvalidArgument(f"require: {min(unknown)!r} is no requirement")
    if {"C", "F"} <= letters:
        raise InvalidArgument("require: an array is in C's order or in Fortran's")
    order = next(iter(letters & {"C", "F"}), None)
    x = asarray(a, dtype, order)
    flags = x.flags
    is_met = ("W" not in letters or flags.writeable) and ("O" not in letters or flags.owndata)
    return x if is_met else x.copy(order or "K")
