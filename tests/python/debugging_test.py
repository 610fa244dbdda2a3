# SPDX-License-Identifier: MIT
"""Kernels of the CPU device under a debugger, for a profiler, and what they print."""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import treadle
from treadle import _gdb


@functools.cache
def why_gdb_cannot_run():
    """Empty if gdb can run a program here; containers may forbid it to trace any."""
    if shutil.which("gdb") is None:
        return "gdb is not installed"
    words = ["gdb", "-batch", "-nx", "-ex", "run", shutil.which("true")]
    said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    if "exited normally" in said.stdout:
        return ""
    return f"gdb cannot run a program here: {(said.stderr or said.stdout).strip()}"


@pytest.fixture
def gdb():
    if reason := why_gdb_cannot_run():
        pytest.skip(reason)


needs_gdb = pytest.mark.usefixtures("gdb")

PROGRAM = '''
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("""
#include <assert.h>

__device__ float twice(float v) {
  return 2 * v;
}

__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = twice(a[i]);
}

__global__ void reverse(float *a) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] =
      s[63 - threadIdx.x] + 1;
}

__global__ void claim(float *a) {
  assert(a[threadIdx.x] < 0);
}

__global__ void wrong(float *a, long long i) {
  a[i + threadIdx.x] = 1;
}
""")
a = np.arange(64, dtype=np.float32)
module.get_function("scale")(cuda.InOut(a), np.int32(64), block=(64, 1, 1))
module.get_function("reverse")(cuda.InOut(a), block=(64, 1, 1))
print("a[0] is", a[0])
FAULT
'''
# The text begins with an empty line.
LINE_OF_SCALE, LINE_BEHIND_BARRIER, LINE_OF_CLAIM, LINE_OF_WRONG = 11, 19, 23, 27
FAULTS = {
    "none": "",
    "assert": 'module.get_function("claim")(cuda.InOut(a), block=(64, 1, 1))',
    "signal": 'module.get_function("wrong")(cuda.InOut(a), np.int64(1 << 40), block=(1, 1, 1))',
    "narrow": """
text = "__global__ void one(float *a) { a[threadIdx.x] = 1; }"
SourceModule(text, options=["-G"]).get_function("one")(cuda.InOut(a), block=(5, 1, 1))
""",
}


@pytest.fixture
def debug(run_python, tmp_path):
    """debug(fault, commands, ...) is what gdb says to the commands, run by `treadle run --gdb`."""

    def run(fault, commands, **environment):
        script = tmp_path / "script.py"
        script.write_text(PROGRAM.replace("FAULT", FAULTS[fault]))
        batch = tmp_path / "commands.gdb"
        batch.write_text("\n".join(["set width 0", *commands, "kill"]))
        words = ("-m", "treadle", "run", "--gdb", "-batch", "-nx", "-x", str(batch), str(script))
        environment = {"TREADLE_CACHE_DIR": str(tmp_path / "cache"), **environment}
        return run_python(*words, TREADLE_DEVICE="cpu", **environment).stdout

    return run


@needs_gdb
def test_gdb_stops_in_a_kernels_line_and_knows_the_kernel(debug):
    text = debug(
        "none",
        [
            f"break kernel.cu:{LINE_OF_SCALE}",
            f"break kernel.cu:{LINE_BEHIND_BARRIER}",
            *("run", "backtrace 1", "list 6,6", "delete 2", "continue", "backtrace 1"),
        ],
    )
    assert re.search(rf"#0  scale \(\) at \S*kernel\.cu:{LINE_OF_SCALE}\n", text)
    assert f"\n{LINE_OF_SCALE}\t    a[i] = twice(a[i]);\n" in text
    assert "\n6\t}\n" in text
    # Behind a barrier, in a function of its own: it is the same kernel.
    assert re.search(rf"#0  reverse \(\) at \S*kernel\.cu:{LINE_BEHIND_BARRIER}\n", text)
    assert f"\n{LINE_BEHIND_BARRIER}\t      s[63 - threadIdx.x] + 1;\n" in text


@needs_gdb
def test_gdb_stops_where_a_kernel_begins(debug):
    text = debug("none", ["break reverse", "run", "backtrace 1"])
    assert re.search(r"Breakpoint 2\S*, reverse \(\) at \S*kernel\.cu:1\d\n", text)


@needs_gdb
def test_gdb_stops_where_a_kernel_is_wrong_and_the_program_gets_its_error(debug):
    text = debug("signal", ["run", "backtrace 1", "continue"])
    assert re.search(
        rf"SIGSEGV.*?#0 .*\bwrong \(\) at \S*kernel\.cu:{LINE_OF_WRONG}\n", text, re.DOTALL
    )
    assert "a[0] is 127.0" in text


@needs_gdb
def test_gdb_stops_where_an_assertion_fails(debug):
    text = debug("assert", ["run", "backtrace"])
    assert "hit Breakpoint 1, " in text
    assert re.search(rf"#\d+ +\S+ in claim \(\) at \S*kernel\.cu:{LINE_OF_CLAIM}\n", text)


@needs_gdb
def test_gdb_stops_in_blocks_of_less_than_a_vector_with_G(debug):
    text = debug("narrow", ["break one", "run", "backtrace 1"])
    assert re.search(r"#0  one \(\) at \S*kernel\.cu:1\n", text)


@needs_gdb
def test_gdb_knows_kernels_of_modules_that_are_in_memory_only(debug):
    commands = [f"break kernel.cu:{LINE_BEHIND_BARRIER}", "run", "backtrace 1"]
    text = debug("none", commands, TREADLE_CACHE="0")
    assert re.search(rf"#0  reverse \(\) at \S*kernel\.cu:{LINE_BEHIND_BARRIER}\n", text)


@needs_gdb
def test_gdb_takes_programs_of_machine_code_and_the_words_behind_them(run_python):
    program = shutil.which("echo")
    words = ("--gdb", "-batch", "-ex", "run", program, "-e", "two words")
    assert "two words\n" in run_python("-m", "treadle", "run", *words).stdout


@pytest.mark.parametrize(
    "option", ["-d", "-p", "-c", "-s", "-e", "-tty", "-D", "--core", "-ex", "-eix", "--se"]
)
def test_the_value_of_a_gdb_option_is_not_taken_for_the_script(option):
    words = ["-q", option, "value", "script.py", "-c"]
    assert _gdb.take_options(words) == ["-q", option, "value"]
    assert words == ["script.py", "-c"]
    joined = [f"{option}=value", "script.py"]
    assert _gdb.take_options(joined) == [f"{option}=value"]


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_every_option_with_a_value_that_gdb_tells_of_is_known():
    told = subprocess.run(["gdb", "--help"], capture_output=True, text=True, check=True).stdout
    told = re.sub(r",\n\s+", ", ", told)  # a line that is broken between two names
    named = re.findall(r"^  (-{1,2}[\w-]+)(?:=[A-Z]+| [A-Z]{2,})((?:, -\w+)*)", told, re.MULTILINE)
    options = [option for first, others in named for option in (first, *others.split(", ")[1:])]
    assert len(options) > 15
    for option in options:
        words = [option, "value", "script.py"]
        _gdb.take_options(words)
        assert words == ["script.py"], option


def test_without_gdb_the_package_to_install_is_named(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print('ran')")
    # A toolkit's cuda-gdb, which GPUs have, is found without PATH.
    environment = {"PATH": str(tmp_path), "TREADLE_DEVICE": "cpu"}
    result = run_python("-m", "treadle", "run", "--gdb", str(script), **environment)
    assert result.returncode == 1
    assert result.stderr.startswith("NotSupported: ")
    assert "apt-get install gdb" in result.stderr
    assert "ran" not in result.stdout


def test_a_script_that_is_not_there_is_said_before_gdb_starts(run_python):
    result = run_python("-m", "treadle", "run", "--gdb", "/nowhere/script.py")
    assert result.returncode == 2
    assert "/nowhere/script.py" in result.stderr


@pytest.fixture
def kept(run_python, tmp_path):
    """The folder of files for debuggers and profilers, after the program has ended."""
    script = tmp_path / "script.py"
    script.write_text(PROGRAM.replace("FAULT", ""))
    environment = {"TREADLE_CACHE_DIR": str(tmp_path / "cache"), "TREADLE_DEVICE": "cpu"}
    for _ in range(2):  # the second time from the cache
        result = run_python("-m", "treadle", "run", str(script), **environment)
        assert result.stdout == "a[0] is 127.0\n", result.stderr
    return tmp_path / "cache" / "treadle-debug"


def test_a_profiler_finds_kernels_by_name_when_the_program_has_ended(kept):
    (module,) = (kept / "module").iterdir()
    symbols = subprocess.run(["nm", str(module)], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1] for line in symbols.splitlines()}
    assert "scale.kernel" in names
    assert any(name.startswith("reverse.all") for name in names)


def test_the_source_is_kept_as_the_user_wrote_it(kept):
    (source,) = (kept / "source").glob("*/kernel.cu")
    wanted = PROGRAM.split('"""')[1].splitlines()
    assert source.read_text().splitlines()[: len(wanted)] == wanted


def test_clearing_the_cache_takes_these_files_too_and_says_how_many(kept, run_python):
    files = [path for path in kept.rglob("*") if path.is_file()]
    said = f"{len(files)} files for debuggers ({sum(path.stat().st_size for path in files)} bytes)"

    def cache(action):
        words = ("-m", "treadle", "cache", action, "--folder", str(kept.parent))
        result = run_python(*words)
        assert result.returncode == 0, result.stderr
        return result.stdout

    assert len(files) == 2
    assert said.replace(" for debuggers (", ", ")[:-1] in cache("stat")
    assert cache("clear").strip().endswith(said)
    assert not kept.exists()


def test_a_modules_sources_are_used_when_it_is(kept, run_python):
    (source,) = (kept / "source").glob("*/kernel.cu")
    os.utime(source, (0, 0))
    environment = {"TREADLE_CACHE_DIR": str(kept.parent), "TREADLE_DEVICE": "cpu"}
    script = kept.parent.parent / "script.py"
    assert run_python("-m", "treadle", "run", str(script), **environment).returncode == 0
    (module,) = (kept / "module").iterdir()
    assert source.stat().st_mtime >= module.stat().st_mtime


PRINTS = '''
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("""
#include <stdio.h>
__global__ void tell(int launch, int steps) {
  __shared__ int turn;
  for (int step = 0; step < steps; ++step) {
    printf("%d %d %d %d before\\\\n", launch, blockIdx.x, threadIdx.x, step);
    if (threadIdx.x == 0) turn = step;
    __syncthreads();
    printf("%d %d %d %d behind\\\\n", launch, blockIdx.x, threadIdx.x, turn);
    __syncthreads();
  }
}
""")
tell = module.get_function("tell")
streams = [cuda.Stream(), cuda.Stream()]
for launch in range(4):
    tell(np.int32(launch), np.int32(3), block=(40, 1, 1), grid=(5, 1), stream=streams[launch % 2])
cuda.Context.synchronize()
'''


def test_lines_of_a_thread_come_in_the_order_in_which_it_printed_them(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PRINTS)
    lines = run_python("-m", "treadle", "run", str(script)).stdout.splitlines()
    assert len(lines) == 4 * 5 * 40 * 3 * 2
    of_thread, launches = {}, {0: [], 1: []}
    for line in lines:
        launch, block, thread, step, side = line.split()
        of_thread.setdefault((launch, block, thread), []).append((int(step), side))
        launches[int(launch) % 2].append(int(launch))
    told = [(step, side) for step in range(3) for side in ("before", "behind")]
    assert set(map(tuple, of_thread.values())) == {tuple(told)}
    # One launch after the other in a stream.
    assert all(stream == sorted(stream) for stream in launches.values())


DEBUGGED = """
import sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

assert __name__ == "__main__"
a = np.zeros(4, np.int32)
SourceModule("__global__ void one(int *a) { a[threadIdx.x] = 1; }").get_function("one")(
    cuda.Out(a), block=(4, 1, 1)
)
print(cuda.CUDA_DEBUGGING, a.sum(), sys.argv[1:])
sys.exit(3)
"""


def test_programs_run_with_kernels_for_a_debugger(run_python, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(DEBUGGED)
    aliases = pathlib.Path(treadle.__file__).parent / "_aliases"
    path = os.pathsep.join([*filter(None, sys.path), str(aliases)])
    for module in ("treadle.pycuda.debug", "pycuda.debug"):
        result = run_python("-m", module, str(script), "one", "--two", PYTHONPATH=path)
        assert result.returncode == 3, result.stderr
        assert result.stdout.splitlines()[-1] == "True 4 ['one', '--two']"


def test_a_program_that_is_not_there_is_named(run_python):
    assert "usage" in run_python("-m", "treadle.pycuda.debug").stderr
    result = run_python("-m", "treadle.pycuda.debug", "no_such_program.py")
    assert result.returncode == 2 and "no_such_program.py" in result.stderr


@pytest.mark.parametrize(
    ("is_gpu", "has_cuda_gdb", "chosen"),
    [(True, True, "cuda-gdb"), (True, False, "gdb"), (False, True, "gdb")],
)
def test_a_gpu_has_a_debugger_of_its_own(monkeypatch, tmp_path, is_gpu, has_cuda_gdb, chosen):
    for name in ("gdb", "cuda-gdb") if has_cuda_gdb else ("gdb",):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    if not has_cuda_gdb and pathlib.Path("/usr/local/cuda/bin/cuda-gdb").exists():
        pytest.skip("there is a cuda-gdb outside of PATH")
    monkeypatch.setattr(_gdb, "_device_is_gpu", lambda: is_gpu)
    words = _gdb.command_line(["-batch"], ["program", "argument"])
    assert words[0] == str(tmp_path / chosen)
    assert words[-4:] == ["-batch", "--args", "program", "argument"]
