# SPDX-License-Identifier: MIT
"""What a process has to do with the compiler: none is loaded for a cached kernel, and a compile
starts no other process."""

import platform

import pytest

pytest.importorskip("treadle")

LOAD_KERNEL = """
import sys
import treadle.compat, pycuda.autoinit
from pycuda.compiler import SourceModule
source = "__global__ void k(int* a) { a[0] = 41 + threadIdx.x; }"
SourceModule(source, cache_dir=sys.argv[1]).get_function("k")
with open("/proc/self/maps") as maps:
    print("compiler loaded:", "libtreadle_clang" in maps.read())
"""

# A filter under which this process may have threads but start no process. The flags of clone3 lie
# in memory, where a filter cannot look: it is "not there", and the C library falls back to clone.
REFUSE_PROCESSES = """
import ctypes, errno, struct, subprocess

ALLOW, REFUSE, CLONE_THREAD = 0x7FFF0000, 0x00050000, 0x00010000
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
CLONE, FORK, VFORK, EXECVE, EXECVEAT, CLONE3 = 56, 57, 58, 59, 322, 435
STEPS = [                      # code, jump if true, jump if false, value
    (LOAD, 0, 0, 0),           # 0: number of the call
    (EQUAL, 6, 0, CLONE3),     # 1: to 8
    (EQUAL, 6, 0, FORK),       # 2: to 9
    (EQUAL, 5, 0, VFORK),
    (EQUAL, 4, 0, EXECVE),
    (EQUAL, 3, 0, EXECVEAT),
    (EQUAL, 3, 0, CLONE),      # 6: to 10
    (RETURN, 0, 0, ALLOW),
    (RETURN, 0, 0, REFUSE | errno.ENOSYS),
    (RETURN, 0, 0, REFUSE | errno.EPERM),
    (LOAD, 0, 0, 16),          # 10: the flags of clone
    (ANY_BIT, 0, 1, CLONE_THREAD),
    (RETURN, 0, 0, ALLOW),
    (RETURN, 0, 0, REFUSE | errno.EPERM),
]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in STEPS))
filter = struct.pack("HxxxxxxQ", len(STEPS), ctypes.addressof(program))
prctl = ctypes.CDLL(None, use_errno=True).prctl
NO_NEW_PRIVILEGES, SECCOMP, BY_FILTER = 38, 22, 2
if prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(SECCOMP, BY_FILTER, filter, 0, 0):
    raise SystemExit("no filters here")
try:
    subprocess.run(["true"])
    raise SystemExit("the filter lets processes start")
except PermissionError:
    pass
"""


def test_a_cached_kernel_loads_no_compiler(run_python, tmp_path):
    cache = str(tmp_path / "cache")
    answers = [run_python("-c", LOAD_KERNEL, cache, TREADLE_DEVICE="cpu") for _ in range(2)]
    assert [answer.stdout.strip() for answer in answers] == [
        "compiler loaded: True",
        "compiler loaded: False",
    ], answers


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the filter names x86-64's calls")
def test_a_compile_starts_no_process(run_python, tmp_path):
    cache = str(tmp_path / "cache")
    answer = run_python("-c", REFUSE_PROCESSES + LOAD_KERNEL, cache, TREADLE_DEVICE="cpu")
    if answer.stderr.strip() == "no filters here":
        pytest.skip("this machine allows no filters of system calls")
    assert answer.stdout.strip() == "compiler loaded: True", answer
