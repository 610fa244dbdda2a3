# SPDX-License-Identifier: MIT
"""Tests of the PyOpenCL face, on the first device that OpenCL offers: PoCL in ordinary CI."""

import atexit
import functools
import os
import shutil
import tempfile

# Before a platform reads it: PoCL's own cache would hide what is built and what is not.
if "POCL_CACHE_DIR" not in os.environ:
    _pocl_cache = tempfile.mkdtemp(prefix="treadle-pocl-")
    os.environ["POCL_CACHE_DIR"] = _pocl_cache
    atexit.register(shutil.rmtree, _pocl_cache, ignore_errors=True)

import numpy as np
import pytest

import treadle.compat  # noqa: F401 - the tests import pyopencl

# tests/python/conftest.py says why.
_HOLDS_DEVICES = os.environ.get("TREADLE_TEST_HOLD_DEVICES") == "1"


@functools.cache
def _shared_context():
    import pyopencl as cl

    return cl.create_some_context(interactive=False)


@pytest.fixture
def context():
    import pyopencl as cl
    from pyopencl.tools import clear_first_arg_caches

    try:
        yield _shared_context() if _HOLDS_DEVICES else cl.create_some_context(interactive=False)
    except cl.RuntimeError as error:
        pytest.skip(f"needs an OpenCL platform: {error}")
    clear_first_arg_caches()  # what is remembered for the context keeps it


@pytest.fixture
def device(context):
    return context.devices[0]


@pytest.fixture
def queue(context):
    import pyopencl as cl

    return cl.CommandQueue(context)


@pytest.fixture
def build(context):
    """build(text, ...) is a built program."""
    import pyopencl as cl

    return lambda text, *args, **kwargs: cl.Program(context, text).build(*args, **kwargs)


@pytest.fixture
def upload(context):
    """upload(array) is a buffer with its bytes."""
    import pyopencl as cl

    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return lambda array: cl.Buffer(context, flags, hostbuf=np.ascontiguousarray(array))


@pytest.fixture
def download(queue):
    """download(buffer, like) is a new array with the buffer's bytes."""
    import pyopencl as cl

    def copy(buffer, like):
        result = np.empty_like(like)
        cl.enqueue_copy(queue, result, buffer)
        return result

    return copy
