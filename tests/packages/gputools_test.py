# SPDX-License-Identifier: MIT
"""gputools: filters of images, by pyopencl, beside SciPy's."""

import gputools
import numpy as np
import pytest
from scipy import ndimage


@pytest.fixture
def image(rng):
    return rng.random((40, 56)).astype(np.float32)


def test_convolutions(image, rng):
    kernel = rng.random((5, 5)).astype(np.float32)
    out = gputools.convolve(image, kernel)
    np.testing.assert_allclose(
        out, ndimage.convolve(image, kernel, mode="constant"), rtol=1e-3, atol=1e-3
    )


def test_blurs(image):
    out = gputools.blur(image, 2.0)
    assert out.shape == image.shape
    inner = (slice(12, -12),) * 2
    np.testing.assert_allclose(out[inner], ndimage.gaussian_filter(image, 2.0)[inner], rtol=2e-2)


def test_extrema(image):
    np.testing.assert_array_equal(
        gputools.max_filter(image, 5)[3:-3, 3:-3], ndimage.maximum_filter(image, 5)[3:-3, 3:-3]
    )
    np.testing.assert_array_equal(
        gputools.min_filter(image, 5)[3:-3, 3:-3], ndimage.minimum_filter(image, 5)[3:-3, 3:-3]
    )


def test_scaling(rng):
    volume = rng.random((12, 14, 16)).astype(np.float32)
    assert gputools.scale(volume, 2).shape == (24, 28, 32)


def test_denoising(image):
    assert gputools.denoise.nlm2(image, sigma=0.1).shape == image.shape
    assert gputools.denoise.bilateral2(image, fSize=3, sigma_p=0.5).shape == image.shape


def test_arrays_and_programs(image):
    array = gputools.OCLArray.from_array(image)
    np.testing.assert_allclose((array + 1).get(), image + 1)
    program = gputools.OCLProgram(
        src_str="__kernel void twice(__global float *x) { x[get_global_id(0)] *= 2; }"
    )
    program.run_kernel("twice", (image.size,), None, array.data)
    np.testing.assert_array_equal(array.get(), 2 * image)
