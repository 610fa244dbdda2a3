# SPDX-License-Identifier: MIT
"""Ranges in NVIDIA's profilers: a stand-in for their library listens, loaded as they are."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).parents[1] / "process" / "fake_profiler" / "fake_profiler.cpp"

CUDA_PROGRAM = """
import numpy as np
import treadle, treadle.cuda as cuda
device = cuda.default_device()
text = 'extern "C" __global__ void put(int *out) { *out = 1; }'
with treadle.TraceRange("assembly"), cuda.Context.make_current(device) as context:
    put = cuda.Module(treadle.compile_cuda(text, device.target).image).function("put")
    memory = cuda.DeviceMemory(4)
    put(memory, grid=(1,), block=(1,))
    graph = cuda.Graph()
    graph.instantiate().launch(cuda.Stream())
    context.synchronize()
"""

OPENCL_PROGRAM = """
import numpy as np
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
program = cl.Program(context, "__kernel void put(__global int *out) { *out = 1; }").build()
program.put(queue, (1,), None, memory)
queue.finish()
"""


@pytest.fixture(scope="module")
def profiler(tmp_path_factory):
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler for the stand-in")
    library = tmp_path_factory.mktemp("profiler") / "libprofiler.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return library


@pytest.fixture
def seen_ranges(profiler, tmp_path):
    def run(program, library=profiler, *flags):
        (tmp_path / "program.py").write_text(program)
        log = tmp_path / "ranges"
        environment = {
            **os.environ,
            "NVTX_INJECTION64_PATH": str(library),
            "TREADLE_FAKE_PROFILER_LOG": str(log),
        }
        done = subprocess.run(
            [sys.executable, "-m", "treadle", "run", *flags, "program.py"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        lines = log.read_text().splitlines() if log.exists() else []
        return [line.partition(" ")[2] for line in lines], done.stderr

    return run


def without_compiles(ranges):
    """Compiles have nothing inside; how many a program has is not its own affair."""
    left = []
    for line in ranges:
        if line == "pop" and left and left[-1].startswith("push compile "):
            left.pop()
        else:
            left.append(line)
    return left


@pytest.mark.parametrize("flags", [(), ("--trace", "out.json")])
def test_profilers_see_ranges_compiles_and_launches(seen_ranges, profiler, flags):
    ranges, _ = seen_ranges(CUDA_PROGRAM, profiler, *flags)
    assert any(line.startswith("push compile ") for line in ranges)
    assert without_compiles(ranges) == [
        "push assembly",
        "push put (program.py:9)",
        "pop",
        "push graph (program.py:11)",
        "pop",
        "pop",
    ]


def test_profilers_see_launches_of_opencl(seen_ranges):
    pytest.importorskip("pyopencl")
    import treadle

    if not any(device.id.startswith("opencl") for device in treadle.devices()):
        pytest.skip("no OpenCL here")
    ranges, _ = seen_ranges(OPENCL_PROGRAM)
    assert without_compiles(ranges) == ["push put (program.py:8)", "pop"]


def test_a_profiler_that_is_not_there_is_a_warning(seen_ranges):
    ranges, errors = seen_ranges(CUDA_PROGRAM, "/nowhere/profiler.so")
    assert ranges == []
    assert errors.count("profilers see no ranges") == 1
    assert "/nowhere/profiler.so" in errors
