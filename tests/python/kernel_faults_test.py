# SPDX-License-Identifier: MIT
"""P12: what a kernel does wrong is the error a GPU gives. On the CPU device the text names kernel,
block, address and allocation, and the next context works."""

import json

import pytest

SOURCE = r"""
#include <assert.h>
extern "C" {
__global__ void write(int *p, long long i) { p[i] = 1; }
__global__ void read(const int *p, long long i, int *out) { *out = p[i]; }
__global__ void write4(char *p, long long i) { *(float4 *)(p + i) = make_float4(1, 2, 3, 4); }
__global__ void sixth(int *p) { if (blockIdx.x == 5) *p = 1; }
__global__ void trap(unsigned t) { if (threadIdx.x == t && blockIdx.x == 0) __trap(); }
__global__ void fail(unsigned t) { assert(threadIdx.x != t); }
__global__ void spin(volatile int *p) { while (*p == 0); }
__device__ int deeper(int n)
{
    volatile int a[100];
    a[n % 100] = n;
    return n < 0 ? 0 : deeper(n + 1) + a[5];
}
__global__ void recurse(int *p) { *p = deeper(threadIdx.x); }
__global__ void shared(int *p, long long i)
{
    __shared__ int s[32];
    s[threadIdx.x + i] = 1;
    __syncthreads();
    p[threadIdx.x] = s[31 - threadIdx.x];
}
}
"""

ILLEGAL = "an illegal memory access was encountered"
FAILED = "unspecified launch failure"
SIZE = 1 << 20

# name: kernel, arguments, what a GPU's driver says, what the CPU device adds, whether a GPU is sure
# to notice.
FAULTS = {
    "write before": ("write", "array, int64(-1)", ILLEGAL, "4 bytes before the 1048576", False),
    "write past": ("write", "array, int64(1 << 18)", ILLEGAL, "just past the end of", False),
    "read before": ("read", "array, int64(-2), array", ILLEGAL, "8 bytes before", False),
    "read past": ("read", "array, int64(1 << 18), array", ILLEGAL, "past the end of", False),
    "far past": ("write", "array, int64(1 << 44)", ILLEGAL, "illegal memory access at 0x", True),
    "freed": ("write", "freed(), int64(0)", ILLEGAL, "which were freed", False),
    "null": ("write", "uintp(0), int64(3)", ILLEGAL, "0xc (SIGSEGV), a null pointer", True),
    "sixth block": ("sixth", "uintp(0)", ILLEGAL, "block (5,0,0) of (4096,1,1)", True),
    "misaligned": ("write4", "array, int64(4)", "misaligned address", "misaligned memory", True),
    "malformed": (
        "write",
        "uintp(0x1234567812345678), int64(0)",
        ILLEGAL,
        "0x1234567812345678",
        False,
    ),
    # An H200 calls this an illegal instruction.
    "shared": ("shared", "array, int64(1 << 22)", ILLEGAL, "illegal memory access", False),
    "far before shared": ("shared", "array, int64(-1 << 31)", ILLEGAL, "memory access at", False),
    "far behind shared": ("shared", "array, int64(0xffffffe0)", ILLEGAL, "memory access at", False),
    "trap": ("trap", "uint32(7)", FAILED, "trap instruction, block (0,0,0) of (2,1,1)", True),
    "assert": ("fail", "uint32(7)", "device-side assert triggered", "thread (7,0,0) of (32", True),
    "recursion": ("recurse", "array", "hardware stack error", "stack overflow", False),
    "endless": ("spin", "zero", "the launch timed out", "the 1 s of TREADLE_WATCHDOG", False),
}

SCRIPT = f"""
import json, sys
import numpy as np
from numpy import int32, int64, uint32, uintp
import treadle.compat, pycuda.driver as cuda
from pycuda.compiler import SourceModule

cuda.init()
device = cuda.Device(0)
SOURCE = {SOURCE!r}
GRIDS = {{"sixth": 4096}}  # so many that its block is in the middle of those that run together

def load():
    return SourceModule(SOURCE, no_extern_c=True)

def freed():
    memory = cuda.mem_alloc({SIZE})
    address = int(memory)
    memory.free()
    return uintp(address)

def outcome(kernel, arguments):
    context = device.make_context()
    array, zero = cuda.mem_alloc({SIZE}), cuda.mem_alloc(4)
    cuda.memset_d32(zero, 0, 1)
    try:
        grid = (GRIDS.get(kernel, 2), 1)
        load().get_function(kernel)(*eval(f"({{arguments}},)"), block=(32, 1, 1), grid=grid)
        context.synchronize()
        return "nothing happened"
    except cuda.Error as error:
        return str(error)
    finally:
        context.pop()
        context.detach()

def next_context_works():
    context = device.make_context()
    array = cuda.mem_alloc(128)
    load().get_function("write")(array, int64(3), block=(1, 1, 1))
    result = np.zeros(32, np.int32)
    cuda.memcpy_dtoh(result, array)
    context.pop()
    context.detach()
    return result[3] == 1

on_cpu = device._target().startswith("cpu")
said = {{}}
for name, (kernel, arguments) in json.loads(sys.argv[1]).items():
    said[name] = outcome(kernel, arguments)
    if on_cpu:
        assert next_context_works(), name
print(json.dumps(said))
if not on_cpu:
    import os
    sys.stdout.flush()
    os._exit(0)  # its process is of no use any more
"""


@pytest.fixture(scope="module")
def on_a_gpu():
    import pycuda.driver as cuda

    cuda.init()
    return not cuda.Device(0)._target().startswith("cpu")


@pytest.fixture(scope="module")
def said(run_python, tmp_path_factory, on_a_gpu):
    """said(name) is the error's text: one process for most on the CPU device, one for each on a
    GPU, which gives up the process with the context."""
    script = tmp_path_factory.mktemp("faults") / "faults.py"
    script.write_text(SCRIPT)

    def run(names, **environment):
        rows = json.dumps({name: FAULTS[name][:2] for name in names})
        done = run_python(str(script), rows, **environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    # Without the watchdog: a busy machine may keep any kernel for as long as it allows.
    texts = {} if on_a_gpu else run([name for name in FAULTS if name != "endless"])
    return lambda name: texts.get(name) or run([name], TREADLE_WATCHDOG="1")[name]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_the_error_a_gpu_gives(name, said, on_a_gpu):
    kernel, _, driver_text, own_text, sure = FAULTS[name]
    if on_a_gpu and not sure:
        pytest.skip("a GPU may find memory there, or no end")
    text = said(name)
    assert driver_text in text
    if not on_a_gpu:
        assert f"kernel {kernel}: " in text
        assert own_text in text
        assert "block (" in text


LATE_HANDLER = """
import faulthandler
import numpy as np
import treadle.compat, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule

write = SourceModule("__global__ void write(int *p) { *p = 1; }").get_function("write")
write(cuda.mem_alloc(4), block=(1, 1, 1))
cuda.Context.synchronize()
faulthandler.enable()
again = SourceModule("__global__ void write(int *p) { *p = 2; }").get_function("write")
try:
    again(np.uintp(64), block=(1, 1, 1))
    cuda.Context.synchronize()
except cuda.Error as error:
    print("error:", error, flush=True)
if CRASH:
    import ctypes
    ctypes.string_at(8)
"""


@pytest.mark.parametrize("crash", [False, True])
def test_a_fault_handler_that_comes_late_gets_the_programs_faults_only(run_python, on_a_gpu, crash):
    if on_a_gpu:
        pytest.skip("no kernel faults on the processor")
    done = run_python("-c", LATE_HANDLER.replace("CRASH", str(crash)))
    assert "error: " in done.stdout, done.stderr
    assert done.returncode == (-11 if crash else 0)
    assert done.stderr.count("Fatal Python error: Segmentation fault") == int(crash)
