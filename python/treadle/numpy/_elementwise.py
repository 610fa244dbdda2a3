# SPDX-License-Identifier: MIT
"""Operations on elements: one function for each, by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array


def clip(x: Any, min: Any = None, max: Any = None, *, out: Array | None = None) -> Array:
    """Elements below min become min, above max max."""
    result = x if min is None else _array.apply("maximum", x, min)
    result = result if max is None else _array.apply("minimum", result, max)
    if out is None:
        return result if result is not x else x.copy()
    out[...] = result
    return out


def _function(name: str, arity: int) -> Callable[..., Array]:
    def function(*operands: Any, out: Array | None = None) -> Array:
        return _array.apply(name, *operands, out=out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"numpy.{name}() of arrays and numbers on a device, element by element.\n\n"
        f"Takes {arity} operand{'s' if arity > 1 else ''}, which are broadcast. `out` receives the "
        "result, cast as `same_kind` allows; it is refused where shape or dtype do not fit."
    )
    return function


_OPERATIONS = {name: _function(name, arity) for name, arity in _rules._operations()}
globals().update(_OPERATIONS)

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
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "pow": "power",
    "round": "rint",
    "true_divide": "divide",
    "mod": "remainder",
}
globals().update({alias: _OPERATIONS[name] for alias, name in _ALIASES.items()})

__all__ = ["clip", *_OPERATIONS, *_ALIASES]
