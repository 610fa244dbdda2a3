# SPDX-License-Identifier: MIT
"""Powers whose exponent is a number: products and roots, to the bit what NumPy computes."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-30, 1e-20, 1e30, -7.25, np.inf, -np.inf, np.nan]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


def floats(dtype):
    rng = np.random.default_rng(7)
    with np.errstate(all="ignore"):
        drawn = rng.standard_normal(20_000) * np.exp2(rng.integers(-40, 40, 20_000))
        return np.concatenate([drawn, EDGES]).astype(dtype)


def bits(x):
    """NaNs are alike."""
    x = np.asarray(x)
    return np.where(np.isnan(x), x.dtype.type(0.125), x).tobytes() + np.isnan(x).tobytes()


WAYS = {
    "x**n": lambda m, x, n: x**n,
    "power": lambda m, x, n: m.power(x, n),
    "numpy.power": lambda m, x, n: np.power(x, n),
    "float_power": lambda m, x, n: m.float_power(x, n),
    "in an expression": lambda m, x, n: 2 * (x + 0) ** n + 1,
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squares_roots_and_reciprocals_have_numpys_bits(device, dtype):
    if dtype == np.float64 and not device.traits.fp64:
        pytest.skip("no float64")
    host = floats(dtype)
    x = tnp.array(host)
    with np.errstate(all="ignore"):
        for way, power in WAYS.items():
            if way == "float_power" and not device.traits.fp64:
                continue
            for n in (2, 2.0, np.int64(2), -1, 1):
                # NumPy's float_power() is pow(), which rounds as well or worse.
                theirs = host.astype("f8") ** n if way == "float_power" else power(np, host, n)
                assert bits(power(tnp, x, n).get()) == bits(theirs), (way, n)
        # NumPy's ** is sqrt(), at -0 and -infinity, too.
        for n in (0.5, np.float32(0.5)):
            assert bits((x**n).get()) == bits(np.sqrt(host)), n
        cube = (x**3).get()
        np.testing.assert_allclose(cube, host * host * host, rtol=0)
        y = tnp.array(host)
        y **= 2
        assert bits(y.get()) == bits(host * host)
        out = tnp.empty_like(x)
        tnp.power(x, 2, out=out)
        assert bits(out.get()) == bits(host * host)


def test_powers_of_other_dtypes_are_numpys(device):
    with np.errstate(all="ignore"):
        for dtype in ("?", "b", "B", "i", "I", "q", "Q", "e", "F"):
            host = np.array([0, 1, 2, 3, 5, 100, 200]).astype(dtype)
            x = tnp.array(host)
            for n in (1, 2, 3, 2.0, np.int8(2), np.float32(2), 4):
                theirs, ours = host**n, (x**n).get()
                assert ours.dtype == theirs.dtype, (dtype, n)
                np.testing.assert_allclose(ours, theirs, rtol=2e-6 if dtype in "eF" else 1e-15,
                                           err_msg=f"{dtype} ** {n!r}")  # fmt: skip
    with pytest.raises(ValueError, match="negative"):
        tnp.array([1, 2]) ** -1


def test_no_power_function_is_in_the_kernel_of_a_square(device):
    x = tnp.array(np.ones(10, np.float32))
    for n in (2, 3, -1, 0.5):
        assert "pow(" not in str((x**n).explain()), n
    assert "pow(" in str((x**2.5).explain())
