# SPDX-License-Identifier: MIT
"""Infinities, NaN, nothing and axes that are not there in functions of arrays, and their arguments
by NumPy's names: each line is run by NumPy, too."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from tests.python.array_beside_numpy_test import require_same

LINES = {
    "sums of products beside what is not finite": """
        np.convolve([-2, 1, 2], a([inf, 1, 3])) | np.convolve(a([inf, 1, 3]), [-2, 1, 2], "same")
        np.convolve(a([1, nan]), [1, inf, 3, 4]) | np.convolve(a([1, 2, 3], "f4"), [nan, 2])
        np.correlate(a([-2, 1, 2]), [inf, 1, 3], "full") | np.polymul(a([1, inf]), [2, 0])
        np.correlate(a([1, 2, 3]), [inf, -inf], "same") | np.convolve(a([1, 2, 3], "i4"), [4, 5])
    """,
    "axes": """
        np.gradient(f, axis=-2) | np.gradient(m, axis=(0, 0)) | np.gradient(m, axis=-2)
        np.gradient(a(3.0)) | np.logaddexp.reduce(f, axis=-2) | np.logaddexp.reduce(a(3.0))
        np.logaddexp.reduce(a(3.0), axis=1) | np.logaddexp.reduce(m, axis=(0, 0))
        np.gcd.reduce(i, axis=1) | np.gcd.reduce(i, axis=-1) | np.logaddexp.reduce(m, axis=(0, -1))
        np.trim_zeros(m, axis=-3) | np.trim_zeros(m, axis=5) | np.apply_over_axes(np.sum, m, 2)
        np.take(z, [0, 0], axis=0) | np.repeat(z, 2, axis=-1) | np.compress([True], z, axis=0)
        np.packbits(z, axis=0) | np.unpackbits(z, axis=-1) | np.take(z, [0], axis=1)
        z.take([0], axis=0) | z.repeat([2], axis=0) | z.compress([False], axis=0)
        np.repeat(z, [3], axis=0) | np.packbits(z, axis=1)
    """,
    "dtypes": """
        np.logaddexp.reduce(i) | np.logaddexp.reduce(b) | np.logaddexp.accumulate(i)
        np.logical_xor.reduce(i) | np.logical_xor.accumulate(i) | np.logical_and.reduceat(i, [0, 1])
        np.gradient(f, [0, 1, 3]) | np.gradient(f, [0, 1, 3], edge_order=2) | np.ediff1d(b)
        np.gradient(i, a([0, 1, 3], "f4")) | np.polyval(i, b) | np.polyval(i, f) | np.polyval(b, b)
        np.polyval(a([100, 100], "i1"), a([3], "i1")) | np.polyval(a([]), f)
        np.nanquantile(a(np.zeros((0, 3), int)), .5, axis=1, method="lower")
    """,
    "places": """
        np.unravel_index(a([42]), (6, 7)) | np.unravel_index(a([41, -1]), (6, 7))
        np.unravel_index(a([], "i4"), (6, 7)) | np.unravel_index(a(7, "u8"), (6, 7), order="F")
        np.unravel_index([3.0], (6, 7)) | np.ravel_multi_index((a([5, 6]), a([6, 0])), (6, 7))
        np.ravel_multi_index((a([-1]), a([0])), (6, 7)) | np.ravel_multi_index((5, 6), (6, 7))
        np.ravel_multi_index((a([9]), a([9])), (6, 7), ("wrap", "raise"))
        np.choose(a([0, 1, 2]), [f, i], mode="raise") | np.choose(a([0, 3]), [1, 2], mode="wrap")
        np.choose(a([0, 1, 1]), [f, i], mode="clip", out=f)
    """,
    "edges of bins": """
        np.digitize([0, .5, 2, nan], a([0, 1, nan])) | np.digitize([0, 2, nan], a([nan, 1, 0]))
        np.digitize([0, .5, 2], a([nan, 1, 2])) | np.digitize([0, 2, nan], a([0, nan, nan]), True)
        np.digitize([0, 2], a([1, 1, 1])) | np.digitize([0, 2, nan], a([3, 1, nan]))
    """,
    "nothing": """
        np.average(a(np.zeros((0, 3))), axis=1) | np.fft.fftfreq(0) | np.fft.rfftfreq(0)
        np.fft.fftfreq(3, 0.0)
    """,
    "keywords": """
        np.clip(f, a_min=0, a_max=2) | np.clip(a=f, min=0, max=2) | np.clip(f, 0, 2, m)
        np.stack([f, i], dtype="c8") | np.hstack([f, f], dtype="f8") | np.vstack([f, i], dtype="f4")
        np.vstack([f, f], dtype="i4") | np.vstack([f, f], dtype="i4", casting="unsafe")
        np.std(f, mean=np.mean(f)) | np.var(m, 0, ddof=1, mean=np.mean(m, 0, keepdims=True))
        np.var(m, 1, mean=m[:, :1], where=m > 1, keepdims=True) | np.std(i, mean=2)
        np.angle(f - 1j, deg=True) | np.angle(z=f, deg=False) | np.isin(f, [2], kind="sort")
        np.isin(f, [2], kind="some") | np.partition(f, 1, kind="introselect")[1]
        np.partition(f, 1, kind="some") | np.logspace(a([0, 1]), [2, 3], 4, axis=1)
        np.logspace(0, a([2, 3]), 4, base=[2, 3], axis=-1) | np.logspace(0, 2, 4, axis=-1)
        np.eye(N=2, M=3) + z | np.eye(2, 3, 1, order="F") + z | np.tile(A=f, reps=(2, 1))
        np.fill_diagonal(t, 3, wrap=True) | np.fill_diagonal(t, [1, 2], True)
        np.fill_diagonal(t, [4, 5, 6]) | np.fill_diagonal(t.T, [4, 5, 6]) | np.fill_diagonal(f, 1)
        np.fill_diagonal(a(np.zeros((2, 2, 2))), 1) | np.sum(a=f) | np.max(a=m, axis=0)
        np.flip(m=f) | np.hstack(tup=[f, f]) | np.put(a=f, ind=[0], v=[9]) | np.squeeze(a=f)
        np.select(condlist=[f > 1], choicelist=[f]) | np.broadcast_to(array=f, shape=(2, 3))
        np.histogram(f, 3, weights=f * 1j)[0] | np.histogram(f, 3, weights=f * 1j, density=True)[0]
        np.histogramdd(f, 3, weights=f * 1j)
    """,
    "polynomials": """
        np.sort(np.roots(a([1, -6, 11, -6]))) | np.sort_complex(np.roots(a([1, 0, 2, 0, 0])))
        np.roots(a([0, 0])) | np.roots(f[:1]) | np.roots(a([0, 1, 0, 0], "f4")) | np.poly(i)
        np.poly(a([1j, -1j])) | np.poly(a([[1, 2], [3, 4.0]])) | np.poly([1 + 1j, 2]) | np.poly(m)
        np.poly([]) | np.polydiv(a([1, 5, 6]), [1, 2]) | np.polydiv([1, 2, 1], a([1, 1]))
        np.polydiv([1], a([1, 2])) | np.polydiv([2, 0, 1j], a([2])) | np.polyfit(a(x), a(y), 3)
        np.polyfit(a(x), y, 2, w=a(x) + 1) | np.polyfit(a(x), a([y, y]).T, 1, full=True)[1]
        np.polyfit(x, a(y), 2, cov=True) | np.polyfit(a(x, "f4"), a(y, "f4"), 1, cov="unscaled")
        np.polyfit(f, f, -1) | np.polyfit(f, [1, 2], 1) | np.polyfit(f[:2], f[:2], 1, cov=True)
    """,
    "grids": """
        np.r_[i, 0, 1:5] | np.r_[1:4, 0, 4] | np.r_[0:1:5j] | np.r_["-1", m, m] | np.r_["0,2", i, i]
        np.r_["1,2,0", i, i] | np.r_["0,3,1", m, m] | np.r_[f, 1.5] | np.c_[f, i] | np.c_[m, m]
        np.c_[1:4, f] | np.mgrid[0:3, 0:1:3j] | np.mgrid[-1:1:5j] | np.ogrid[0:3, 0:2:0.5]
        np.mgrid[0:2, 1:3] | m[np.s_[1:, ::2]] | m[np.index_exp[0]]
    """,
    "methods": """
        i.choose([f, f, f], mode="wrap") | b.choose([i, f]) | f.astype("f8", casting="safe")
        f.astype("i4", casting="same_kind") | m.astype("f4", "F") | m.astype("f4", casting="no")
        m.T.flat[3] | m.flat[1:4] | m.T.flat[[0, 5]] | list(m.T.flat) | len(m.flat)
        np.asarray(m[:, ::2].flat) + 0 | m.flat.__setitem__(slice(1, 5, 2), [7, 8])
        m.T.flat.__setitem__(slice(None), [7, 8.5]) | f.flat.__setitem__(0, 3) | f.flat.copy()
        m.take([0, 1], axis=1, out=t[:2]) | f.take([0, 2], out=np.zeros(2, "f4"))
    """,
    "functions of the host": """
        np.vectorize(lambda u, v: u + 2 * v)(i, 3) | np.vectorize(lambda u: (u, u * 0.5))(f)[1]
        np.vectorize(abs, otypes=["f4"])(i) | np.frompyfunc(divmod, 2, 2)(i, 4)[1].astype(int)
        np.require(m, "f4", ["F"]) | np.require(m.T, requirements="C") | np.require(m, None, "CF")
        np.broadcast(m, f).shape | [tuple(map(float, t)) for t in np.broadcast(m, f)]
        [10 * k[0] + k[1] + float(v) for k, v in np.ndenumerate(m)]
    """,
}

X = np.linspace(0, 3, 8)


def scope_of(module):
    def array(values, dtype=None):
        return module.asarray(np.array(values, dtype or (None if np.ndim(values) else "f8")))

    names = {"f": [1.5, 2, -3], "i": [4, 6, 2], "b": [True, False, True]}
    scope = {name: module.asarray(np.array(values)) for name, values in names.items()}
    scope["f"], scope["i"] = scope["f"].astype("f4"), scope["i"].astype("i2")
    scope |= {"m": module.asarray(np.arange(6.0).reshape(2, 3)), "np": module, "a": array}
    return scope | {"z": module.asarray(np.uint8(5)), "t": module.asarray(np.zeros((7, 2)))} | {
        "inf": np.inf, "nan": np.nan, "x": X.tolist(), "y": np.sin(X).tolist()
    }  # fmt: skip


def host(value):
    if isinstance(value, tuple):
        return [host(part) for part in value]
    return value.get() if isinstance(value, treadle.Array) else value


def outcome(module, line):
    scope = scope_of(module)
    with np.errstate(all="ignore"):
        try:
            made = host(eval(line, scope))
        except Exception as error:
            return error
    return [*(made if isinstance(made, list) else [made]), *(host(scope[name]) for name in "fmt")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", LINES)
def test_a_line_gives_or_raises_what_it_does_in_numpy(kind):
    lines = [line.strip() for part in LINES[kind].split("\n") for line in part.split(" | ")][1:-1]
    wrong = []
    with treadle.find_device("cpu"):
        for line in lines:
            ours, theirs = outcome(tnp, line), outcome(np, line)
            try:
                require_same(line, ours, theirs)
                assert isinstance(ours, treadle.Error) or not isinstance(ours, ZeroDivisionError)
            except AssertionError as error:
                wrong.append(f"{line}: {error}")
    assert not wrong, "\n".join(wrong)


def test_what_is_left_of_signals_beyond_their_ends_on_opencl():
    for device in treadle.devices():
        if device.traits.runs_kernels and device.id.startswith("opencl"):
            with device:
                ours = tnp.convolve(tnp.array([-2.0, 1, 2]), [np.inf, 1, 3])
                np.testing.assert_array_equal(ours.get(), [-np.inf, np.inf, np.inf, 5, 6])
            return


def test_shapes_depend_on_values():
    found = tnp.__array_namespace_info__().capabilities()
    assert found["boolean indexing"] and found["data-dependent shapes"]


def test_elements_are_written_into_files_as_numpy_writes_them(tmp_path):
    host = np.arange(6, dtype="f4").reshape(2, 3).T
    with treadle.find_device("cpu"):
        ours = tnp.array(host)
        for sep in ("", ", "):
            ours.tofile(tmp_path / "ours", sep)
            host.tofile(tmp_path / "theirs", sep)
            assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
        ours.flat = [1, 2]
        assert ours.tolist() == [[1, 2], [1, 2], [1, 2]]


FLAT_KEYS = (0, -1, slice(5, 1, -2), [0, 2], [], (0,), (0, 1), None, True, 6, "a", np.int8(2))
FLAT_VALUES = (
    7,
    np.int64(3),
    [1, 2, 3],
    [[2], [3]],
    [5],
    [],
    np.array(3),
    np.array([3]),
    np.array([3, 4]),
)


@pytest.mark.parametrize("key", FLAT_KEYS, ids=repr)
def test_places_of_flat_take_what_numpys_take(key):
    def outcome(x, value):
        try:
            x.flat[key] = value
        except (ValueError, IndexError, TypeError) as error:
            return next(c for c in (IndexError, ValueError, TypeError) if isinstance(error, c))
        return np.asarray(x.get() if hasattr(x, "get") else x).tolist()

    with treadle.find_device("cpu"):
        for value in FLAT_VALUES:
            host = np.arange(6, dtype="f4").reshape(2, 3).T
            assert outcome(tnp.asarray(host), value) == outcome(host.copy("K"), value), value


def test_flat_refuses_integers_beyond_the_dtype():
    with treadle.find_device("cpu"):
        ours = tnp.zeros(3, "i1")
        for value in (200, np.uint8(200)):
            with pytest.raises(OverflowError):
                ours.flat[0] = value
        assert not ours.get().any()
