# SPDX-License-Identifier: MIT
"""A plugin of pytest: SciPy's own tests of array namespaces, with treadle.numpy as the only one."""

import os

import known_failures
import pytest

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import scipy.conftest

import treadle
import treadle.numpy as tnp

ON_THE_DEFAULT_DEVICE = (
    "betainc() is computed in C and comes back on the default device: SciPy skips the method for "
    "PyTorch and its strict namespace by their names"
)
KNOWN = {
    f"test_quantile[treadle-{dtype}-harrell-davis]": ON_THE_DEFAULT_DEVICE
    for dtype in ("float32", "float64")
}

param = pytest.param(tnp, id="treadle", marks=pytest.mark.array_api_backends)
# Its tests that are NumPy's alone know by the name that this is another. Those of code in C, which
# takes arrays of the host, run: on the CPU device ours are such.
scipy.conftest.xp_known_backends.add(tnp.__name__)
object.__setattr__(scipy.conftest.xp._fixture_function_marker, "params", (param,))


def devices(xp, request):
    """All devices, or the current one for tests of what SciPy computes in C: it comes back on the
    default device, so SciPy skips them on GPUs and on the devices of its strict namespace."""
    marks = list(request.node.iter_markers("skip_xp_backends"))
    if any("array_api_strict" in mark.args or mark.kwargs.get("cpu_only") for mark in marks):
        return [treadle.current_stream().device, None]
    return [*xp.__array_namespace_info__().devices(), None]


object.__setattr__(scipy.conftest.devices, "_fixture_function", devices)


def pytest_collection_modifyitems(items):
    if len(tnp.__array_namespace_info__().devices()) > 1:
        known_failures.expect(items, KNOWN)
