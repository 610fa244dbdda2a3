# SPDX-License-Identifier: MIT
"""Everyday lines of NumPy, for arrays of every dtype in every layout: result, dtype and the class
of an error are NumPy's.

TREADLE_RANDOM_CASES=5000 tries as many of the lines x dtypes x layouts, otherwise a few.
"""

import itertools
import os
import random
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from tests.python import undefined_in_numpy

CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "150"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "30"))
DTYPES = "?bBhHiIlLefdFD"
# Of what the module's asarray() makes of an array of shape (6, 8): x, and beside it y.
LAYOUTS = {
    "C": ("m(a[:3, :4])", "m(b[:3, :4])"),
    "F": ("m(N.asfortranarray(a[:3, :4]))", "m(b[:3, :4])"),
    "strided": ("m(a)[::2, ::2]", "m(b[:3, :4])"),
    "backwards": ("m(a)[::-2, ::-2]", "m(b)[3:, :4]"),
    "transposed": ("m(a[:4, :3]).T", "m(b[:3, :4])"),
    "a row": ("m(a[1])", "m(b[:, 2])[:, None]"),
    "every third": ("m(a).reshape(-1)[::3]", "m(b).reshape(-1)[:16]"),
    "repeated": ("np.broadcast_to(m(a[:1, :4]), (3, 4))", "m(b[:3, :4])"),
    "no axes": ("m(a[2, 3:4]).reshape(())", "m(b[:1, :4])"),
    "one element": ("m(a[2:3, 3:4])", "m(b[2:3, 3:4])"),
    "none": ("m(a[:0, :4])", "m(b[:1, :4])"),
    "no columns": ("m(a[:3, :0])", "m(b[:3, :1])"),
    "three axes": ("m(a).reshape(2, 6, 4)[:, 1::2]", "m(b[:3, :4])"),
}
LINES = """
    r = x + y; r = x - 1; r = 2 * x; r = x / y; r = x / 2; r = x // 2; r = x % 3; r = -x; r = +x
    r = abs(x); r = x**2; r = x**3; r = x**0.5; r = x**2.0; r = 2**x; r = x * x; r = x @ y.T
    r = x == y; r = x != 0; r = x > 1; r = x <= y; r = (x > 1) & (y < 3); r = ~(x > 1); r = x & 1
    r = x | y; r = x ^ 1; r = x << 1; r = x >> 1; r = x + 1.5; r = x + 1j; r = x * True
    r = x + N.float32(1); r = x + N.int8(1); r = 1 - x; r = 1 / (x + 1); r = 7 // (x + 1)
    r = divmod(x, 3); r = x * 2 + y * 3 - 1; r = 0.5 * (x + y)**2; r = x.sum(); r = x.sum(axis=0)
    r = x.sum(axis=-1); r = x.sum(axis=0, keepdims=True); r = x.mean(); r = x.mean(axis=-1)
    r = x.std(); r = x.var(axis=0); r = x.min(); r = x.max(axis=0); r = x.argmax()
    r = x.argmin(axis=-1); r = x.prod(); r = x.any(); r = x.all(axis=0); r = np.cumsum(x)
    r = x.cumsum(axis=0); r = np.median(x); r = np.ptp(x); r = np.count_nonzero(x)
    r = x.sum(dtype='f4'); r = np.average(x); r = np.dot(x.ravel(), x.ravel())
    r = np.linalg.norm(x); r = np.diff(x); r = np.trace(x); r = x.cumprod()
    r = np.where(x > 1, x, y); r = np.where(x > 1, x, 0); r = np.where(x != 0, 1, x)
    r = np.clip(x, 1, 3); r = np.clip(x, None, 2); r = x.clip(0)
    r = np.select([x > 2, x < 1], [x, -y], 7); r = np.maximum(x, 2); r = np.minimum(x, y)
    r = np.sign(x); r = np.round(x); r = np.round(x, 1); r = np.floor(x); r = np.sqrt(x)
    r = np.exp(x); r = np.sin(x); r = np.log1p(x); r = np.tanh(x); r = np.square(x); r = np.abs(x)
    r = x.real; r = np.arctan2(x, y); r = np.hypot(x, y); r = np.isnan(x); r = np.isfinite(x)
    r = np.conj(x); r = x.imag; r = np.angle(x); r = np.reciprocal(x + 1); r = np.logical_not(x)
    r = np.power(x, 2); r = np.mod(x, 2); r = x.astype('f4'); r = x.astype('i4')
    r = x.astype('?'); r = x.astype('D'); r = x.astype('u1'); r = x.astype('e'); r = x.copy()
    r = x.T; r = x.ravel(); r = x.reshape(-1); r = x[...]; r = x[0]; r = x[-1]; r = x[::-1]
    r = x[:, 1]; r = x[1:, :2]; r = x[..., 0]; r = x[None]; r = x[[0, -1]]
    r = x[x.shape[0] // 2:]; r = x.flatten(); r = np.concatenate([x, x])
    r = np.stack([x, x], axis=-1); r = np.tile(x, 2); r = np.repeat(x, 2); r = np.roll(x, 1)
    r = np.flip(x); r = np.rot90(x); r = np.squeeze(x); r = np.outer(x, x); r = np.zeros_like(x)
    r = np.ones_like(x); r = np.full_like(x, 2); r = np.expand_dims(x, 0); r = np.vstack([x, y])
    r = np.pad(x, 1); r = np.take(x, [0, 1]); r = np.tril(x); r = np.isin(x, [1, 2])
    r = np.broadcast_to(x, (2, *x.shape)); r = np.moveaxis(x, 0, -1); r = x.swapaxes(0, -1)
    r = np.split(x, 1); r = np.allclose(x, x); r = x.tolist(); r = len(x); r = bool(x.sum() > 0)
    r = float(x.sum()); r = int(x.max()); r = x.item(0); r = x.nbytes; r = x.ndim; x[...] = 1
    x[0] = 5; x[-1] = 2.5; x[:] = 3; x[::2] = 1; x[..., 0] = 2; x[1:] = x[:-1]; x[x > 1] = 0
    x[0] = x[-1]; x += 1; x -= y; x *= 2; x /= 2; x //= 2; x **= 2; x %= 3; x &= 1; x |= 1
    x <<= 1; x += 0.5; x *= x; x += x.T; x.fill(3); x[...] = y; np.copyto(x, y)
    np.add(x, y, out=x); x[[0, 1]] = 7; x[:, 1] += 1; x[0] += x[-1]; x[x == 0] = -1; x.T[...] = 4
    x.reshape(-1)[:2] = 9; x.ravel()[0] = 6; x.real = 2; x.imag = 2; x[0, 0] = 1j; x[::-1] = x
    x[1:] += x[:-1]; x[...] = x.sum(); np.multiply(x, 2, out=x); x[None, ...] = 8; x[()] = 3
    x[True] = 3; r = x[True]; r = x[False]; r = x[..., True]; np.clip(x, 0, 2, out=x)
    x[...] = [1]; x[0] = None; r = np.nansum(x); r = np.nanmax(x); r = np.nan_to_num(x)
    r = np.unwrap(x); r = np.interp(1.5, x.ravel(), x.ravel())
"""


def entries():
    return [e.strip() for line in LINES.strip().split("\n") for e in line.split(";")]


def hosts(dtype):
    rng = np.random.default_rng(7)
    for low, high in ((-3, 6), (0, 5)):
        values = rng.integers(max(low, 0) if np.dtype(dtype).kind in "u?b" else low, high, (6, 8))
        if np.dtype(dtype).kind in "fc":
            values = values / 2
        if np.dtype(dtype).kind == "c":
            values = values + 1j * rng.integers(-2, 3, (6, 8))
        yield values.astype(dtype)


def on_host(value):
    if isinstance(value, treadle.Array):
        return value.get()
    return [on_host(v) for v in value] if isinstance(value, tuple | list) else value


def outcome(module, line, layout, dtype):
    """r and x after the line, or its error."""
    a, b = hosts(dtype)
    scope = {"np": module, "N": np, "a": a, "b": b, "m": module.array}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        scope["x"], scope["y"] = (eval(text, scope) for text in LAYOUTS[layout])
        try:
            exec(line, scope)
        except Exception as error:  # noqa: BLE001
            return error
        return on_host([scope.get("r"), scope["x"]])


def is_same(ours, theirs):
    if isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(map(is_same, ours, theirs))
    if not isinstance(theirs, np.ndarray | np.generic):
        return type(ours) is type(theirs) and np.allclose(ours, theirs, 1e-3, equal_nan=True) \
            if isinstance(theirs, float | complex) else ours == theirs  # fmt: skip
    ours = np.asarray(ours)
    if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
        return False
    if theirs.dtype.kind not in "fc":
        return np.array_equal(ours, theirs)
    digits = {"e": 4e-3, "f": 3e-6, "F": 1e-5}.get(theirs.dtype.char, 1e-12)
    return np.allclose(ours.astype("D"), theirs.astype("D"), digits, digits, equal_nan=True)


# What NumPy refuses: arrays of negative exponents give 0, one element in brackets is taken, and
# ShapeError says what is wrong with tril() of a number.
KNOWN = ["negative integer powers", "exceed the maximum number of dimension", "tri() missing"]
BASES = (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError, AttributeError)


def difference(ours, theirs):
    if isinstance(ours, AttributeError):  # what there is not
        return ""
    if isinstance(theirs, Exception):
        if any(text in str(theirs) for text in KNOWN):
            return ""
        bases = [c for c in BASES if isinstance(theirs, c)]
        if isinstance(ours, (*bases, NotImplementedError)):
            return ""
        # Of an index and a value that are both wrong either may be told.
        if isinstance(theirs, IndexError) and isinstance(ours, TypeError):
            return ""
        return f"NumPy raises {theirs!r}, and it gives {ours!r}"
    if isinstance(ours, Exception):
        if isinstance(ours, NotImplementedError):
            return ""
        return f"NumPy gives {theirs}, and it raises {ours!r}"
    with np.errstate(all="ignore"):
        return "" if is_same(ours, theirs) else f"NumPy gives {theirs}, and it {ours}"


IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


# In parts, of which `make test` takes one on OpenCL.
@pytest.mark.parametrize("part", range(10))
def test_lines_do_what_they_do_in_numpy(device, part):
    cases = list(itertools.product(entries(), LAYOUTS, DTYPES))
    random.Random(SEED).shuffle(cases)
    wrong = []
    for line, layout, dtype in cases[:CASES][part::10]:
        theirs = outcome(np, line, layout, dtype)
        a, b = hosts(dtype)
        scope = {"N": np, "np": np, "m": np.array, "a": a, "b": b}
        x, y = (eval(text, scope) for text in LAYOUTS[layout])
        if undefined_in_numpy.statement(line, {"x": x, "y": y, "N": np}):
            continue
        if found := difference(outcome(tnp, line, layout, dtype), theirs):
            wrong.append(f"{layout}, {dtype}: {line}: {found}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:200])
