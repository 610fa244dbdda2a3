# SPDX-License-Identifier: MIT
"""pyvkfft: Fourier transforms by VkFFT's kernels, by pyopencl."""

import numpy as np
import pyopencl.array as cla
import pytest
from pyvkfft.fft import fftn, ifftn, rfftn


@pytest.mark.parametrize("shape", [(64,), (12, 30), (8, 16, 32)])
def test_transforms_are_those_of_numpy(queue, rng, shape):
    x = (rng.random(shape) + 1j * rng.random(shape)).astype(np.complex64)
    device = cla.to_device(queue, x)
    out = fftn(device)
    np.testing.assert_allclose(out.get(), np.fft.fftn(x), rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(ifftn(out).get(), x, rtol=1e-4, atol=1e-4)


def test_real_transforms(queue, rng):
    x = rng.random((16, 32)).astype(np.float32)
    out = rfftn(cla.to_device(queue, x))
    np.testing.assert_allclose(out.get(), np.fft.rfftn(x), rtol=1e-4, atol=1e-2)
