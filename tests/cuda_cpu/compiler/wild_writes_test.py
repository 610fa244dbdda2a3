# SPDX-License-Identifier: MIT
"""Writes beyond a thread's arrays, or a block's, and stacks that overflow: the process lives on,
with the context's error or a result, and other contexts work. In processes of their own, each of
which makes one kernel after the other do its worst. TREADLE_WILD_WRITES=N makes N random ones."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FILL = "for (int i = 0; i < n; i++) x[i] = {value};"
DOWN = "for (int i = 0; i < n; i++) x[-i] = {value};"
ONE = "x[n] = {value};"
BYTES = "char* c = (char*)x; for (int i = 0; i < n; i++) c[i] = (char)(i * 37 + 1);"
WRITES = {"up": FILL, "down": DOWN, "one": ONE, "bytes": BYTES}
NUMBERS = [5, 12, 32, 128, 512, 1500, 5000, 1 << 17, 1 << 24, 1 << 30]
NUMBERS += [-7, -600, -1000, -20000, -(1 << 22)]
VALUES = ["i", "0x41414141", "(int)(size_t)o", "-1"]

# {array} is declared, then {write} done; what is read afterwards depends on it.
KERNELS = {
    "alone": "int x[4]; {write} o[t] = x[t & 3] + 1;",
    "among others": "int y[8], x[4], z[8]; for (int i = 0; i < 8; i++) y[i] = z[i] = t; {write} "
    "o[t] = x[t & 3] + y[t & 7] + z[(t + 1) & 7];",
    "across barriers": "int x[4]; x[t & 3] = t; __syncthreads(); {write} __syncthreads(); "
    "o[t] = x[t & 3];",
    "where threads part": "int x[4]; if (t & 1) {{ {write} __syncthreads(); }} else "
    "{{ x[0] = 1; __syncthreads(); }} if (t == 3) return; __syncthreads(); o[t] = x[t & 3];",
    "in shared memory": "__shared__ int x[4]; __syncthreads(); {write} __syncthreads(); "
    "if (t & 1) __syncwarp(0xaaaaaaaa); __syncthreads(); o[t] = x[t & 3];",
    "of a warp": "int x[4]; {write} o[t] = __shfl_sync(~0u, x[t & 3], 5) + "
    "__syncthreads_count(x[1]);",
    "in a function": "o[t] = deep(3 + (t & 1), n, o);",
    "after leaving": "int x[4]; if (t < 3) return; {write} o[t] = x[t & 3];",
}
PRELUDE = """
__device__ __noinline__ int deep(int depth, int n, int* o) {{
  int x[4]; x[depth & 3] = depth; {{ {write} }}
  return depth > 0 ? deep(depth - 1, n, o) + x[depth & 3] : x[0]; }}
"""
HEAD = 'extern "C" __global__ void k(int* o, int n) { const int t = threadIdx.x; '

GOOD = (
    HEAD.replace(", int n", "")
    + """int x[9]; for (int i = 0; i < 9; i++) x[i] = i * t;
  __syncthreads(); o[t] = x[t % 9]; }"""
)

CHILD = """
import ctypes, os, sys
sys.path.insert(0, {folder!r})
import conftest, numpy as np
import wild_writes_test as own

device = conftest.Device()
device.make_current(device.context)
GOOD = device.image(own.GOOD)
EXPECTED = [(t % 9) * t for t in range(64)]
canary = np.arange(1 << 16)


def run(image, n, grid):
    out = np.zeros(1 << 12, np.int32)
    try:
        device.load(image).kernel()(out, np.int32(n), block=(32,), grid=(grid,))
        return 0
    except RuntimeError as error:
        return int(str(error).split("= ")[1])


def check_all(codes):
    if codes not in own.ALLOWED:
        print("code", codes)
        os._exit(3)
    if codes:
        device.check("cuDevicePrimaryCtxReset_v2", 0)
        device.check("cuDevicePrimaryCtxRetain", ctypes.byref(device.context), 0)
        device.make_current(device.context)
    out = np.zeros(64, np.int32)
    device.load(GOOD).kernel()(out, block=(64,), grid=(1,))
    if out.tolist() != EXPECTED or (canary != np.arange(1 << 16)).any():
        print("wrong afterwards")
        os._exit(4)


device.check("treadle_cpu_run_on_fibers", {fibers})
for name, text, number, grid in {cases}:
    print(name, number, grid, flush=True)
    options = ["--treadle-fibers"] if {fibers} else []
    check_all(run(device.image(text, *options), number, grid))
print("survived")
"""
# Nothing, an address, an instruction, a misaligned address, the stack, another fault.
ALLOWED = {0, 700, 714, 715, 716, 719}


def text_of(kernel, write, value):
    filled = WRITES[write].format(value=value if write in ("up", "down") or "i" != value else "7")
    return PRELUDE.format(write=filled) + HEAD + KERNELS[kernel].format(write=filled) + " }"


def child(cases, fibers=0, timeout=300):
    folder = str(Path(__file__).resolve().parent)
    code = CHILD.format(folder=folder, cases=cases, fibers=fibers)
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, check=False
    )
    assert run.returncode == 0 and run.stdout.endswith("survived\n"), (
        f"exit {run.returncode} after {run.stdout[-300:]}\n{run.stderr[-3000:]}"
    )


def usual(kernel):
    """Each write, in few and in many blocks: a thread of the program runs one, workers the rest."""
    return [
        (f"{kernel} {write}", text_of(kernel, write, value), number, grid)
        for write, value, number, grid in [
            ("up", "i", 32, 1),
            ("up", "0x41414141", 128, 1),
            ("up", "i", 512, 64),
            ("up", "(int)(size_t)o", 1 << 24, 1),
            ("down", "-1", 600, 1),
            ("one", "-1", 40, 8),
            ("one", "-1", -(1 << 22), 1),
            ("one", "-1", 1 << 30, 1),
            ("bytes", "i", 5000, 1),
        ]
    ]


def test_a_process_survives_what_kernels_write_beyond_their_arrays():
    child([case for kernel in KERNELS for case in usual(kernel)])


def test_so_it_does_where_each_thread_has_a_stack():
    child([case for kernel in ("alone", "across barriers") for case in usual(kernel)], fibers=1)


@pytest.mark.parametrize("fibers", [0, 1])
def test_no_memory_of_the_host_is_within_32_bits_of_an_array(device, fibers):
    """By any 32-bit index of 4-byte elements. What the host has mapped there would be overwritten
    without a fault: files that are mapped tell, for heaps lie among them."""
    text = """extern "C" __global__ void k(unsigned long long* o, int n) { int x[4];
      x[n & 3] = n; __syncthreads(); o[threadIdx.x] = (unsigned long long)(x + (x[3] & 1)); }"""
    module = device.compile(text, *(["--treadle-fibers"] if fibers else []))
    out = np.zeros(32, np.uint64)
    device.check("treadle_cpu_run_on_fibers", fibers)
    try:
        module.kernel()(out, np.int32(3), block=(32,), grid=(1,))
    finally:
        device.check("treadle_cpu_run_on_fibers", 0)
    spans = [line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text().splitlines()]
    named = [[int(end, 16) for end in span[0].split("-")] for span in spans if len(span) == 6]
    near = 4 << 31
    for address in map(int, out):
        assert not [s for s in named if s[0] < address + near and s[1] > address - near]


STACKS = {
    "large frames": """__device__ __noinline__ int f(int n, int k) { int x[50000]; x[k] = n;
      return n > 0 ? f(n - 1, k + 1) + x[n % 50000] : x[k]; }""",
    "small frames": """__device__ __noinline__ int f(int n, int k) {
      return n > 0 ? f(n - 1, k + 1) * 3 + f(n - 2, k) : k; }""",
    "arrays within bounds": """__device__ __noinline__ int f(int n, int k) { int x[3000];
      for (int i = 0; i < 3000; i++) x[i] = n * i; int s = n > 0 ? f(n - 1, k) : k;
      for (int i = 0; i < 3000; i++) s += x[i] * k; return s; }""",
}


def test_a_stack_that_overflows_ends_the_kernel_only():
    text = 'extern "C" __global__ void k(int* o, int n) { o[threadIdx.x] = f(n, threadIdx.x); }'
    child([(name, own + text, 10**9, grid) for name, own in STACKS.items() for grid in (1, 64)])


def test_as_much_local_memory_as_cuda_allows(device, compile_error):
    text = """extern "C" __global__ void k(int* o, int n) {{ int x[{0}];
      for (int i = 0; i < n; i++) x[i * 1000] = i; o[threadIdx.x] = x[threadIdx.x * 1000]; }}"""
    most = 1 << 17
    assert device.run(text.format(most), 32, np.int32, np.int32(131)).tolist() == list(range(32))
    for size in most + 1, 1 << 22, 1 << 28:
        with pytest.raises(compile_error) as refused:
            device.image(text.format(size))
        assert f"kernel 'k' has {size * 4} bytes" in str(refused.value)
        assert "524288" in str(refused.value)


@pytest.mark.skipif("TREADLE_WILD_WRITES" not in os.environ, reason="TREADLE_WILD_WRITES=N")
def test_random_ones():
    rng = random.Random(os.environ.get("TREADLE_WILD_SEED", "wild"))
    cases = []
    for _ in range(int(os.environ["TREADLE_WILD_WRITES"])):
        kernel, write = rng.choice(list(KERNELS)), rng.choice(list(WRITES))
        text = text_of(kernel, write, rng.choice(VALUES))
        cases.append((f"{kernel} {write}", text, rng.choice(NUMBERS), rng.choice([1, 8, 64])))
    for first in range(0, len(cases), 100):
        child(cases[first : first + 100], fibers=rng.choice([0, 0, 1]), timeout=3000)
