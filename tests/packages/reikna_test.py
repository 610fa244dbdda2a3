# SPDX-License-Identifier: MIT
"""reikna: computations on arrays, by pyopencl and by pycuda."""

import numpy as np
import pytest
from reikna import cluda
from reikna.algorithms import Reduce, Transpose, predicate_sum
from reikna.cbrng import CBRNG
from reikna.fft import FFT, FFTShift
from reikna.linalg import MatrixMul


@pytest.fixture(params=["ocl", "cuda"])
def thread(request):
    api = cluda.get_api(request.param)
    made = api.Thread.create()
    yield made
    getattr(made, "release", lambda: None)()


def run(thread, make, results, *arrays):
    computation = make.compile(thread)
    out = thread.empty_like(results)
    computation(out, *(thread.to_device(a) for a in arrays))
    return out.get()


@pytest.mark.parametrize("shape", [(64,), (12, 32), (30,)])
def test_fft(thread, rng, shape):
    x = (rng.random(shape) + 1j * rng.random(shape)).astype(np.complex64)
    computation = FFT(x)
    out = run(thread, computation, computation.parameter.output, x)
    np.testing.assert_allclose(out, np.fft.fftn(x), rtol=1e-4, atol=1e-4)


def test_fft_shift(thread, rng):
    x = rng.random((8, 10)).astype(np.float32)
    np.testing.assert_array_equal(run(thread, FFTShift(x), x, x), np.fft.fftshift(x))


def test_products_of_matrices(thread, rng):
    a, b = rng.random((40, 50)).astype(np.float32), rng.random((50, 30)).astype(np.float32)
    out = run(thread, MatrixMul(a, b), np.empty((40, 30), np.float32), a, b)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5)


def test_sums_along_axes_and_transposes(thread, rng):
    x = rng.integers(0, 100, (20, 300)).astype(np.int32)
    total = Reduce(x, predicate_sum(np.int32), axes=(1,))
    assert np.array_equal(run(thread, total, total.parameter.output, x).ravel(), x.sum(axis=1))
    turned = Transpose(x, axes=(1, 0))
    assert np.array_equal(run(thread, turned, turned.parameter.output, x), x.T)


def test_random_numbers(thread):
    values = np.empty((3, 1000), np.float32)
    generator = (
        CBRNG.uniform_float(values, 1).compile(thread) if hasattr(CBRNG, "uniform_float") else None
    )
    if generator is None:
        from reikna.cbrng.bijections import philox
        from reikna.cbrng.samplers import uniform_float

        generator = CBRNG(values, 1, uniform_float(philox(64, 4), np.float32)).compile(thread)
    counters = thread.to_device(
        np.zeros(1, generator.parameter.counters.dtype)
        .repeat(1000)[: int(np.prod(generator.parameter.counters.shape))]
        .reshape(generator.parameter.counters.shape)
    )
    out = thread.empty_like(values)
    generator(counters, out)
    assert 0.4 < out.get().mean() < 0.6


def test_programs_and_kernels(thread, rng):
    program = thread.compile("""
    KERNEL void twice(GLOBAL_MEM float *out, GLOBAL_MEM float *in)
    {
        const SIZE_T i = get_global_id(0);
        out[i] = 2 * in[i];
    }
    """)
    x = rng.random(128).astype(np.float32)
    out = thread.array(128, np.float32)
    program.twice(out, thread.to_device(x), local_size=32, global_size=128)
    np.testing.assert_array_equal(out.get(), 2 * x)
