# SPDX-License-Identifier: MIT
"""Windows, convolutions, slopes, products of vectors and covariances, beside NumPy's."""

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
    np.testing.assert_allclose(ours.get(), theirs, **(tolerance or {"rtol": 1e-12, "atol": 1e-12}))


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(device, name):
    for count in (-1, 0, 1, 2, 7, 16):
        expect(getattr(tnp, name)(count), getattr(np, name)(count))


def test_bessel_windows(device):
    for count in (0, 1, 2, 9):
        expect(tnp.kaiser(count, 8.5), np.kaiser(count, 8.5))
    x = np.array([-700.0, -31.0, -29.9, 0.0, 1e-9, 0.5, 3.0, 12.0, 30.0, 100.0, 709.0])
    expect(tnp.i0(tnp.array(x)), np.i0(x), rtol=2e-14)
    y = x[1:8].astype("f4")
    expect(tnp.i0(tnp.array(y)), np.i0(y.astype("f8")).astype("f4"), rtol=2e-7)
    expect(tnp.i0(tnp.arange(3)), np.i0(np.arange(3)))


def test_polynomials(device):
    p, q = np.array([2.0, -1.0, 3.0]), np.array([1, 4])
    for name in ("polyadd", "polysub", "polymul"):
        expect(getattr(tnp, name)(tnp.array(p), tnp.array(q)), getattr(np, name)(p, q))
    for m in range(4):
        expect(tnp.polyder(tnp.array(p), m), np.polyder(p, m))
        expect(tnp.polyint(tnp.array(p), m), np.polyint(p, m))
    expect(tnp.polyint(tnp.array(p), 2, [3, 4]), np.polyint(p, 2, [3, 4]))
    with pytest.raises(ValueError, match="m=2147483648; it is at most 1000"):
        tnp.polyint(tnp.array(p), 2**31)


RANDOM = np.random.default_rng(3)
SIGNALS = {
    "float32": RANDOM.standard_normal(9).astype("f4"),
    "float64": RANDOM.standard_normal(12),
    "int16": RANDOM.integers(-9, 9, 7).astype("i2"),
    "uint8": RANDOM.integers(0, 9, 5).astype("u1"),
    "bool": RANDOM.random(6) > 0.5,
    "complex64": (RANDOM.standard_normal(8) + 1j * RANDOM.standard_normal(8)).astype("c8"),
}
PAIRS = [("float32", "float32"), ("int16", "uint8"), ("bool", "bool"), ("float32", "complex64")]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(device, mode):
    for first, second in PAIRS:
        x, y = SIGNALS[first], SIGNALS[second][:4]
        for a, v in ((x, y), (y, x), (x[::2], y[:1])):
            for name in ("convolve", "correlate"):
                ours = getattr(tnp, name)(tnp.array(a), tnp.array(v), mode)
                expect(ours, getattr(np, name)(a, v, mode), rtol=2e-5, atol=2e-5)
    expect(tnp.convolve(tnp.array([1, 2, 3]), 2), np.convolve([1, 2, 3], 2))
    expect(tnp.correlate([1, 2, 3], [0, 1, 0.5]), np.correlate([1, 2, 3], [0, 1, 0.5]))


def test_slopes(device):
    x = RANDOM.standard_normal((4, 5, 6))
    places = np.cumsum(RANDOM.random(5)) + 1
    for edge_order in (1, 2):
        expect(
            tnp.gradient(tnp.array(x), axis=0, edge_order=edge_order),
            np.gradient(x, axis=0, edge_order=edge_order),
        )
        expect(
            tnp.gradient(tnp.array(x), places, axis=1, edge_order=edge_order),
            np.gradient(x, places, axis=1, edge_order=edge_order),
        )
    for ours, theirs in zip(
        tnp.gradient(tnp.array(x), 0.5, tnp.array(places), 2, axis=(0, 1, -1)),
        np.gradient(x, 0.5, places, 2, axis=(0, 1, -1)),
        strict=True,
    ):
        expect(ours, theirs)
    for dtype in ("f4", "u1", "c8"):
        y = (10 * x[0, 0]).astype(dtype)
        expect(tnp.gradient(tnp.array(y)), np.gradient(y), rtol=1e-6)
    expect(tnp.gradient([1, 2, 4, 7, 11.0], 2), np.gradient([1, 2, 4, 7, 11.0], 2))


def test_steps(device):
    angles = np.cumsum(RANDOM.standard_normal((3, 40)) * 3, axis=1)
    for x in (angles.astype("f4"), np.array([0, np.pi, 2 * np.pi, -np.pi])):
        expect(tnp.unwrap(tnp.array(x)), np.unwrap(x), rtol=1e-5)
    expect(tnp.unwrap(tnp.array(angles), 4, axis=0), np.unwrap(angles, 4, axis=0))
    whole = np.array([0, 3, 7, 2, 6, 0, 4, 0])
    for period in (8, 7, 6.5):
        x = whole.astype("i2")
        expect(tnp.unwrap(tnp.array(x), period=period), np.unwrap(x, period=period))
    expect(tnp.unwrap(tnp.array([1.5])), np.unwrap([1.5]))
    x = np.array([[1, 4], [9, 16]])
    expect(tnp.ediff1d(tnp.array(x)), np.ediff1d(x))
    expect(
        tnp.ediff1d(tnp.array(x), to_begin=[7, 8], to_end=tnp.array([[1]])),
        np.ediff1d(x, to_begin=[7, 8], to_end=[[1]]),
    )


def test_products(device):
    a, b = RANDOM.standard_normal((2, 4, 3))
    expect(tnp.cross(tnp.array(a), tnp.array(b)), np.cross(a, b))
    expect(tnp.cross(tnp.array(a.T), tnp.array(b), axisa=0), np.cross(a.T, b, axisa=0))
    expect(tnp.cross(tnp.array(a), tnp.array(b[0]), axisc=0), np.cross(a, b[0], axisc=0))
    flat = tnp.cross(tnp.array(a[:, :2]), tnp.array(b))
    expect(flat, np.cross(np.pad(a[:, :2], [(0, 0), (0, 1)]), b))
    for x, y in ((a, b[:2]), (a.reshape(2, 2, 3), b[0])):
        expect(tnp.kron(tnp.array(x), tnp.array(y)), np.kron(x, y))
    for x in (np.arange(4.0), np.arange(3).astype("u1")):
        expect(tnp.vander(tnp.array(x)), np.vander(x))
        expect(tnp.vander(tnp.array(x), 5, True), np.vander(x, 5, True))


def test_covariances(device):
    x, y = RANDOM.standard_normal((3, 10)), RANDOM.standard_normal((2, 10))
    counts, weights = RANDOM.integers(0, 4, 10), RANDOM.random(10)
    for options in ({}, {"bias": True}, {"ddof": 3}, {"rowvar": False}, {"fweights": counts},
                    {"aweights": weights}, {"aweights": weights, "fweights": counts}):  # fmt: skip
        given = x.T if "rowvar" in options else x
        expect(tnp.cov(tnp.array(given), **options), np.cov(given, **options))
    expect(tnp.cov(tnp.array(x), tnp.array(y)), np.cov(x, y))
    expect(tnp.cov(tnp.array(x[0]), tnp.array(y[0])), np.cov(x[0], y[0]))
    expect(tnp.cov(tnp.array(x[0])), np.cov(x[0]))
    z = x + 1j * RANDOM.standard_normal((3, 10))
    expect(tnp.cov(tnp.array(z)), np.cov(z))
    for given in (x.astype("f4"), z, x[0]):
        expect(tnp.corrcoef(tnp.array(given)), np.corrcoef(given), rtol=1e-6)
    expect(tnp.corrcoef(tnp.array(x), tnp.array(y)), np.corrcoef(x, y))


BAD = {
    "mode": (lambda: tnp.convolve([1], [1], "most"), ValueError),
    "empty": (lambda: tnp.convolve(tnp.zeros(0), [1]), ValueError),
    "rank": (lambda: tnp.correlate(tnp.zeros((2, 2)), [1]), ValueError),
    "edge_order": (lambda: tnp.gradient(tnp.arange(4.0), edge_order=3), ValueError),
    "too few": (lambda: tnp.gradient(tnp.arange(2.0), edge_order=2), ValueError),
    "places": (lambda: tnp.gradient(tnp.arange(4.0), [1, 2, 3]), ValueError),
    "spacings": (lambda: tnp.gradient(tnp.zeros((3, 3)), 1, 2, 3), (TypeError, ValueError)),
    "vectors": (lambda: tnp.cross(tnp.zeros(4), tnp.zeros(4)), ValueError),
    "vander": (lambda: tnp.vander(tnp.zeros((2, 2))), ValueError),
    "fweights": (lambda: tnp.cov(tnp.zeros((2, 3)), fweights=[0.5, 1, 1]), TypeError),
    "how many": (lambda: tnp.cov(tnp.zeros((2, 3)), aweights=[1, 1]), (RuntimeError, ValueError)),
    "below 0": (lambda: tnp.cov(tnp.zeros((2, 3)), fweights=[1, -1, 1]), ValueError),
    "ediff1d": (lambda: tnp.ediff1d(tnp.arange(3), to_end=0.5), TypeError),
    "complex": (lambda: tnp.unwrap(tnp.zeros(3, "c8")), TypeError),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused(what):
    call, error = BAD[what]
    with pytest.raises(error):
        call()
