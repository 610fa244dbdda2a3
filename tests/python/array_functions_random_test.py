# SPDX-License-Identifier: MIT
"""Functions of arrays drawn with their arguments: sorts, sets, histograms, order statistics, what
is put in and taken out, sums and scans, of every dtype, of views, with NaN and infinities. Result,
dtype, shape, what an argument is afterwards, and whether it is refused are NumPy's.

TREADLE_RANDOM_CASES and TREADLE_RANDOM_SEED draw others.
"""

import os
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from tests.python import known_differences

CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "60"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "32"))
NUMPY = tuple(map(int, np.__version__.split(".")[:2]))
DTYPES = "? u1 i1 u2 i2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
METHODS = """inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen
    weibull linear median_unbiased normal_unbiased lower higher midpoint nearest""".split()
PADS = """constant edge linear_ramp maximum mean median minimum reflect symmetric wrap""".split()
# Of arrays x and y; k, n and s are small integers, i several, q a fraction, axis may be None or not
# be there, along is an axis, t a truth.
LINES = """
    np.sort(x, axis); np.argsort(x, axis, kind="stable"); np.sort(np.partition(x, k, axis), axis)
    np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    np.unique(x, axis=axis, return_counts=True, return_inverse=True); x.sort(along)
    np.median(x, axis, keepdims=t); np.nanmedian(x, axis, keepdims=t); np.lexsort(x, along)
    np.quantile(x, [q, .3], axis, method=method, keepdims=t)
    np.nanquantile(x, q, axis, method=method); np.ravel(x, "F")
    np.histogram(x, n + 1, (-2, 5), density=t); np.histogram(x, [-3, 0, 1, 4])
    np.histogram(x, n + 1)
    np.bincount(x, minlength=n); np.digitize(x, y, right=t); np.digitize(y, np.sort(x.ravel()))
    np.searchsorted(np.sort(y, None), x, side); np.nonzero(x); np.argwhere(x); np.flatnonzero(x)
    np.union1d(x, y); np.intersect1d(x, y); np.setdiff1d(x, y); np.setxor1d(x, y)
    np.isin(x, y, invert=t); np.take(x, i, axis, mode=mode); np.repeat(x, n, axis)
    np.delete(x, i, axis); np.insert(x, k, 3, axis); np.append(x, y, axis); np.roll(x, k, axis)
    np.pad(x, n, pad); np.tile(x, (n, 2)); np.diff(x, n, along); np.ediff1d(x)
    np.gradient(x, axis=axis); np.cumsum(x, axis); np.cumprod(x, axis); np.nancumsum(x, axis)
    np.kron(x, y); np.outer(x, y); np.convolve(x, y); np.correlate(x, y, "same")
    np.cov(x, rowvar=t); np.corrcoef(x); np.packbits(x, axis); np.unpackbits(x, axis)
    np.trim_zeros(x); np.argmax(x, axis, keepdims=t); np.ptp(x, axis); np.tril(x, k); np.diag(x, k)
    np.compress([True, False, True][:n], x, axis); np.flip(x, axis); np.rot90(x, k)
    np.trapezoid(x, dx=2, axis=along); np.average(x, axis); np.count_nonzero(x, axis)
    np.vander(x, n); np.unwrap(x); np.array_split(x, n + 1, along); np.resize(x, (2, n))
    np.interp(x, [-1, 0, 2, 5], [1, 2, 0, 3.5]); np.nan_to_num(x); np.cross(x, y)
    np.place(x, x > 1, [7, 8]); np.putmask(x, x > 1, y); np.add.at(x, i, 1); np.polyval(x, y)
    np.add.reduceat(x, i, along); np.fill_diagonal(x, 3, wrap=t); np.maximum.accumulate(x, along)
    np.take_along_axis(x, np.argsort(x, axis), axis); np.logaddexp.reduce(x, along)
    np.bincount(np.ravel(x)[:5], np.ravel(y)[:5]); np.block([[x, x]]); np.clip(x, a_min=0, a_max=3)
    np.histogram2d(np.ravel(x), np.ravel(x), bins=3)[0]; np.std(x, axis, mean=2)
    np.choose(x, [y, y], mode=mode)
    np.unravel_index(x, (3, 4)); np.stack([x, x], along, dtype="c16"); np.select([x > 1], [x], 2)
"""
LINES = [line.strip() for line in LINES.replace("\n", ";").split(";") if line.strip()]


def drawn_array(rng, axes):
    """An array of small numbers, and the views that are taken of it."""
    dtype, shape = str(rng.choice(DTYPES)), tuple(map(int, rng.integers(0, 6, axes)))
    is_signed = dtype[0] not in "?u"
    x = rng.integers(-4 if is_signed else 0, 9, shape)
    x = (x > 3) if dtype == "?" else x.astype(dtype)
    if dtype[0] == "c":
        x = (x + 1j * rng.integers(0, 3, shape)).astype(dtype)
    if dtype[0] in "fc" and x.size and rng.random() < 0.3:
        x = x.copy()
        x.reshape(-1)[rng.integers(x.size)] = rng.choice([np.nan, np.nan, np.inf])
    views = []
    if rng.random() < 0.3:
        views.append(lambda a: a.T)
    if axes and rng.random() < 0.4:
        views.append(lambda a: a[::-1])
    if axes and rng.random() < 0.2:
        views.append(lambda a: a[..., ::2])
    if rng.random() < 0.1:
        views.append(lambda a: a[None])
    return x, views


def drawn_names(rng):
    """What the names of a line stand for, without np; arrays are pairs of drawn_array()."""
    x, y = drawn_array(rng, int(rng.integers(0, 4))), drawn_array(rng, int(rng.integers(0, 3)))
    names = {"x": x, "y": y, "k": int(rng.integers(-3, 7)), "n": int(rng.integers(0, 4))}
    axis = int(rng.integers(-x[0].ndim - 1, x[0].ndim + 1))
    names |= {"axis": None if rng.random() < 0.25 else axis, "along": axis}
    names |= {"q": float(rng.choice([0, 0.1, 0.5, 0.9, 1])), "t": bool(rng.random() < 0.5)}
    names |= {"i": rng.integers(-5, 6, int(rng.integers(0, 4))), "pad": str(rng.choice(PADS))}
    names |= {
        "method": str(rng.choice(METHODS)),
        "mode": str(rng.choice(["raise", "wrap", "clip"])),
    }
    return names | {"side": str(rng.choice(["left", "right"]))}


def host(value):
    if isinstance(value, tuple | list):
        return [part for one in value for part in host(one)]
    return [value.get() if isinstance(value, treadle.Array) else value]


def outcome(module, line, names):
    scope = {"np": module, **names}
    for name in "xy":
        value, views = names[name]
        scope[name] = module.asarray(value.copy())
        for view in views:
            scope[name] = view(scope[name])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return [*host(eval(line, scope)), *host(scope["x"])]
        except Exception as error:
            return error


def is_left_out(line, names):
    """What NumPy has by chance, and what is Treadle's own by docs/arrays.md."""
    x, y = names["x"][0], names["y"][0]
    is_complex = "c" in (x.dtype.kind, y.dtype.kind)
    if line.startswith(("np.histogram", "np.digitize", "np.interp")) and is_complex:
        return True  # by real parts, with a warning
    if "unwrap" in line and x.dtype.kind == "u":
        return True  # differences that wrap around
    not_finite = [not np.all(np.isfinite(a)) for a in (x, y)]
    if is_complex and any(not_finite):
        return True  # products of complex infinities
    if "quantile" in line and known_differences.call("quantile", [x], {}):
        return True
    if line.startswith("np.gradient") and x.dtype == bool:
        return True  # differences of 0 and 1; NumPy refuses them
    if line.startswith("np.cross") and NUMPY >= (2, 5):
        return True  # vectors of two elements are gone there
    if "cumprod" in line and x.dtype == np.float16:
        return True  # of which NumPy rounds each product
    if line.startswith("np.unique(x, axis") and not_finite[0]:
        return True  # rows with NaN in any order
    return line.startswith(("np.take(", "np.compress(")) and x.size == 0


def require_same(ours, theirs):
    if isinstance(theirs, Exception):
        assert isinstance(ours, Exception), f"gives {ours!r}; NumPy raises {theirs!r}"
        kinds = (TypeError, ValueError, IndexError, ZeroDivisionError)
        assert isinstance(ours, kinds), f"{ours!r}; NumPy raises {theirs!r}"
        return
    assert not isinstance(ours, Exception), f"raises {ours!r}; NumPy gives {theirs!r}"
    for one, other in zip(ours, theirs, strict=True):
        if other is None or one is None:
            assert one is other
            continue
        one, other = np.asarray(one), np.asarray(other)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), f"{one!r}; NumPy: {other!r}"
        tolerance = 5e-3 if other.dtype == "f2" else 1e-5
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def test_drawn_functions_give_or_raise_what_they_do_in_numpy():
    wrong = []
    with treadle.find_device("cpu"):
        for case in range(CASES):
            rng = np.random.default_rng([SEED, case])
            line, names = str(rng.choice(LINES)), drawn_names(rng)
            if is_left_out(line, names):
                continue
            try:
                require_same(outcome(tnp, line, names), outcome(np, line, names))
            except AssertionError as error:
                x, y = names["x"], names["y"]
                rest = {k: v for k, v in names.items() if k not in "xy"}
                wrong.append(
                    f"case {case}: {line}: {error}\n  x = {x[0]!r}, {len(x[1])} views\n"
                    f"  y = {y[0]!r}, {len(y[1])} views\n  {rest}"
                )
    if wrong:
        pytest.fail("\n".join(wrong))
