# SPDX-License-Identifier: MIT
"""treadle.cuda: dumps of a GPU whose kernel failed, and processes of which CUDA is stopped and goes
on. Each is a process of its own, on an NVIDIA GPU."""

import subprocess
import sys

import pytest

import treadle.cuda as cuda


@pytest.fixture
def gpu():
    if cuda.default_device().driver.provider == cuda.Provider.cpu:
        pytest.skip("needs an NVIDIA GPU")


DUMPED = """
import sys
import numpy as np
import treadle
import treadle.cuda as cuda

dumps = cuda.Coredumps.of_process()
dumps.on_exception, dumps.triggers_host = True, False
dumps.omissions = cuda.CoredumpOmissions.lightweight | cuda.CoredumpOmissions.abort
dumps.file = sys.argv[1]
device = cuda.default_device()
with cuda.Context.make_current(device):
    text = 'extern "C" __global__ void fail(int *x) { *x = 1; }'
    fail = cuda.Module(treadle.compile_cuda(text, device.target).image).function("fail")
    try:
        fail(np.uint64(16), grid=(1,), block=(1,))
        cuda.Context.current().synchronize()
        print("no error")
    except treadle.Error as error:
        print(type(error).__name__)
"""


def test_a_failed_kernel_leaves_a_coredump(gpu, run_python, tmp_path):
    dump = tmp_path / "gpu.core"
    done = run_python("-c", DUMPED, str(dump))
    assert dump.exists(), done
    with dump.open("rb") as file:
        assert file.read(4) == b"\x7fELF"
    assert done.returncode == 0, done  # the driver ends the process without CoredumpOmissions.abort


WORKER = """
import sys
import numpy as np
import treadle.cuda as cuda

with cuda.Context.make_current(cuda.default_device()):
    memory, found = cuda.DeviceMemory(4 << 20), np.zeros(1 << 20, np.int32)
    memory.copy_from(np.arange(1 << 20, dtype=np.int32))
    cuda.Context.current().synchronize()
    print("ready", flush=True)
    sys.stdin.readline()
    memory.copy_to(found)
    print("kept" if (found == np.arange(1 << 20)).all() else "lost", flush=True)
"""
KEEPER = """
import sys
import treadle.cuda as cuda

worker = cuda.CheckpointedProcess(int(sys.argv[1]))
def tell():
    print(worker.state.name, flush=True)
tell()
worker.lock(20000)
tell()
worker.checkpoint()
tell()
worker.restore()
tell()
worker.unlock()
tell()
"""


def test_a_process_is_checkpointed_and_goes_on(gpu, run_python):
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert worker.stdout.readline() == "ready\n"
        done = run_python("-c", KEEPER, str(worker.pid))
        if "not supported" in done.stderr or "NotSupported" in done.stderr:
            pytest.skip(done.stderr.strip().splitlines()[-1])
        states = ["running", "locked", "checkpointed", "locked", "running"]
        assert done.stdout.split() == states, done.stderr
        output, _ = worker.communicate("\n", timeout=60)
        assert output == "kept\n"
    finally:
        worker.kill()
        worker.communicate()
