# SPDX-License-Identifier: MIT
"""sasmodels: models of scattering as kernels, by pyopencl, beside its own in C."""

import numpy as np
import pytest
from sasmodels.core import load_model
from sasmodels.direct_model import call_kernel

Q = np.logspace(-3, -1, 50)


@pytest.mark.parametrize("name", ["sphere", "cylinder", "lamellar"])
def test_models_are_those_in_c(name, monkeypatch):
    monkeypatch.setenv("SAS_OPENCL", "0")
    device = load_model(name, dtype="single", platform="ocl").make_kernel([Q])
    host = load_model(name, dtype="double", platform="dll").make_kernel([Q])
    np.testing.assert_allclose(call_kernel(device, {}), call_kernel(host, {}), rtol=1e-3)
