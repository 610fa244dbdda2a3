# SPDX-License-Identifier: MIT
"""`pytest --treadle-check`: faults of kernels in anybody's suite of tests."""

import re

import pytest

import treadle

SUITE = """
import numpy as np, pytest
import treadle.pycuda.autoinit
import treadle.pycuda.gpuarray as gpuarray
from treadle.pycuda.compiler import SourceModule

SOURCE = '''
__global__ void good(float *y) { y[threadIdx.x] = 1; }
__global__ void racy(float *y) { y[0] = threadIdx.x; }
__global__ void past(float *y) { y[threadIdx.x + 20] = 1; }
'''

def run(name):
    y = gpuarray.zeros(32, np.float32)
    SourceModule(SOURCE).get_function(name)(y, block=(32, 1, 1))
    return y.get().sum()

def test_good():
    assert run("good") == 32

def test_racy():
    run("racy")

def test_right_after_a_fault():
    assert run("good") == 32

def test_wrong_after_a_fault():
    assert run("good") == 31

def test_past():
    run("past")

def test_skipped():
    pytest.skip("not today")
"""


@pytest.fixture
def run_suite(run_python, words_of_pytest, tmp_path):
    if not any(device.id == "cpu" for device in treadle.devices()):
        pytest.skip("there is no CPU device")
    (tmp_path / "test_kernels.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def run(*words):
        where = f"--rootdir={tmp_path}", str(tmp_path / "test_kernels.py")
        return run_python(*words_of_pytest, *words, *where)

    return run


def test_a_fault_is_one_line_at_the_line_that_launched(run_suite):
    done = run_suite("--treadle-check=race,memory")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 failed, 2 passed, 1 skipped" in done.stdout
    faults = done.stdout.partition("faults of kernels")[2].partition("short test summary")[0]
    lines = [line for line in faults.splitlines() if line.startswith("test_kernels.py")]
    assert len(lines) == 2, faults
    racy = r"test_kernels.py:15: kernel racy: race in global memory: .* at kernel.cu:3"
    assert re.match(racy, lines[0])
    assert re.match(r"test_kernels.py:15: kernel past: kernel.cu:4: write of 4 bytes", lines[1])


def test_without_the_option_nothing_is_checked(run_suite):
    done = run_suite("-k", "good or racy")
    assert done.returncode == 0, done.stdout
    assert "faults of kernels" not in done.stdout


def test_an_unknown_check_is_refused(run_suite):
    done = run_suite("--treadle-check=speed")
    assert done.returncode == 4
    assert (
        "'speed' is none of memory, race, init, sync, determinism and all"
        in done.stdout + done.stderr
    )
