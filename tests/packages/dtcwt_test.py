# SPDX-License-Identifier: MIT
"""dtcwt: wavelets, by pyopencl, beside its own in NumPy."""

import dtcwt
import dtcwt.numpy
import dtcwt.opencl
import numpy as np
import pytest


@pytest.mark.parametrize("shape", [(32, 32), (48, 64)])
@pytest.mark.parametrize("levels", [1, 3])
def test_transforms_are_those_of_numpy(rng, shape, levels):
    x = rng.random(shape).astype(np.float32)
    device = dtcwt.opencl.Transform2d().forward(x, nlevels=levels)
    host = dtcwt.numpy.Transform2d().forward(x, nlevels=levels)
    np.testing.assert_allclose(device.lowpass, host.lowpass, rtol=1e-3, atol=1e-4)
    for ours, theirs in zip(device.highpasses, host.highpasses, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
