# SPDX-License-Identifier: MIT
"""The census of live objects, and that a test which leaves one behind fails (P14)."""

import gc
import pathlib
import shutil

import numpy as np
import pytest

import treadle
from treadle import cuda


def change_of(kind, before):
    return treadle.live_objects().get(kind, 0) - before.get(kind, 0)


def test_the_waist_s_memory_is_counted():
    device = treadle.default_device()
    before = treadle.live_objects()
    buffers = [treadle.Buffer(device, 64) for _ in range(3)]
    assert change_of("device memory", before) == 3
    buffers[0].free()
    assert change_of("device memory", before) == 2
    buffers.clear()
    assert change_of("device memory", before) == 0


def test_memory_of_no_bytes_is_none():
    before = treadle.live_objects()
    empty = treadle.Buffer(treadle.default_device(), 0)
    assert change_of("device memory", before) == 0
    empty.free()


def test_objects_of_the_cuda_shell_are_counted(context):
    before = treadle.live_objects()
    memory, stream = cuda.DeviceMemory(64), cuda.Stream()
    assert change_of("cuda device memory", before) == 1
    assert change_of("cuda stream", before) == 1
    memory.free()
    assert change_of("cuda device memory", before) == 0
    del stream
    assert change_of("cuda stream", before) == 0


def test_objects_of_the_opencl_shell_are_counted():
    import pyopencl as cl

    try:
        context = cl.create_some_context(interactive=False)
    except cl.RuntimeError as error:
        pytest.skip(f"needs an OpenCL platform: {error}")
    before = treadle.live_objects()
    queue = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    event = cl.enqueue_copy(queue, buffer, np.zeros(64, np.uint8))
    assert change_of("opencl memory", before) >= 1
    assert change_of("opencl queue", before) >= 1
    assert change_of("opencl event", before) >= 1
    event.wait()
    del queue, buffer, event
    gc.collect()
    for kind in ("opencl memory", "opencl queue", "opencl event"):
        assert change_of(kind, before) == 0


def test_blocks_of_pools_are_counted(context):
    from pycuda.tools import DeviceMemoryPool

    before = treadle.live_objects()
    pool = DeviceMemoryPool()
    first, second = pool.allocate(64), pool.allocate(64)
    assert change_of("active pool block", before) == 2
    first.free()
    assert change_of("active pool block", before) == 1
    assert change_of("held pool block", before) == 1
    second.free()
    del pool
    assert change_of("held pool block", before) == 0


PLANTED = """
import pytest, treadle

kept = []

def test_that_keeps_memory():
    kept.append(treadle.Buffer(treadle.default_device(), 64))

def test_that_leaves_garbage():
    cycle = [treadle.Buffer(treadle.default_device(), 64)]
    cycle.append(cycle)

@pytest.fixture
def buffer():
    return treadle.Buffer(treadle.default_device(), 64)

def test_that_was_given_memory(buffer):
    assert buffer.size_bytes == 64

def test_that_fails_for_another_reason(buffer):
    kept.append(buffer)
    assert not kept, "another reason"
"""


def test_a_test_that_leaves_objects_behind_fails(run_python, tmp_path):
    shutil.copy(pathlib.Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "planted_test.py").write_text(PLANTED)
    # Where tests share devices, what they leave in the devices' memory is not counted.
    result = run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null",
                        f"--rootdir={tmp_path}", str(tmp_path / "planted_test.py"),
                        TREADLE_TEST_HOLD_DEVICES="")  # fmt: skip
    found = result.stdout
    assert "1 failed, 3 passed, 1 error" in found, found
    assert "ERROR at teardown of test_that_keeps_memory" in found
    assert "P14" in found
    assert "'device memory': 1" in found
