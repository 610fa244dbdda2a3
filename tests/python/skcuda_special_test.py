# SPDX-License-Identifier: MIT
"""skcuda.special beside SciPy, and its functions in kernels of a program."""

import numpy as np
import pytest

special = pytest.importorskip("scipy.special")


@pytest.fixture
def gpuarray(context):
    import pycuda.gpuarray as gpuarray

    return gpuarray


BOUNDS = {"f4": 2e-6, "f8": 1e-13, "c8": 2e-6, "c16": 5e-12}  # SciPy's own, too


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_integral_sines_and_cosines(gpuarray, dtype):
    import skcuda.special

    x = np.concatenate([np.linspace(0.01, 60, 500), [1e-6, 3.999, 4.001, 39.9, 40.1, 1e5, np.inf]])
    x = x.astype(dtype)
    si, ci = skcuda.special.sici(gpuarray.to_gpu(x))
    assert si.dtype == ci.dtype == dtype
    for ours, theirs in zip((si, ci), special.sici(x.astype("f8")), strict=True):
        np.testing.assert_allclose(ours.get(), theirs, rtol=BOUNDS[dtype], atol=BOUNDS[dtype])
    edges = np.array([0, -2, -np.inf], dtype)
    si, ci = (part.get() for part in skcuda.special.sici(gpuarray.to_gpu(edges)))
    np.testing.assert_allclose(si, [0, -special.sici(2)[0], -np.pi / 2], rtol=1e-6)
    np.testing.assert_allclose(ci, [-np.inf, special.sici(2)[1], 0], rtol=1e-6)
    with pytest.raises(TypeError, match="float32 or float64"):
        skcuda.special.sici(gpuarray.zeros(3, "c8"))


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("name", ["exp1", "expi"])
def test_exponential_integrals(gpuarray, name, dtype):
    import skcuda.special

    radii = np.array([1e-3, 0.5, 2, 4.9, 5.1, 12, 30, 39.9, 40.1, 60])
    z = (radii[:, None] * np.exp(1j * np.linspace(-3.1, 3.1, 40))).astype(dtype)
    made = getattr(skcuda.special, name)(gpuarray.to_gpu(z))
    assert made.dtype == dtype
    expected = getattr(special, name)(z.astype("c16"))
    assert np.max(abs(made.get() - expected) / abs(expected)) < BOUNDS[dtype]
    axis = np.array([-2, complex(-2, -0.0), 3, -45, 0], dtype)
    made = getattr(skcuda.special, name)(gpuarray.to_gpu(axis)).get()
    expected = getattr(special, name)(axis.astype("c16"))
    np.testing.assert_allclose(made, expected.astype(dtype), rtol=BOUNDS[dtype])
    with pytest.raises(TypeError, match="complex64 or complex128"):
        getattr(skcuda.special, name)(gpuarray.zeros(3, "f4"))


def test_exponential_integrals_overflow_to_infinity(gpuarray):
    import skcuda.special

    x = gpuarray.to_gpu(np.array([-800, 800, -2000], "c16"))
    for name in ("exp1", "expi"):
        ours, theirs = getattr(skcuda.special, name)(x).get(), getattr(special, name)(x.get())
        np.testing.assert_array_equal(ours.real, theirs.real)
    ours = skcuda.special.exp1(gpuarray.to_gpu(np.array([-100], "c8"))).get()
    assert ours.real == -np.inf and abs(ours.imag + np.pi) < 1e-6


def test_functions_in_kernels_of_a_program(gpuarray, build):
    import skcuda

    text = """
    #include <cuSpecialFuncs.h>
    extern "C" __global__ void run(const double *x, double *made) {
        const double p[] = {1, 2, 3};
        const float q[] = {1, 2, 3};
        const int i = threadIdx.x;
        double si, ci;
        sici(x[i], &si, &ci);
        made[6 * i] = sinc(x[i]);
        made[6 * i + 1] = sincf(x[i]);
        made[6 * i + 2] = polevl(x[i], p, 2) - polevlf(x[i], q, 2);
        made[6 * i + 3] = p1evl(x[i], p, 3) - p1evlf(x[i], q, 3);
        made[6 * i + 4] = p1evl(x[i], p, 3);
        made[6 * i + 5] = si;
    }
    """
    module = build(text, options=["-I", skcuda.install_headers], no_extern_c=True)
    x = np.array([0, 0.5, 2.0])
    made = gpuarray.empty((3, 6), "f8")
    module.get_function("run")(gpuarray.to_gpu(x), made, block=(3, 1, 1))
    cubic = x**3 + x**2 + 2 * x + 3
    expected = [np.sinc(x), np.sinc(x), 0 * x, 0 * x, cubic, special.sici(x)[0]]
    np.testing.assert_allclose(made.get(), np.transpose(expected), atol=1e-6)
