# SPDX-License-Identifier: MIT
"""Values of every kind, stored in every way into arrays of every dtype, and lines of NumPy's corner
cases: what a line gives, or the class of its error, is NumPy's.

TREADLE_RANDOM_CASES=100000 tries all lines, otherwise a share of them.
"""

import itertools
import os
import random
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from tests.python.known_differences import is_refused_choice
from tests.python.undefined_in_numpy import cast

CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "250"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "30"))
VALUES = """
    N.float16('inf')|N.float32('nan')|N.float16(1e3)|N.float32(7.9)|N.uint8(200)|N.int64(300)
    N.int64(-1)|N.uint64(2**64-1)|float('inf')|1e30|3.5|300|-1|2**63|True|N.True_|[1]|[[2],[3]]
    [1,2,3]|(1,2.5)|N.array([200])|N.array([[5]])|N.array(300)|N.array(3.5)|N.array([1,2])|None|1j
    N.complex64(1j)|N.array(1j)|N.array([1j])|np.array([200])|np.array(300)|np.array(3.5)
    np.array([1.5])|np.array([1,2])|-2.5|N.int8(-3)
"""
STORES = """
    a[...] = v|a[0] = v|a[N.int64(1)] = v|a[1:] = v|a.fill(v)|a[[0, 1]] = v|a[a == 0] = v
    a[N.array([True, False, True])] = v|np.copyto(a, v)|a.T[1] = v|np.copyto(a, v, casting='unsafe')
    r = np.full_like(a, v)|r = np.full(2, v, a.dtype)|r = np.where(a == 0, v, a)
    r = np.clip(a, v, None)|r = np.clip(a, None, v)|r = np.select([a == 0], [v], a)
    r = np.select([a == 0], [a], v)|a += v|b[()] = v|b[...] = v|b.fill(v)|a *= v|a -= v|a //= v
    a &= v|a[1:] *= v|a[a == 0] -= v|a[[0, 2]] += v|b += v|np.put(a, [0], v)|np.place(a, a == 0, v)
    np.putmask(a, a == 0, v)|np.put_along_axis(a, np.array([0, 1]), v, 0)|r = np.insert(a, 1, v)
    r = np.append(a, v)|r = np.full((2, 2), v)|r = np.pad(a, 1, constant_values=v)|r = np.dot(a, v)
    r = np.concatenate([a, np.atleast_1d(v)])|r = np.linspace(v, 3, 2)|r = np.sum(a, where=v)
"""
LINES = """
    a = np.zeros((5, 5)); a[np.zeros(0, bool) > 1] = 3
    a = np.zeros((5, 5)); a[np.zeros((0, 5), bool) > 1] = 3
    a = np.zeros((5, 5)); a[np.zeros((2, 5), bool) > 1] = 3
    a = np.zeros((5, 5)); a[np.zeros((3, 0), bool) > 1] = 3
    a = np.zeros((5, 5)); a[N.zeros(0, bool)] = 3
    r = np.max(np.zeros((0, 0)), axis=0, keepdims=True)
    r = np.max(np.zeros((3, 0)), axis=0)
    r = np.argmax(np.zeros((0, 0)), axis=0)
    r = np.argmax(np.zeros((3, 0)), axis=0, keepdims=True)
    r = np.nanmin(np.zeros((0, 0)), axis=0)
    r = np.mean(np.array([True, False]), dtype='?')
    r = np.mean(np.array([[2.5, 0]]), dtype='?', axis=0)
    r = np.std(np.array([2, 3]), dtype='i')
    r = np.std(np.array([[2, 3]]), dtype='i', axis=0)
    r = np.var(np.array([[2, 3]]), dtype='?', axis=1)
    r = np.nanstd(np.array([2., 3]), dtype='i')
    r = np.nanmean(np.array([2., 3]), dtype='i')
    r = np.nanmean(np.array([2, 3]), dtype='i')
    r = np.arange(2**64 - 4, 2**64 + 2, 2, 'd')
    r = np.arange(2**64 - 4, 2**64 + 2, 2, '?')
    r = np.arange(0, 2**70, 2**68, 'd')
    r = np.arange(0.5, 3, .75, 'i')
    r = np.arange(1, 3, 1, '?')
    r = np.arange(N.float16(0), N.float16(2.1), N.float16(.1), 'd')
    r = np.arange(N.float32(0), 1, .1)
    r = np.arange(N.float16(2), 70000)
    r = np.hsplit(np.array(3), 1)
    r = np.select([True], [np.array([1, 2])], 0)
    r = np.select([N.True_, np.array([True, False])], [np.array([1, 2]), 5], 0)
    r = np.select([np.array([True, False])], [5], np.array([1, 2], 'B'))
    r = np.select([np.array([True, False])], [np.array([1, 2], 'B')], -1.5)
    r = np.logical_and(np.ones(2), 2**64 - 1)
    r = np.logical_xor(np.ones(2, 'q'), 2**63 - 1)
    r = np.greater(np.ones(2, '?'), 2**70)
    r = np.equal(np.ones(2, 'B'), 2**70)
    r = np.zeros((3, 0), '?')**-1
    r = np.zeros((3, 0), 'i')**-3
    r = np.ones((3, 1), 'i')**-3
    r = np.clip(np.array([1, 2], 'B'), -1, 2**70)
    r = np.clip(np.array([1, 2], '?'), -1, 2**40)
    r = np.lexsort(np.array([3, 1, 2]))
    r = np.lexsort([])
    r = round(np.array([2.675, 1.5]).sum(), 2)
    r = round(np.array([2.675, 1.8]).sum())
    r = round(np.array([1, 2]))
    r = np.lexsort(np.array(3))
    r = np.lexsort(np.zeros((0, 3)))
    r = np.linspace([0, 1], [[2], [3]], 3)
    r = np.linspace(np.array([0, 1], 'f'), 2, 3, axis=1)
    r = np.linspace([0, 1], 2, 3, dtype='i')
    r = np.linspace([0, 1], 2, 3, retstep=True)[1]
    r = np.linspace(0, 1, 3, True, True)[1]
    r = np.linspace(0, 1, 1, retstep=True)[1]
    r = np.linspace(N.float16(0), 1, 3)
    r = np.logspace([0, 1], 2, 3)
    r = np.concatenate([np.array([1j]), np.zeros(1)], dtype='f')
    r = np.concatenate([np.array([1j]), np.zeros(1)], dtype='f', casting='unsafe')
    r = np.pad(np.zeros((2, 2)), ((1, 2), (0, 1)), constant_values=((1, 2), (3, 4)))
    r = np.pad(np.zeros((2, 2), 'b'), 1, constant_values=(1, 300))
    r = np.dot(np.zeros(2, 'f'), 2.5)
    r = np.isclose(np.zeros(2, 'b'), 300)
    r = np.max(np.zeros(2), initial=np.array(3.))
    r = np.sum(np.arange(3), where=[1, 0, 1])
    r = np.sum(np.arange(3), where=np.array([1, 0, 1]))
    r = np.interp(np.array([.5, 1j]), [0, 1], [2, 3])
    r = np.digitize([.5], np.array([0, 1j]))
    r = np.trapezoid(np.array([1., 2]), dx='x')
    r = np.bincount([])
    r = np.bincount(np.zeros(0))
    r = np.histogramdd(np.array(3.), 3)[0]
    r = np.histogramdd([1, 2, 4], 3)[0]
    r = np.histogramdd(np.zeros((2, 2, 2)), 3)[0]
    r = np.polymul([], [3])
    r = np.polyder(np.array([1, 2, 3]), 1.5)
    r = np.average(np.array([1, 2, 3]), returned=True)[1]
    r = np.average(np.array([[1, 2, 3]]), axis=1, weights=[1, 2, 4], returned=True)[1]
    r = np.average(np.ones((2, 2), 'f'), 0, np.ones((2, 2)), True, keepdims=True)[1]
    a = np.broadcast_to(np.arange(3), (2, 3)); np.copyto(a, a)
    a = np.broadcast_to(np.arange(3), (2, 3)); np.copyto(a, a + 1)
    r = np.arange(-2**63, -2**63 + 6, 2, 'e')
    a = np.zeros(3, '?'); a.fill(np.array([[7]]))
    a = np.zeros(0, 'b'); a.fill([])
    a = np.zeros((0, 4), 'H'); a[a > 1] = 1j
    a = np.zeros((0, 4), 'h'); a[a > 1] = float('inf')
    a = np.zeros((0, 4), 'h'); a[a > 1] = 3
    a = np.zeros((3, 4), 'h'); a[np.zeros((0, 4), bool) > 1] = 2**40
"""


def entries(text, separator="|"):
    return [e.strip() for line in text.strip().split("\n") for e in line.split(separator)]


def outcome(module, line, value=None, dtype=None):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        scope = {"np": module, "N": np}
        if dtype is not None:
            scope |= {"a": module.zeros(3, dtype), "b": module.zeros((), dtype)}
            scope["v"] = eval(value, scope)
        try:
            exec(line, scope)
        except Exception as error:  # noqa: BLE001
            return error
        given = [scope[name] for name in "rab" if name in scope]
        return [np.asarray(x.get() if isinstance(x, treadle.Array) else x) for x in given]


# What is refused in NumPy and not here: one element or number in brackets more than there are axes.
TAKEN = ["boolean array indexing assignment requires", "would exceed the maximum number of dim"]


def difference(ours, theirs, is_sequence=False):
    if isinstance(theirs, Exception):
        bases = [
            c for c in (TypeError, ValueError, IndexError, OverflowError) if isinstance(theirs, c)
        ]
        # That a sequence is no number is an error of its shape, whatever comes first in NumPy.
        also = (ValueError,) if isinstance(theirs, TypeError) and is_sequence else ()
        if isinstance(ours, Exception) and isinstance(ours, (*bases, *also, NotImplementedError)):
            return ""
        if any(text in str(theirs) for text in TAKEN):
            return ""
        return f"NumPy raises {theirs!r}, and it gives {ours!r}"
    if isinstance(ours, Exception):
        is_known = isinstance(ours, NotImplementedError) or any(
            x.dtype.kind in "OU" for x in theirs
        )
        return "" if is_known else f"NumPy gives {theirs}, and it raises {ours!r}"
    same = all(
        x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind in "fc")
        for x, y in zip(ours, theirs, strict=True)
    )
    return "" if same else f"NumPy gives {theirs}, and it {ours}"


def is_undefined(line, value, dtype):
    """Floats are cast to integers that do not hold them."""
    if any(word in line for word in ("where", "clip", "select", "append", "concatenate", "linspace",
                                     "+=", "*=", "-=", "/=", "&=")):  # fmt: skip
        return False
    number = eval(value, {"np": np, "N": np})
    return number is not None and not isinstance(number, list | tuple) and cast(number, dtype)


@pytest.fixture
def device():
    """One: what is stored and which error there is is decided before any device is asked."""
    ids = [d.id for d in treadle.devices() if d.traits.runs_kernels]
    with treadle.find_device(ids[0]) as found:
        yield found


def test_values_are_stored_and_refused_as_in_numpy(device):
    lines = list(itertools.product(entries(STORES), entries(VALUES), "?bBhHiIlLefdFD"))
    random.Random(SEED).shuffle(lines)
    wrong = []
    for line, value, dtype in lines[:CASES]:
        ours, theirs = (outcome(module, line, value, dtype) for module in (tnp, np))
        if "np.pad" in line and value.startswith("np.array("):
            continue  # a number on the device, at which nobody looks
        if not isinstance(theirs, Exception) and is_undefined(line, value, dtype):
            continue
        if is_refused_choice(line, ours):
            continue
        if found := difference(ours, theirs, "[" in value or "(1" in value):
            wrong.append(f"v = {value}, dtype {dtype}: {line}: {found}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:100])


def test_corner_cases_are_as_in_numpy(device):
    found = {
        line: difference(outcome(tnp, line), outcome(np, line)) for line in entries(LINES, "\n")
    }
    assert {line: text for line, text in found.items() if text} == {}
