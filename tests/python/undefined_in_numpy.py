# SPDX-License-Identifier: MIT
"""What NumPy leaves to the processor or to C's library, so that its answer is no reference: floats
that are cast to integers which cannot hold them, integers divided by 0, digits of complex powers.
And what it does wrong: it copies one axis of an array onto another one of different steps that
shares elements with it, without a copy before; in unwrap() differences of unsigned integers wrap
around. interp() between abscissas that do not rise. And NumPy 2.4's negative() into elements that
lie 4 or 8 apart: np.negative(x, out=y[:, 1]) of y with 4 columns of float32 repeats elements.
"""

import ast

import numpy as np

INTEGER_KINDS = "iu"
MOST_DIGITS_LOST = 50  # of |exponent * log(base)|, by which a rounding of either grows


def cast(values, dtype):
    """A float that C does not convert: NaN, or its whole part lies beyond the dtype."""
    dtype, values = np.dtype(dtype), np.asarray(values)
    if dtype.kind not in INTEGER_KINDS or values.dtype.kind not in "fc":
        return False
    whole, limits = np.trunc(values.real.astype(np.float64)), np.iinfo(dtype)
    return not np.all((whole >= float(limits.min)) & (whole < limits.max + 1.0))


def reciprocal(values):
    """1 divided by an integer 0 is cast from infinity."""
    values = np.asarray(values)
    return values.dtype.kind in "biu" and not np.all(values)


def power(base, exponent):
    """NumPy leaves complex powers to C's cpow(), which loses the digits of large angles and has
    answers of its own for infinities; it multiplies for small whole exponents only."""
    base, exponent = np.asarray(base), np.asarray(exponent)
    if "c" not in (base.dtype.kind, exponent.dtype.kind):
        return False
    base, exponent = base.astype(np.complex128), exponent.astype(np.complex128)
    with np.errstate(all="ignore"):
        lost = np.where(base == 0, 0, np.abs(exponent * np.log(base)))
    return not np.all(lost < MOST_DIGITS_LOST)


def call(name, operands, options):
    """Whether the answer of a call of numpy_random_test.py is undefined."""
    if name == "reciprocal":
        return reciprocal(operands[0])
    if name in ("power", "pow", "float_power"):
        return power(*operands)
    if name in ("insert", "dot") and np.size(operands[0]) == 0:
        return True  # an index of no elements, a list without a dtype
    if name == "insert":
        return cast(operands[2], np.asarray(operands[0]).dtype)
    if name in ("store", "fill", "copyto", "full_like"):
        is_number = isinstance(operands[1], int | float) and name != "full_like"
        return not is_number and cast(operands[1], np.asarray(operands[0]).dtype)
    if name == "full" and len(operands) == 3:
        return cast(operands[1], operands[2])
    dtype = options.get("dtype")
    if dtype is None or np.dtype(dtype).kind not in INTEGER_KINDS:
        return False
    return _reduction(name, np.asarray(operands[0]), options)


def _reduction(name, x, options):
    """What is cast to the dtype of a reduction: elements, their squares in var(), and a mean."""
    if x.size == 0:
        return name in ("mean", "std")
    dtype, axis = options["dtype"], options.get("axis")
    if cast(x, dtype):
        return True
    if name not in ("mean", "std"):
        return False
    try:
        total = np.sum(x, axis=axis, dtype=dtype)
        mean = total / (x.size if axis is None else x.shape[axis])
        if cast(mean, dtype):
            return True
        if name == "mean":
            return False
        squares = np.abs(x - np.expand_dims(mean.astype(dtype), axis or 0)) ** 2
        summed = np.sum(squares, axis=axis)
        wraps_around = bool(np.any(summed.real < 0))  # whose root is NaN
        return wraps_around or cast(summed, dtype) or cast(squares, dtype)
    except (TypeError, IndexError, ValueError):
        return False


def statement(text, variables):
    """Whether a statement of random_statements.py does something undefined to the variables."""
    scope = {"np": np, **variables}
    value = lambda node: eval(compile(ast.Expression(node), text, "eval"), scope)  # noqa: E731
    try:
        with np.errstate(all="ignore"):
            return any(_is_undefined(node, value) for node in ast.walk(ast.parse(text)))
    except Exception:  # noqa: BLE001  # a statement that raises is compared as such
        return False


def _is_undefined(node, value):
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return any(_is_store(t, v, value) for t, v in zip(targets, values, strict=True))
        case ast.Assign(targets=[target], value=stored):
            return _is_store(target, stored, value)
        case ast.Call(func=ast.Attribute(value=x, attr="astype"), args=[dtype]):
            return cast(value(x), value(dtype))
        case ast.Call(func=ast.Attribute(attr="full_like"), args=[like, number]):
            # Nothing is converted where there are no elements.
            like, number = value(like), value(number)
            return np.size(like) == 0 or cast(number, like.dtype)
        case ast.Call(func=ast.Attribute(attr="interp"), args=[_, places, *_]):
            return bool(np.any(np.diff(np.asarray(value(places)).astype("f8")) < 0))
        case ast.Call(func=ast.Attribute(attr="unwrap"), args=[x, *_]):
            return np.asarray(value(x)).dtype.kind == "u"
        case ast.Call(func=ast.Attribute(attr="negative"), keywords=[ast.keyword(arg="out")]):
            target = np.asarray(value(node.keywords[0].value))
            return any(abs(step) in (4, 8) for step in np.divide(target.strides, target.itemsize))
        case ast.Call(func=ast.Attribute(attr="reciprocal"), args=[x]):
            return reciprocal(value(x))
        case ast.Call(func=ast.Attribute(attr="power" | "float_power"), args=[x, y]):
            return power(value(x), value(y))
        case ast.BinOp(left=x, op=ast.Pow(), right=y):
            return power(value(x), value(y))
    return False


def _overwrites_itself(source, target):
    return (
        isinstance(target, np.ndarray)
        and target.ndim == 1
        and source.ndim >= 1
        and target.strides[0] != source.strides[-1]
        and np.shares_memory(source, target)
    )


def _is_store(target, stored, value):
    """Python's numbers are no question: they fit, or are refused."""
    if not isinstance(target, ast.Subscript):
        return False
    number = value(stored)
    if isinstance(number, np.ndarray):
        read = ast.parse(ast.unparse(target), mode="eval").body
        if _overwrites_itself(number, value(read)):
            return True
    return not isinstance(number, int | float) and cast(number, value(target.value).dtype)
