# SPDX-License-Identifier: MIT
"""Lists beside arrays, numbers alone, elements as numbers, outputs larger than a result: each line
is run by NumPy, too."""

import enum
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

LINES = {
    "lists beside arrays": """
        f + [1, 2, 3] | [1, 2, 3] - f | f * (1, 2.5, 3) | i / [[1], [2]] | i // range(1, 4)
        f ** [1, 2, 3] | i << [1, 2, 3] | f % [2, 2, 2] | i & [1, 0, 1] | divmod(i, [1, 2, 3])[1]
        [1, 5, 3] == i | i == [1, 5, 3] | i != (1, 5, 3) | f < [0, 9, 0] | f + bytearray(b"abc")
        np.ones(0) + [] | f + [1, 2] | f + [1, [2, 3]] | f + ["a", "b", "c"] | f + {1: 2}
        f + "abc" | f + b"abc" | i + [None, 1, 2] | np.maximum(f, [9, 0, 9])
        np.where(f > 1, [7, 8, 9], f) | u + [300, 1, 2] | np.clip(f, [0, 1, 0], 2)
        np.isclose(f, [1, 2, 3]) | np.add([1, 2], [3, 4]) | f.dot([1, 2, 3])
    """,
    "lists in place": """
        f += [1, 2, 3] | f *= [[2, 2, 2]] | i //= (1, 2, 3) | i **= [1, 2, 3] | i &= [1, 1, 1]
        i /= [1, 2, 3] | u += [1, 2, 3] | f += [[1], [2]]
    """,
    "numbers alone": """
        np.sqrt(2) | np.add(1, 2) | np.add(True, True) | np.multiply(2.5, 1) | np.less(1, 2)
        np.sin(np.float32(2)) | np.add(np.float32(2), 1) | np.hypot(3, 4) | np.invert(5)
        np.power(2, -1) | np.power(2, 3) | np.divmod(7, 2)[1] | np.where(True, 1, 2.5)
        np.exp(1j) | np.ldexp(1.5, 2) | np.add(1, 2, dtype="f4") | np.sqrt(2, dtype="f4")
        np.negative(True) | np.isclose(1, 1 + 1e-9) | np.isclose(1, 2) | np.isclose(1, [1, 2])
        np.float_power(2, -1) | np.add(1, 2, out=f) | np.average(5, weights=2)
        np.floor_divide(7, 0) | np.add(1, "a")
    """,
    "integers beyond 64 bits": """
        i + 2**70 | 2**70 % i | u * 2**64 | b * 2**70 | i & 2**70 | i ** 2**70 | f + 2**70
        f * -(2**200) | u < 2**70 | i == 2**64 | i > -(2**64) | 2**70 > i
        np.clip(i, None, 2**70) | np.maximum(i, 2**70) | i.fill(2**70) | f.fill(2**70)
    """,
    "outputs larger than the result": """
        np.add(f, 1, out=m) | np.add(1, 2, out=m) | np.sqrt(np.ones((2, 1)), out=m)
        np.less(f, 2, out=n) | np.add(f, 2, out=m, where=np.asarray([[True], [False]]))
        np.clip(f, 0, 2, out=m) | f.clip(0, 2, m) | np.modf(f, out=(m, None))[0]
        np.divmod(f, 2, out=(None, m))[1] | np.deg2rad(f, out=m)
        np.outer(f, np.ones(1), out=np.ones((3, 4))) | np.isposinf(f, out=n) | np.fix(f, out=m)
        np.float_power(f, 2, out=m) | np.add(m[0], 1, out=m)
        np.add(f, [1, 2, 3], out=m.T[:, ::-1].T) | np.add(m, 1, out=f)
        np.add(np.ones((1, 3)), 2, out=f) | np.add(f, 1, out=m.astype("i4"))
        np.add(f, 2, out=f, where=np.ones((2, 3), bool)) | np.sum(m, axis=0, out=m)
        np.sum(m, out=f) | np.max(np.ones((2, 1)), axis=0, out=f) | np.concatenate([f], out=m)
        np.stack([f], out=m) | np.round(f, 1, out=m) | np.take(f, [0, 1], out=m)
        np.dot(f, f, out=f) | np.mean(m, axis=1, out=m[0])
    """,
    "powers": """
        b**2 | b**3 | b**-1 | b**True | b**np.int64(2) | np.power(b, 2) | u**-1 | i**-1 | u**2
        b[0]**2 | np.power(u, -2) | 2**i | f**-1 | i**np.int8(-1) | b**2.0
    """,
    "numbers of a program's classes": """
        f + K.three | i + K.three | u + K.three | K.three - f | f * Half(0.5) | i * Half(0.5)
        f == K.three | f.fill(K.three) | u.fill(Large(300)) | np.maximum(i, K.three)
        np.full(2, K.three) | f[K.three - 1] | np.clip(i, K.three, None)
    """,
    "what no element is equal to": """
        f == None | f != None | f == "a" | i != b"a" | None == i | m == None
        np.ones((0, 2)) == None | f < None | f + None
    """,
    "a number for all elements": """
        f.fill([1, 2, 3]) | f.fill([5]) | f.fill(np.asarray([5])) | f.fill(())
        f.fill(np.asarray(5)) | f.fill(f) | f.fill(np.asarray([[5]])) | np.ones(0).fill([1, 2])
        f.fill(f[0])
    """,
    "first numbers beyond a dtype": """
        np.arange(300, 302, dtype="u1") | np.arange(254, 257, dtype="u1")
        np.arange(255, 258, dtype="u1") | np.arange(-1, 3, dtype="u1")
        np.arange(0, -3, -1, dtype="u1") | np.arange(0, 1e10, 1e10, dtype="i4")
        np.arange(0.5, 3, dtype="i4") | np.arange(300, 300, dtype="u1")
        np.arange(2**64 - 2, 2**64 - 1, dtype="u8")
    """,
    "limits of other dtypes": """
        np.clip(i, 300, np.inf) | np.clip(u, -1, 300) | np.clip(u, 300, None) | np.clip(u, 2, 3.5)
        np.clip(f, np.float64(0), 1) | np.clip(u, None, np.int16(2)) | np.clip(i, 1j, 3)
    """,
    "arrays without axes": """
        np.nanmean(z, axis=0) | np.nanvar(np.asarray(3), axis=0)
        np.nanmean(np.asarray(3), axis=0) | np.nanstd(np.asarray(True), axis=-1)
        np.mean(z, axis=0) | np.sum(z, axis=0) | np.nansum(z, axis=-1)
    """,
    "borders": """
        np.pad(f, 2, "edge") | np.pad(m, 2, "reflect") | np.pad(m, (1, 7), "reflect")
        np.pad(i, 9, "symmetric") | np.pad(m, ((1, 2), (3, 4)), "wrap") | np.pad(u, 5, "wrap")
        np.pad(f, 4, "reflect", reflect_type="odd") | np.pad(m, 8, "symmetric", reflect_type="odd")
        np.pad(i, (2, 3), "linear_ramp", end_values=(7, -9)) | np.pad(m, 2, "linear_ramp")
        np.pad(m, 1, "maximum") | np.pad(m, 1, "minimum", stat_length=1) | np.pad(i, 2, "mean")
        np.pad(m, 2, "mean", stat_length=((1, 2), (2, 1))) | np.pad(i, 1, "median")
        np.pad(f, 0, "wrap") | np.pad(m, {0: 1, -1: (2, 0)}, "edge") | np.pad(b, 2, "edge")
        np.pad(np.ones((0, 2)), 1, "edge") | np.pad(f, 1, "mean", stat_length=0)
        np.pad(f, -1, "edge") | np.pad(f, 1, "mirror") | np.pad(f, 1, "edge", end_values=1)
        np.pad(f, [1, 2, 3], "edge") | np.pad(np.ones((1, 1)), 3, "reflect")
        np.pad(m, 1, lambda v, w, axis, given: v.__setitem__(slice(0, w[0]), 7))
    """,
    "parts that are the same": """
        np.unique(p, axis=0) | np.unique(p, axis=-1) | np.unique(p, axis=0, return_counts=True)[1]
        np.unique(p, axis=0, return_index=True)[1] | np.unique(p, axis=0, return_inverse=True)[1]
        np.unique(p, axis=1, return_inverse=True)[1] | np.unique(np.ones((3, 0)), axis=0)
        np.unique(np.ones((0, 3)), axis=0) | np.unique(p.reshape(2, 2, 2), axis=2)
        np.unique(p, axis=2) | np.unique(f, axis=0) | np.unique(f, axis=1)
    """,
    "elements that count more": """
        np.quantile(f, 0.5, weights=[1, 2, 9], method="inverted_cdf") | np.quantile(f, 0, weights=f)
        np.percentile(m, [0, 30, 100], axis=1, weights=[0, 5, 1], method="inverted_cdf")
        np.quantile(m, [0.2, 1], axis=0, weights=m, method="inverted_cdf")
        np.quantile(m, 0.3, weights=f, axis=1, method="inverted_cdf")
        np.quantile(m, 0.3, weights=m, axis=(0, 1), method="inverted_cdf")
        np.nanquantile(m / m, 0.3, weights=m, axis=1, method="inverted_cdf")
    """,
    "rules for bins": """
        np.histogram(m, "auto")[0] | np.histogram_bin_edges(m, "fd") | np.histogram(i, "sturges")[1]
        np.histogram_bin_edges(m, "sqrt") | np.histogram_bin_edges(i, "rice", (0, 3))
        np.histogram_bin_edges(m, "scott") | np.histogram_bin_edges(m, "doane")
        np.histogram(f, "auto", weights=f) | np.histogram(f, "most")
    """,
    "reductions of functions from a number on": """
        np.bitwise_or.reduce(i, initial=8) | np.bitwise_and.reduce(i, where=b)
        np.logaddexp.reduce(f, initial=1.0) | np.fmax.reduce(f, where=b, initial=-7)
        np.bitwise_xor.reduce(p, axis=1, where=p > 0) | np.fmax.reduce(f, where=b)
    """,
}  # fmt: skip
PROGRAMS = r"""
f[0], f[2] = f[2], f[0]
m[0, 0], m[1, 2] = m[1, 2], m[0, 0]
t = f[0]; f[0] = f[1]; f[1] = t
t = f[0]; t += 5
t = f[0]; f += 1
t = f[0, ...]; f += 1
t = f[-1]; f.fill(9); t = t * 2
t = f[...]; t += 1
t = z[...]; t += 1
t = z[()]; t += 1
t = m[1]; t += 1
t = [v for v in f]; f *= 2; t = sum(t)
total = f[0]; total += f[1]; total += f[2]
total = 0; total += f.sum(); before = total; total += f.sum()
t = i.sum(); t /= 2
t = i.max(); t += 0.5
t = i.sum(); s = t; t -= 1
t = f.mean(); s = t; t **= 2
t = np.sqrt(2); s = t; t *= np.ones(2)
t = z; t += 1
t = np.zeros(()); s = t; t += f.sum()
t = i[1]; i[1] = 7; i[2] = t
for k in range(2):\n    m[k, k], m[k, k + 1] = m[k, k + 1], m[k, k]
best = f[0]\nfor v in f:\n    best = v if v > best else best\nf.fill(0)
""".strip().splitlines()


class K(enum.IntEnum):
    three = 3


class Half(float):
    pass


class Large(int):
    pass


@pytest.fixture(params=[d.id for d in treadle.devices() if d.traits.runs_kernels])
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


def scope_of(module):
    host = np.arange(6, dtype="f8").reshape(2, 3)
    values = {"f": np.asarray([1.5, 2, -3], "f4"), "i": np.asarray([1, 5, 2], "i4"), "m": host}
    values |= {"u": np.asarray([1, 2, 3], "u1"), "b": np.asarray([True, False, True])}
    values["p"] = np.asarray([[1, 0], [0, 2], [1, 0], [0, 1]])
    values |= {"n": host > 1, "z": np.asarray(2.5)}
    arrays = {name: module.asarray(value.copy()) for name, value in values.items()}
    return {**arrays, "np": module, "K": K, "Half": Half, "Large": Large}


def host(value):
    return value.get() if isinstance(value, treadle.Array) else value


def outcome(module, text, names):
    """What the line gives, and what the names stand for afterwards; or its error."""
    scope = scope_of(module)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if names:
                exec(text, scope)
                return [host(scope[name]) for name in names if name in scope]
            value = eval(text, scope)
            return [host(value), *(host(scope[name]) for name in "fium")]
        except Exception as error:
            return error


def require_same(text, ours, theirs):
    if isinstance(theirs, Exception):
        kinds = (OverflowError, TypeError, ValueError, IndexError, AttributeError)
        kinds += (ZeroDivisionError,)
        wanted = tuple(kind for kind in kinds if isinstance(theirs, kind))
        assert isinstance(ours, wanted), f"{text} gives {ours!r}; NumPy raises {theirs!r}"
        return
    assert not isinstance(ours, Exception), f"{text} raises {ours!r}; NumPy gives {theirs!r}"
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(other, np.ndarray | np.generic):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), (
                f"{text}: {one!r}, {other!r}"
            )
        np.testing.assert_allclose(
            one, other, rtol=1e-6, err_msg=text
        ) if other is not None else None


def lines_of(kind):
    return [line.strip() for part in LINES[kind].split("\n") for line in part.split(" | ")][1:-1]


def differences(texts, names):
    """Of programs that differ from NumPy's."""
    found = []
    for text in texts:
        ours, theirs = outcome(tnp, text, names), outcome(np, text, names)
        try:
            require_same(text, ours, theirs)
        except AssertionError as error:
            found.append(str(error))
    return found


# A test for each kind, of which `make test` takes a share on OpenCL.
@pytest.mark.parametrize("kind", LINES)
def test_a_line_gives_or_raises_what_it_does_in_numpy(device, kind):
    wrong = differences(lines_of(kind), "fiu" if kind == "lists in place" else "")
    assert not wrong, "\n".join(wrong)


def test_elements_and_results_without_axes_are_numbers(device):
    texts = [program.replace("\\n", "\n") for program in PROGRAMS]
    names = ["f", "i", "m", "z", "t", "s", "total", "before", "best"]
    wrong = differences(texts, names)
    assert not wrong, "\n".join(wrong)


def test_lists_go_to_the_device_of_the_array():
    for found in treadle.devices():
        if found.traits.runs_kernels:
            x = tnp.asarray([1.0, 2.0], device=found)
            assert (x + [1, 2]).device is found and ([1, 2] * x).device is found


def test_numbers_alone_go_to_the_current_device_or_that_of_the_output(device):
    assert tnp.sqrt(2).device is device
    out = tnp.zeros(2)
    assert tnp.add(1, 2, out=out) is out and out.tolist() == [3, 3]


def test_an_element_waits_until_somebody_looks(device):
    x = tnp.asarray([1.0, 2.0])
    first = x[0]
    assert first.is_pending and first.shape == ()
    x[0] = 5
    assert float(first) == 1


def test_a_record_is_a_view(device):
    records = tnp.asarray(np.zeros(2, [("a", "f4"), ("b", "f4")]))
    records[1]["a"] = 7
    assert records["a"].tolist() == [0, 7]


def test_a_list_is_nothing_that_a_kernel_writes_to(device):
    double = treadle.ElementwiseKernel("const float *x, float *y", "y[i] = 2 * x[i]")
    assert double(np.ones(2, "f4")).tolist() == [2, 2]
    with pytest.raises(TypeError, match="is written to, and a list"):
        double(tnp.zeros(2, "f4"), [1.0, 2.0])
