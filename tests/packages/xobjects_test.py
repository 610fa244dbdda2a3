# SPDX-License-Identifier: MIT
"""xobjects: structures in buffers of devices, and kernels on them, by pyopencl."""

import numpy as np
import pytest
import xobjects as xo


@pytest.fixture
def context():
    return xo.ContextPyopencl()


def test_structures_are_written_and_read(context):
    class Part(xo.Struct):
        mass = xo.Float64
        counts = xo.Int32[:]

    part = Part(mass=3.5, counts=[1, 2, 3], _context=context)
    part.counts[1] = 7
    assert part.mass == 3.5
    assert [part.counts[k] for k in range(3)] == [1, 7, 3]


def test_kernels_on_arrays(context, rng):
    text = """
    /*gpukern*/ void scale(const int n, /*gpuglmem*/ const double *x, const double by,
                           /*gpuglmem*/ double *y)
    {
        for (int i = 0; i < n; i++) { //vectorize_over i n
            y[i] = by * x[i];
        } //end_vectorize
    }
    """
    context.add_kernels(
        sources=[text],
        kernels={
            "scale": xo.Kernel(
                args=[
                    xo.Arg(xo.Int32, name="n"),
                    xo.Arg(xo.Float64, pointer=True, const=True, name="x"),
                    xo.Arg(xo.Float64, name="by"),
                    xo.Arg(xo.Float64, pointer=True, name="y"),
                ],
                n_threads="n",
            )
        },
    )
    x = rng.random(100)
    given, out = context.nparray_to_context_array(x), context.zeros(100, np.float64)
    context.kernels.scale(n=100, x=given, by=3.0, y=out)
    np.testing.assert_array_equal(context.nparray_from_context_array(out), 3 * x)


def test_arrays_of_the_context(context, rng):
    x = rng.random((4, 5))
    array = context.nparray_to_context_array(x)
    assert np.array_equal(context.nparray_from_context_array(array), x)
    assert float(array.sum()) == pytest.approx(x.sum())


def test_ffts(context, rng):
    pytest.importorskip("gpyfft")
    x = rng.random(64) + 0j
    array = context.nparray_to_context_array(x)
    context.plan_FFT(array, axes=[0]).transform(array)
