# SPDX-License-Identifier: MIT
"""Tests run on the default device: a GPU where there is one, else the CPU device."""

import atexit
import os
import shutil
import tempfile

# Before anything reads the settings: the user's own cache is left alone.
if "TREADLE_CACHE_DIR" not in os.environ:
    _cache = tempfile.mkdtemp(prefix="treadle-tests-")
    os.environ["TREADLE_CACHE_DIR"] = _cache
    atexit.register(shutil.rmtree, _cache, ignore_errors=True)

import numpy as np
import pytest

import treadle.compat  # noqa: F401 - the tests import pycuda


@pytest.fixture
def context():
    """A context of its own for each test, current on the test's thread."""
    from pycuda.tools import init_cuda_context_fixture

    yield from init_cuda_context_fixture()


@pytest.fixture
def build(context):
    """build(text) compiles CUDA C and returns the module."""
    from pycuda.compiler import SourceModule

    return SourceModule


@pytest.fixture
def on_gpu(context):
    """Skips the test where the device is the CPU."""
    from pycuda.driver import Context

    if Context.get_device()._target().startswith("cpu"):
        pytest.skip("needs an NVIDIA GPU")


@pytest.fixture
def on_cpu(context):
    """Skips the test where the device is a GPU."""
    from pycuda.driver import Context

    if not Context.get_device()._target().startswith("cpu"):
        pytest.skip("needs the CPU device")


@pytest.fixture
def device_array(context):
    """device_array(a) copies a NumPy array to the device."""
    import pycuda.driver as cuda

    return lambda array: cuda.to_device(np.ascontiguousarray(array))
