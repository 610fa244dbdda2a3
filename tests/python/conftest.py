# SPDX-License-Identifier: MIT
"""Tests run on the default device: a GPU where there is one, else the CPU device.

P14: a test that leaves objects of a run-time behind fails, and names their kinds.
"""

import atexit
import functools
import gc
import os
import shutil
import tempfile
import time

# Before anything reads the settings: the user's own cache is left alone.
if "TREADLE_CACHE_DIR" not in os.environ:
    _cache = tempfile.mkdtemp(prefix="treadle-tests-")
    os.environ["TREADLE_CACHE_DIR"] = _cache
    atexit.register(shutil.rmtree, _cache, ignore_errors=True)

import numpy as np
import pytest

import treadle
import treadle.compat  # noqa: F401 - the tests import pycuda

_HAS_FAILED = pytest.StashKey[bool]()
# On a GPU a context takes a quarter of a second, and several seconds while other processes make
# some; PoCL compiles each kernel anew in each. Kept for all tests, contexts keep what was compiled,
# and memory for the next array: these cannot be counted then.
_HOLDS_DEVICES = os.environ.get("TREADLE_TEST_HOLD_DEVICES") == "1"
_KEPT = {
    *("cuda context", "cuda device memory", "cuda module", "cuda stream", "device memory"),
    "held pool block",
    *("opencl context", "opencl device", "opencl kernel", "opencl memory", "opencl program"),
    # A pool's blocks keep the stream of their last use, and that the marker it was asked about.
    *("opencl queue", "opencl event", "device"),
}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    if outcome.get_result().failed:
        item.stash[_HAS_FAILED] = True


@functools.cache
def _held_devices():
    """Not before the first test: conftest.py in pyopencl/ chooses PoCL's folder first."""
    return treadle.devices()


def _objects_beyond(before):
    return {
        kind: count - before.get(kind, 0)
        for kind, count in treadle.live_objects().items()
        if count > before.get(kind, 0) and not (_HOLDS_DEVICES and kind in _KEPT)
    }


@pytest.fixture(autouse=True)
def census(request):
    """Set up before what is made for one test, after what several share, so that only the former
    has to be gone."""
    if _HOLDS_DEVICES:
        _held_devices()
    before = treadle.live_objects()
    yield
    if _HAS_FAILED in request.node.stash:
        return  # its report keeps its frames, with all they hold
    if not _HOLDS_DEVICES:
        treadle.release_default_device()
    request.node.funcargs.clear()  # what fixtures gave: pytest would drop it a little later
    # A collection takes longer than most tests: only where something is left, perhaps as garbage.
    if _objects_beyond(before):
        gc.collect()
    # A platform's threads let go of what a command used a moment after the command has ended.
    deadline = time.monotonic() + 2
    while (left := _objects_beyond(before)) and time.monotonic() < deadline:
        time.sleep(0.002)
    assert not left, f"P14: this test leaves objects behind: {left}"


@pytest.fixture
def context():
    """A context of its own for each test, current on the test's thread."""
    from pycuda.tools import init_cuda_context_fixture

    if not _HOLDS_DEVICES:
        yield from init_cuda_context_fixture()
        return
    shared = _shared_context()
    shared.push()
    yield
    shared.pop()


@functools.cache
def _shared_context():
    import pycuda.driver
    from pycuda.tools import make_default_context

    pycuda.driver.init()
    context = make_default_context()
    context.pop()
    return context


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
