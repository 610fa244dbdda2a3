# SPDX-License-Identifier: MIT
"""Every method of an Array with lists, missing axes and other odd arguments, beside NumPy's: the
same result, or a typed error."""

import itertools
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

REFUSALS = (TypeError, ValueError, IndexError, OverflowError, treadle.Error)
# Of Treadle alone, or into devices: tested elsewhere.
LEFT_OUT = {"explain", "is_pending", "buffer", "device", "to_device", "set", "tofile"}
REDUCTIONS = set("all any argmax argmin max mean min prod std sum var".split())
METHODS = sorted(
    name
    for name in dir(treadle.Array)
    if name[0] != "_" and callable(getattr(treadle.Array, name)) and name not in LEFT_OUT
)
ARRAYS = [
    np.array(3, np.float32),
    np.zeros(0, np.float32),
    np.zeros((0, 3), np.float32),
    np.ones(1, np.float32),
    np.arange(6, dtype=np.float32).reshape(2, 3),
]
THING = object()
POSITIONAL = [
    (), (0,), (-1,), (1,), (5,), (None,), (1.5,), ("x",), ("F",), ((0,),), ([0],), ([],), ([1.5],),
    ([[0, 1]],), ([1, 2, 3],), (2**70,), (THING,), (0, 1), ([0], 1), (1, 2), ([7], 1),
]  # fmt: skip
NAMED = [
    {"axis": axis}
    for axis in (0, -1, 1, 5, -3, None, (0,), (), (0, 0), [1.5], "x", 1.5, 2**40, THING)
] + [{"axis": 0, "keepdims": True}, {"order": "X"}, {"out": [1]}, {"nonsense": 1}]
# What numpy.ndarray's method takes and this one refuses: lists that would become arrays are for the
# functions of treadle.numpy, and so are further parameters; numbers with a point are no integers.
REFUSED = {
    "astype": [(None,), ([],)],
    "clip": [
        ((0,),),
        ([0],),
        ([],),
        ([1.5],),
        ([[0, 1]],),
        ([1, 2, 3],),
        ([0], 1),
        ([7], 1),
        (THING,),
    ],
    "dot": [(None,), ((0,),), ([0],), ([],), ([1.5],), ([[0, 1]],), ([1, 2, 3],), (THING,)],
    "fill": [(None,)],
    "item": [((0,),)],
    "searchsorted": [("x",), ("F",), (2**70,)],
    "repeat": [(1.5,), ([1.5],), (-1,), (2**70,)],
    "squeeze": [(0,), (-1,), ()],
    "take": [(1.5,), ([1.5],), ([7], 1)],
}
REFUSED |= dict.fromkeys(("conj", "conjugate", "copy", "flatten", "ravel", "reshape", "tobytes"),
                         [(None,)])  # fmt: skip


def calls():
    yield from ((arguments, {}) for arguments in POSITIONAL)
    yield from (((), options) for options in NAMED)


def takes_more(name, arguments, options, shape):
    """What this one takes and numpy.ndarray's method refuses: lists of axes and indices, the only
    axis as a sequence, the axis 0 of none, one value in a sequence, a shape without a length, no
    dtype for a view."""
    first = next(iter(arguments or options.values()), ())
    axes = first if isinstance(first, list | tuple) else [first]
    if name in REDUCTIONS or name in ("squeeze", "item", "cumsum", "cumprod"):
        return shape == () or all(type(axis) is int for axis in axes)
    if name in ("partition", "argpartition"):
        return first == []  # no place at all
    if name == "view":
        return first is None
    return name == "fill" and isinstance(first, list | tuple) or name == "reshape" and not arguments


def attempt(function, *arguments, **options):
    """(result, None) or (None, error)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*arguments, **options), None
    except REFUSALS as error:
        return None, error


def is_same(ours, theirs):
    if theirs is None or isinstance(theirs, bytes | list):
        return ours == theirs
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if theirs.dtype == object:  # of an integer that no dtype has
        theirs = theirs.astype(ours.dtype)
    return ours.shape == theirs.shape and np.allclose(ours, theirs, equal_nan=True)


@pytest.mark.parametrize("name", METHODS)
def test_methods_do_what_numpy_s_do_or_refuse_by_type(name):
    wrong = []
    arrays = ARRAYS[::2] if name in REDUCTIONS else ARRAYS  # whose kernels differ with the shape
    for values, (arguments, options) in itertools.product(arrays, calls()):
        x, host = tnp.asarray(values), values.copy()
        ours, refusal = attempt(getattr(x, name), *arguments, **options)
        text = f"{name}{arguments}{options or ''} of shape {values.shape}: "
        if refusal is not None and ("std::" in str(refusal) or not str(refusal)):
            wrong.append(f"{text}{refusal!r}")
        if not hasattr(host, name) or isinstance(refusal, treadle.NotSupported):
            continue
        theirs, error = attempt(getattr(host, name), *arguments, **options)
        if error is None and refusal is None and not is_same(ours, theirs):
            wrong.append(f"{text}{ours} instead of {theirs}")
        elif error is None and refusal is not None and arguments not in REFUSED.get(name, []):
            wrong.append(f"{text}{refusal!r} instead of {theirs}")
        elif error is not None and refusal is None:
            if not takes_more(name, arguments, options, values.shape):
                wrong.append(f"{text}{ours} instead of {error!r}")
    assert not wrong, "\n".join(wrong)
