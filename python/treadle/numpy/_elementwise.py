# SPDX-License-Identifier: MIT
"""Operations on elements: one function for each, by its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as _numpy

from treadle._core import DTypeError
from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array

from ._creation import asarray, of_lists, spread
from ._ufunc_methods import attach


def clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Array | None = None,
    *,
    min: Any = None,
    max: Any = None,
) -> Array:
    """Elements below a_min become a_min, above a_max a_max; min and max are the array API's names
    for these."""
    if (a_min is not None or a_max is not None) and (min is not None or max is not None):
        raise TypeError("clip() takes a_min and a_max, or min and max")
    low, high = (a_min, a_max) if min is None and max is None else (min, max)
    return spread(_array.clip(asarray(a), low, high), out)


def _in_dtype(
    name: str, operands: tuple[Any, ...], dtype: _numpy.dtype, casting: str
) -> tuple[Any, ...]:
    """Operands as those of the operation that gives this dtype; Python's numbers as they are beside
    arrays."""
    if not any(hasattr(x, "dtype") for x in operands):
        operands = tuple(map(asarray, operands))
    cast = []
    for x in operands:
        kind = getattr(x, "dtype", None)
        if kind is not None and not _rules.can_cast(kind, dtype, casting):
            raise DTypeError(f"{name}: an operand of {kind} is not cast to dtype={dtype}")
        cast.append(x if kind is None else x.astype(dtype))
    given = _rules._resolve(name, *cast)[-1]
    if given != dtype:
        raise DTypeError(f"{name}: gives {given} of operands of {dtype}, not dtype={dtype}")
    return tuple(cast)


def _require_casts(name: str, operands: tuple[Any, ...], out: Array | None, casting: str) -> None:
    """Refuses operands, or a result in `out`, that `casting` does not allow to be cast."""
    *wanted, result = _rules._resolve(name, *operands)
    for x, dtype in zip(operands, wanted, strict=True):
        kind = getattr(x, "dtype", None)
        if kind is not None and not _rules.can_cast(kind, dtype, casting):
            raise DTypeError(
                f"{name}: an operand of {kind} is not cast to {dtype} as casting={casting!r}"
            )
    if out is not None and not _rules.can_cast(result, out.dtype, casting):
        raise DTypeError(
            f"{name}: a result of {result} is not cast to out= of {out.dtype} as "
            f"casting={casting!r}"
        )


def _mask(where: Any, out: Array | None) -> Array:
    return asarray(where, device=None if out is None or isinstance(where, Array) else out.device)


def _signature(*operands: str) -> inspect.Signature:
    """What programs that ask for the parameters of a function see, and help()."""
    by_place = [inspect.Parameter(x, inspect.Parameter.POSITIONAL_ONLY) for x in operands]
    out = inspect.Parameter("out", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    options = [
        inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default)
        for option, default in (("where", True), ("dtype", None), ("casting", "same_kind"))
    ]
    return inspect.Signature([*by_place, out, *options])


_SIGNATURES = {
    1: _signature("x"),
    2: _signature("x1", "x2"),
    3: _signature("condition", "x", "y"),
}


def _function(name: str, arity: int) -> Callable[..., Array]:
    def function(
        *operands: Any,
        out: Any = None,
        where: Any = True,
        dtype: Any = None,
        casting: str = "same_kind",
    ) -> Array:
        if type(out) is tuple and len(out) == 1:
            (out,) = out
        if len(operands) == arity + 1 and out is None:
            *operands, out = operands  # type: ignore[assignment]
        if out is not None and not isinstance(out, Array):
            raise TypeError(f"{name}(): out is a {type(out).__name__}, wanted: Array")
        if dtype is not None or casting != "same_kind":
            operands = of_lists(operands)  # type: ignore[assignment]
        if dtype is not None:
            operands = _in_dtype(name, operands, _numpy.dtype(dtype), casting)
        mask = None if where is True else _mask(where, out)
        if casting != "same_kind":
            _require_casts(name, operands, out, casting)
            if casting == "unsafe" and out is not None:
                result = _array.apply(name, *operands).astype(out.dtype)
                if mask is not None:
                    return _array.apply("where", mask, result, out, out=out)
                out[...] = result
                return out
        return _array.apply(name, *operands, out=out, where=mask)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"numpy.{name}() of arrays and numbers on a device, element by element.\n\n"
        f"Takes {arity} operand{'s' if arity > 1 else ''}, which are broadcast. `out`, by name or "
        "behind them, receives the result, cast as `casting` allows; it is refused where shape "
        "or dtype do not fit, and stays where the mask `where` is False. `dtype` is what is "
        "computed in, instead of what promotion says."
    )
    function.__signature__ = _SIGNATURES[arity]  # type: ignore[attr-defined]
    if arity == 2:
        attach(name, function)
    return function


# Parts of complex numbers are views, where() of one operand is nonzero(), angle() has degrees.
_OPERATIONS = {
    name: _function(name, arity)
    for name, arity in _rules._operations()
    if name not in ("real", "imag", "where", "angle")
}
globals().update(_OPERATIONS)

where = _function("where", 3)
angle = _function("angle", 1)

# The array API's names for the same.
_ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "pow": "power",
    "true_divide": "divide",
    "mod": "remainder",
}
globals().update({alias: _OPERATIONS[name] for alias, name in _ALIASES.items()})

__all__ = ["clip", *_OPERATIONS, *_ALIASES]
