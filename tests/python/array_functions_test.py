# SPDX-License-Identifier: MIT
"""treadle.numpy's smaller functions, norms, and methods, beside NumPy's."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


def expect(ours, theirs, **tolerance):
    assert isinstance(ours, treadle.Array)
    theirs = np.asarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_allclose(ours.get(), theirs, **(tolerance or {"rtol": 1e-12}))


X = np.array([[-2.5, 0.0, np.inf, 0.5], [1.5, -np.inf, 2.25, -0.0]])
Z = np.array([[1 + 2j, 3, -2j], [0, 4.5, -1 - 1j]])


@pytest.mark.parametrize("name", ["fix", "isposinf", "isneginf", "isreal", "iscomplex"])
def test_functions_of_one_array(device, name):
    expect(getattr(tnp, name)(tnp.array(X)), getattr(np, name)(X))


def test_functions_on_elements(device):
    expect(tnp.isreal(tnp.array(Z)), np.isreal(Z))
    expect(tnp.iscomplex(tnp.array(Z)), np.iscomplex(Z))
    finite = np.array([-1.5, 0, 0.25, 3])
    expect(tnp.sinc(tnp.array(finite)), np.sinc(finite), rtol=1e-12, atol=1e-16)
    expect(tnp.float_power(tnp.array([1, 2, 4]), -2), np.float_power([1, 2, 4], -2))
    expect(tnp.polyval([2, -1, 0.5], tnp.array(finite)), np.polyval([2, -1, 0.5], finite))
    expect(tnp.polyval(np.arange(3), tnp.arange(4)), np.polyval(np.arange(3), np.arange(4)))


def test_arrays_of_places(device):
    expect(tnp.tri(3, 4, 1, "i4"), np.tri(3, 4, 1, "i4"))
    expect(tnp.indices((2, 3)), np.indices((2, 3)))
    for ours, theirs in zip(
        tnp.indices((2, 3, 4), "f4", sparse=True),
        np.indices((2, 3, 4), "f4", sparse=True),
        strict=True,
    ):
        expect(ours, theirs)


def test_reductions(device):
    x = np.array([[1.0, np.nan, 3.0], [np.nan, -5.0, -7.0]])
    expect(tnp.nanargmax(tnp.array(x)), np.nanargmax(x))
    expect(tnp.nanargmax(tnp.array(x), 0), np.nanargmax(x, 0))
    expect(tnp.nanargmin(tnp.array(x), 1), np.nanargmin(x, 1))
    expect(tnp.nanargmax(tnp.arange(3)), np.int64(2))
    y, places = np.array([[1.0, 2, 4], [3, 3, 0]]), np.array([0.0, 1, 5])
    expect(tnp.trapezoid(tnp.array(y)), np.trapezoid(y))
    expect(tnp.trapezoid(tnp.array(y), tnp.array(places)), np.trapezoid(y, places))
    expect(tnp.trapezoid(tnp.array(y), dx=0.5, axis=0), np.trapezoid(y, dx=0.5, axis=0))
    expect(tnp.vecdot(tnp.array(Z), tnp.array(Z[1])), np.vecdot(Z, Z[1]))
    expect(tnp.vecdot(tnp.array(y), tnp.array(y), axis=0), np.vecdot(y, y, axis=0))
    small = np.int8([100, 100])
    expect(tnp.vecdot(tnp.array(small), tnp.array(small)), np.vecdot(small, small))
    expect(tnp.vecdot(tnp.array(small > 0), tnp.array(small > 0)), np.vecdot(small > 0, small > 0))


def test_comparisons_and_copies(device):
    x = tnp.arange(6).reshape(2, 3)
    assert tnp.array_equiv(x[:1], tnp.arange(3)) and not tnp.array_equiv(x, x + 1)
    assert not tnp.array_equiv(x, tnp.ones(4))
    target = tnp.zeros((2, 3), "f4")
    tnp.copyto(target, x, casting="unsafe", where=tnp.array([True, False, True]))
    expect(target, np.float32([[0, 0, 2], [3, 0, 5]]))
    tnp.copyto(target, 7)
    expect(target, np.full((2, 3), 7, "f4"))
    with pytest.raises(treadle.DTypeError, match="float32.* int64.*same_kind"):
        tnp.copyto(x, target)


@pytest.mark.parametrize("dtype", ["i4", "f4", "c16"])
def test_norms(device, dtype):
    x = (np.arange(24) - 9).astype(dtype).reshape(2, 3, 4)
    ours, tolerance = tnp.array(x), {"rtol": 1e-6 if dtype == "f4" else 1e-12}
    # Of other dtypes what differs: each line is a kernel, which PoCL compiles for half a second.
    everything = dtype == "f4"
    for order in (0, 1, 2, 3, np.inf, -np.inf) if everything else (1, 2):
        expect(tnp.linalg.norm(ours, order, -1), np.linalg.norm(x, order, -1), **tolerance)
    expect(np.linalg.norm(ours), np.linalg.norm(x), **tolerance)  # by NumPy's name
    if not everything:
        return
    for order in (None, 1, np.inf, -np.inf):
        expect(tnp.linalg.norm(ours, order, (2, 0)), np.linalg.norm(x, order, (2, 0)), **tolerance)
    expect(
        tnp.linalg.norm(ours[0], -1, keepdims=True),
        np.linalg.norm(x[0], -1, keepdims=True),
        **tolerance,
    )
    expect(
        tnp.linalg.vector_norm(ours, ord=0.5, axis=(0, 2), keepdims=True),
        np.linalg.vector_norm(x, ord=0.5, axis=(0, 2), keepdims=True),
        **tolerance,
    )
    expect(tnp.linalg.matrix_norm(ours), np.linalg.matrix_norm(x), **tolerance)


def test_norms_that_are_not_there(device):
    x = tnp.ones((2, 3))
    with pytest.raises(ValueError, match="matrices"):
        tnp.linalg.norm(x, 3)
    with pytest.raises(ValueError, match="axes"):
        tnp.linalg.norm(tnp.ones((2, 2, 2)), 1)
    with pytest.raises(TypeError, match=r"numpy.is_busday\(\)"):
        np.is_busday(tnp.ones((2, 2)))


def test_methods(device):
    x = np.array([[1.25, -2.75, 17.5], [0.5, 1.5, -2.5]])
    expect(tnp.array(x).round(1), x.round(1))
    out = tnp.zeros((2, 3), "f8")
    assert tnp.array(x).round(out=out) is out
    expect(out, x.round())
    for decimals in (-2, -1, 0, 3):
        whole = np.array([-1250, 15, 25, 149])
        expect(tnp.array(whole).round(decimals), whole.round(decimals))
    expect(tnp.array(Z).conj(), Z.conj())
    for dtype in "?if":  # of real numbers the array itself, and a new one of the function
        real = tnp.zeros(3, dtype)
        assert real.conj() is real and real.conjugate() is real
        assert tnp.conj(real) is not real
    expect(tnp.array(Z).conjugate(), Z.conjugate())
    expect(tnp.array(x).trace(1), x.trace(1))
    assert tnp.array(x).T.tobytes() == x.T.tobytes()
    assert tnp.array(x).tobytes("F") == x.tobytes("F")
    ours = tnp.array(x)
    assert ours.astype("f8", copy=False) is ours
    assert ours.astype("f8") is not ours
    expect(ours.astype("f4", copy=False), x.astype("f4"))


def test_methods_of_arrays_refuse_other_objects():
    for name in ("conj", "conjugate", "sort", "nonzero", "searchsorted"):
        with pytest.raises(TypeError):
            getattr(treadle.Array, name)(object())


def test_functions_with_two_results_write_into_two_arrays(device):
    x, y = np.array([7.5, -7.5, 2.0]), np.array([2.0, 2.0, -3.0])
    for name, operands in [("divmod", (x, y)), ("modf", (x,)), ("frexp", (x,))]:
        theirs = getattr(np, name)(*operands)
        for module in (tnp, np):
            ours = [tnp.zeros(3, part.dtype) for part in theirs]
            arrays = [tnp.array(one) for one in operands]
            got = getattr(module, name)(*arrays, out=tuple(ours))
            assert got[0] is ours[0] and got[1] is ours[1]
            for one, part in zip(ours, theirs, strict=True):
                expect(one, part)
    # The operands themselves, and only one of the results.
    a, b = tnp.array(x), tnp.array(y)
    tnp.divmod(a, b, out=(a, b))
    quotient, rest = np.divmod(x, y)
    expect(a, quotient)
    expect(b, rest)
    first, second = tnp.modf(tnp.array(x), out=(None, a))
    expect(first, np.modf(x)[0])
    assert second is a
    with pytest.raises(TypeError, match="tuple of two"):
        tnp.modf(tnp.array(x), out=a)
    with pytest.raises(TypeError, match="ndarray"):
        np.divmod(tnp.array(x), 2.0, out=(a, np.zeros(3)))


@pytest.mark.parametrize("dtype", ["i4", "f8", "c8"])
def test_isin_is_numpys(device, dtype):
    x, few = np.arange(6).reshape(2, 3).astype(dtype), np.array([[1, 9], [4, 1]], "i4")
    for invert in (False, True):
        expect(
            tnp.isin(tnp.array(x), tnp.array(few), invert=invert), np.isin(x, few, invert=invert)
        )
        expect(tnp.isin(tnp.array(x), [2, 3], invert=invert), np.isin(x, [2, 3], invert=invert))
        expect(tnp.isin(tnp.array(x), 2, invert=invert), np.isin(x, 2, invert=invert))
    expect(tnp.isin(tnp.array(x), tnp.zeros(0)), np.isin(x, np.zeros(0)))


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (5, 3)])
def test_diagonals_are_filled(device, shape):
    for value in (7, 2.5, [1, 2]):
        x = np.zeros(shape)
        ours = tnp.array(x)
        if isinstance(value, list) and min(shape) != 2:
            continue
        np.fill_diagonal(x, value)
        assert tnp.fill_diagonal(ours, value) is None
        expect(ours, x)
    for wrong in ((3,), (2, 3, 3)):
        with pytest.raises(treadle.ShapeError, match="two axes"):
            tnp.fill_diagonal(tnp.zeros(wrong), 1)
    with pytest.raises(TypeError, match="Array"):
        tnp.fill_diagonal(np.zeros((2, 2)), 1)


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f2", "f4", "c8"])
def test_coefficients_decide_the_dtype_of_a_polynomial_like_an_array(device, dtype):
    x = np.array([0, 1, 99, 200]).astype(dtype)
    for p in ([1, 2, 3], [0.5, 1], np.array([1, 2], "i1"), np.array([1.5, 2], "f4"), [2j, 1], []):
        with np.errstate(over="ignore"):
            expect(tnp.polyval(p, tnp.array(x)), np.polyval(p, x))
    for p in ([None, 1], [1 << 70], ["1"]):
        with pytest.raises(treadle.DTypeError, match="of p"):
            tnp.polyval(p, tnp.array(x))
