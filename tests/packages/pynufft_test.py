# SPDX-License-Identifier: MIT
"""pynufft: Fourier transforms at points that are no grid, by reikna and pyopencl."""

import numpy as np
import pytest
from pynufft import NUFFT, helper


def test_forward_is_the_direct_sum(rng):
    devices = [d for d in helper.device_list() if "OpenCL" in str(d) or "ocl" in str(d).lower()]
    devices = devices or list(helper.device_list())
    if not devices:
        pytest.skip("no device")
    transform = NUFFT(devices[0])
    points = rng.uniform(-np.pi, np.pi, (200, 2))
    transform.plan(points, (16, 16), (32, 32), (6, 6))
    image = rng.random((16, 16)).astype(np.complex64)
    out = transform.forward(image)
    at = np.arange(16) - 8
    wave = [np.exp(-1j * np.outer(points[:, axis], at)) for axis in range(2)]
    direct = np.einsum("ki,kj,ij->k", *wave, image)
    assert np.abs(np.asarray(out) - direct).max() < 1e-3 * np.abs(direct).max()
