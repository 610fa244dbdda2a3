# SPDX-License-Identifier: MIT
"""Where treadle.numpy differs from NumPy on purpose, and why; docs/arrays.md tells users.

- A number that is a result waits on the device as an array does. Times a list or a tuple it is a
  product of arrays, where NumPy repeats the list or refuses a float.
- Such a number is stored as elements of arrays are, by a cast: NumPy refuses what does not fit, for
  which somebody would have to look.
- Sums and products of float16 are made in float32 and rounded once; NumPy rounds, and overflows, at
  each step. The same holds for squares in variances.
- Products of complex numbers that are infinite on the way depend on the order: they are multiplied
  in a tree, by NumPy one after the other.
- None is compared with no array, not even with one that has no elements.
- Quantiles of bool are those of 0 and 1; NumPy subtracts bools, and refuses that. Those of no
  elements without NaN have q's shape, too.
- Quantiles beside infinite elements are no NaN where NumPy subtracts these; dot() of an infinite
  element and 0 is NaN, where NumPy's library of products leaves out what is 0.
- where() refuses an integer of Python's for which its dtype has no room, as NumPy does since 2.5:
  earlier ones store its lowest bits.
- isclose() does not cast 10^10 to float16.
- Numbers between arrays of float16 are computed in float64. Between complex numbers each part is
  by itself, also where the other one is infinite.
- The median of an odd number of complex elements is one of them, also if it is infinite: NumPy
  divides it by 1, which makes its other part NaN.
- Elements chosen by lists lie in C's order; in NumPy they may lie otherwise, so that reshape()
  copies them, and what is stored into that is lost.
"""

import ast

import numpy as np

from tests.python.undefined_in_numpy import cast

ACCUMULATIONS = """
    average cumprod cumsum mean median nancumprod nancumsum nanmean nanmedian nanprod nanstd nansum
    nanvar prod std sum var
""".split()


WRAPS_CHOICES = tuple(map(int, np.__version__.split(".")[:2])) < (2, 5)


def is_refused_choice(text, ours):
    return WRAPS_CHOICES and "where" in text and isinstance(ours, OverflowError)


def has_infinite_parts(values):
    values = np.asarray(values)
    return values.dtype.kind == "c" and bool(np.any(np.isinf(values)))


def call(name, operands, options):
    """Whether a call of numpy_random_test.py is answered otherwise on purpose."""
    if name in ("median", "nanmedian"):
        return has_infinite_parts(operands[0])
    if name in ("quantile", "nanquantile"):
        x = np.asarray(operands[0])
        return x.dtype == bool or x.size == 0 or not np.all(np.isfinite(x))
    if name == "dot" and not all(np.all(np.isfinite(x)) for x in operands):
        return any(np.ndim(x) == 0 for x in operands)
    if name == "linspace" and not all(np.all(np.isfinite(x)) for x in operands[:2]):
        return any(np.iscomplexobj(x) for x in operands)
    if name in ("isclose", "linspace"):
        return any(getattr(x, "dtype", None) == np.float16 for x in operands)
    if name not in ("prod", "nanprod", "cumprod", "nancumprod"):
        return False
    x = np.asarray(operands[0]).ravel()
    dtype = np.dtype(options.get("dtype") or x.dtype)
    factors = np.append(x, np.asarray(options.get("initial") or 1).astype(x.dtype))
    with np.errstate(all="ignore"):
        products = np.cumprod(factors.astype(dtype) if dtype.kind == "c" else factors)
    return "c" in (x.dtype.kind, dtype.kind) and not np.all(np.isfinite(products))


def in_float32(name, operands, options):
    """The call that says what sums and products of float16 are, before they are rounded; None
    where the call is none of these."""
    if name not in ACCUMULATIONS:
        return None

    def wider(value):
        is_half = getattr(value, "dtype", None) == np.float16
        return value.astype(np.float32) if is_half else value

    wanted = options.get("dtype")
    if wanted is not None and np.dtype(wanted) == np.float16:
        options = {**options, "dtype": "f"}
    elif getattr(operands[0], "dtype", None) != np.float16:
        return None
    return name, list(map(wider, operands)), {key: wider(x) for key, x in options.items()}


def statement(text, variables):
    """Whether a statement of random_statements.py does something else on purpose. The variables
    are NumPy's."""
    scope = {"np": np, **variables}
    value = lambda node: eval(compile(ast.Expression(node), text, "eval"), scope)  # noqa: E731
    try:
        with np.errstate(all="ignore"):
            return any(_differs(node, value) for node in ast.walk(ast.parse(text)))
    except Exception:  # noqa: BLE001  # a statement that raises is compared as such
        return False


def _differs(node, value):
    match node:
        case ast.BinOp(left=x, op=ast.Mult(), right=y):
            return _repeats(value(x), value(y)) or _repeats(value(y), value(x))
        case ast.Compare(left=x, comparators=[y], ops=[ast.Lt() | ast.GtE()]):
            return value(x) is None or value(y) is None
        case ast.AugAssign(target=target, op=op, value=operand):
            x, y = value(_loaded(target)), value(operand)
            if isinstance(op, ast.Mult) and _repeats(x, y):
                return True
            if not isinstance(target, ast.Subscript) or not isinstance(x, np.generic):
                return False
            made = value(ast.fix_missing_locations(ast.BinOp(_loaded(target), op, operand)))
            return _is_refused(made, value(target.value))
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            pairs = zip(targets, values, strict=True)
            return any(_stores(target, stored, value) for target, stored in pairs)
        case ast.Assign(targets=[target], value=stored):
            return _stores(target, stored, value)
        case ast.Call(func=ast.Attribute(attr=name), args=[x, *_], keywords=keywords):
            options = {word.arg: value(word.value) for word in keywords}
            return call(name, [value(x)], options) or _overflows(name, value(x), options)
    return False


def _loaded(target):
    """What is assigned to, as it is read."""
    return ast.parse(ast.unparse(target), mode="eval").body


def _repeats(number, sequence):
    return isinstance(number, np.generic) and isinstance(sequence, list | tuple)


def _stores(target, stored, value):
    if not isinstance(target, ast.Subscript):
        return False
    match target.value:
        case ast.Call(func=ast.Attribute(value=of, attr="reshape")):
            if not np.shares_memory(value(target.value), value(of)):
                return True
    return _is_refused(value(stored), value(target.value))


def _is_refused(number, array):
    """Whether it is a number of NumPy's that an array of integers has no room for."""
    if not isinstance(number, np.generic) or array.dtype.kind not in "iu":
        return False
    if number.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        return not limits.min <= int(number) <= limits.max
    return cast(number, array.dtype)


def _overflows(name, x, options):
    """Whether rounding at each step, as NumPy's float16 has it, changes the result."""
    wide = in_float32(name, [x], options)
    if wide is None:
        return False
    name, operands, wide_options = wide
    function = getattr(np, name)
    rounded = np.asarray(function(x, **options)).astype(np.float32)
    exact = np.asarray(function(*operands, **wide_options)).astype(np.float16).astype(np.float32)
    return not np.allclose(rounded, exact, rtol=4e-3, atol=4e-3, equal_nan=True)
