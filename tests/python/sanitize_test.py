# SPDX-License-Identifier: MIT
"""`run --sanitize`: compute-sanitizer on a GPU, the CPU device's own checks on the processor."""

import os
import shutil

import pytest

import treadle
from treadle import _sanitize

PROGRAM = '''
import sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

kernel = SourceModule("""
__global__ void race(int *out)
{
  __shared__ int all[64];
  all[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = all[63 - threadIdx.x];
}
""").get_function("race")
out = cuda.mem_alloc(256)
kernel(out, block=(64, 1, 1))
cuda.Context.synchronize()
print("ran with", *sys.argv[1:])
'''


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def test_what_the_device_has_finds_a_race(run_python, script):
    gpu = treadle.cuda.default_driver().provider == treadle.cuda.Provider.nvidia
    if gpu and shutil.which("compute-sanitizer") is None:
        pytest.skip("needs compute-sanitizer")
    result = run_python("-m", "treadle", "run", "--sanitize=race", script, "words", "--trace")
    assert result.returncode == 1
    told = result.stdout + result.stderr
    assert "race" in told and ("RACECHECK" in told if gpu else "all" in told)
    # Without a fault's check the program runs as it is, with its own arguments.
    result = run_python("-m", "treadle", "run", "--sanitize=sync", script, "words", "--trace")
    assert result.returncode == 0 and "ran with words --trace" in result.stdout


def test_a_gpu_has_one_run_for_each_check(monkeypatch):
    monkeypatch.setattr(_sanitize, "_sanitizer", lambda: "/opt/compute-sanitizer")
    program = ["python", "program.py"]
    both = _sanitize.command_lines(["memory", "race"], program)
    assert both == [
        ["/opt/compute-sanitizer", "--tool", tool, "--error-exitcode", "1", *program]
        for tool in ("memcheck", "racecheck")
    ]
    (alone,) = _sanitize.command_lines([], program)
    assert alone[2] == "memcheck"


def test_what_has_no_sanitizer_says_so(monkeypatch, capsys):
    monkeypatch.setitem(os.environ, "TREADLE_DEVICE", "opencl:0:0")
    assert _sanitize.start("", [], ["program.py"]) == 1
    told = capsys.readouterr().err
    assert "NotSupported" in told and "opencl:0:0" in told and "TREADLE_DEVICE=cpu" in told
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(treadle.NotSupported, match="compute-sanitizer"):
        _sanitize.command_lines(["memory"], [])
