# SPDX-License-Identifier: MIT
"""TREADLE_CHECK: what compiled-in checks find, by line, and what they let pass."""

import ctypes
from pathlib import Path

import numpy as np
import pytest

SOURCE = """extern "C" {
__constant__ int table[16];
__device__ int deeper(int *a, int n) { a[n] = n; return n == 0 ? a[3] : deeper(a, n - 1); }
__global__ void write(int *p, long long i) { p[i] = 1; }                                // line 4
__global__ void write_at(char *p, long long i) { *(int *)(p + i) = 1; }
__global__ void read_constant(int *p, int i) { p[threadIdx.x] = table[i]; }
__global__ void local(int *p, int i)
{
    int a[16];
    for (int k = 0; k < 16; ++k) a[k] = k * threadIdx.x;
    p[threadIdx.x] = a[i & 31];                                                         // line 11
}
__global__ void shared(int *p, int i)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x + i];                                                // line 18
}
__global__ void dynamic(int *p, int i)
{
    extern __shared__ int d[];
    d[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = d[threadIdx.x + i];                                                // line 25
}
__global__ void heap(int *p, int i)
{
    int *q = (int *) malloc(40);
    q[threadIdx.x % 8] = 1;
    p[threadIdx.x] = q[threadIdx.x % 8 + i];                                            // line 31
    free(q);
}
__global__ void recursive(int *p, int n)
{
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = i;
    p[threadIdx.x] = deeper(a, n);
}
__global__ void write_then_read(int *p)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;                                                                 // line 43
    p[threadIdx.x] = s[(threadIdx.x + 31) % 32];                                        // line 44
}
__global__ void read_then_write(int *p)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[(threadIdx.x + 1) % 32];                                         // line 51
    s[threadIdx.x] = 2;                                                                 // line 52
}
__global__ void no_race(int *p)
{
    __shared__ int s[32], sum;
    s[threadIdx.x] = 1;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    p[threadIdx.x] = s[(threadIdx.x + 1) % 32];
    atomicAdd(&sum, 1);
    __syncthreads();
    s[threadIdx.x] = sum;
    __syncwarp();
    p[threadIdx.x] += s[threadIdx.x ^ 1] + __shfl_xor_sync(~0u, s[threadIdx.x], 4);
}
__global__ void unwritten_shared(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x + 32];                                               // line 72
}
__global__ void unwritten_local(int *p, int i)
{
    int a[8];
    a[i + 1] = 3;
    p[threadIdx.x] = a[(threadIdx.x + i) & 7];                                          // line 78
}
__global__ void missed_barrier(int *p)
{
    if (threadIdx.x == 7) return;
    __syncthreads();                                                                    // line 83
    p[threadIdx.x] = 1;
}
__global__ void two_barriers(int *p)
{
    if (threadIdx.x < 16)
        __syncthreads();                                                                // line 89
    else
        __syncthreads();                                                                // line 91
    p[threadIdx.x] = 1;
}
}
"""
ALL = "memory,race,init,sync"
ILLEGAL, MISALIGNED, FAILED = 700, 716, 719
BYTES = 400


class Checked:
    """A context with an array of 400 bytes, and the kernels above compiled with some checks."""

    def __init__(self, device):
        self.device = device
        self.images = {}
        self.fault = device._driver.treadleCpuLastFault
        self.fault.restype, self.fault.argtypes = ctypes.c_char_p, [ctypes.c_void_p]

    def allocate(self):
        address = ctypes.c_uint64()
        self.device.check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(BYTES))
        return address

    def run(self, name, arguments=(), *, checks=ALL, shape=None, first=None):
        """(error code or 0, text); `first` makes the first argument."""
        if checks not in self.images:
            self.images[checks] = self.device.image(SOURCE, f"--treadle-check={checks}")
        context = ctypes.c_void_p()
        self.device.check("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
        try:
            address = first(self) if first else self.allocate().value
            module = ctypes.c_void_p()
            self.device.check("cuModuleLoadData", ctypes.byref(module), self.images[checks])
            kernel = ctypes.c_void_p()
            self.device.check("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
            values = [np.uint64(address), *arguments]
            storage = [np.array(value) for value in values]
            pointers = (ctypes.c_void_p * len(values))(*[s.ctypes.data for s in storage])
            shape = {"block": (32, 1, 1), "shared": 0, **(shape or {})}
            self.device.check(
                "cuLaunchKernel",
                *(kernel, 2, 1, 1, *shape["block"], shape["shared"], None, pointers, None),
            )
            code = self.device._driver.cuCtxSynchronize()
            return code, self.fault(context).decode()
        finally:
            self.device.check("cuCtxDestroy_v2", context)


@pytest.fixture(scope="module")
def checked(opened_device):
    return Checked(opened_device)


def host_pointer(_):
    host_pointer.array = np.zeros(100, np.int32)
    return host_pointer.array.ctypes.data


def freed_pointer(checked):
    address = checked.allocate()
    checked.device.check("cuMemFree_v2", address)
    return address.value


def index(i):
    return (np.int64(i),)


def number(i):
    return (np.int32(i),)


# kernel, arguments, how else it is run, error, words of its text
MISTAKES = {
    "past": ("write", index(102), {}, ILLEGAL, "kernel.cu:4: write of 4 bytes at 0x"),
    "how far past": ("write", index(102), {}, ILLEGAL, "8 bytes past the end of the 400 bytes at"),
    "before": ("write", index(-1), {}, ILLEGAL, "4 bytes before the 400 bytes at"),
    "thread": ("write", index(102), {}, ILLEGAL, "block (0,0,0) of (2,1,1), thread (0,0,0) of"),
    "freed": ("write", index(0), {"first": freed_pointer}, ILLEGAL, "which were freed"),
    "host": ("write", index(3), {"first": host_pointer}, ILLEGAL, "in no memory of the device"),
    "misaligned": ("write_at", index(1), {}, MISALIGNED, "kernel.cu:5: write of 4 bytes at 0x"),
    "constant": ("read_constant", number(20), {}, ILLEGAL, "past the end of 'table' of 64 bytes"),
    "local": ("local", number(30), {}, ILLEGAL, "kernel.cu:11: read of 4 bytes"),
    "local name": ("local", number(30), {}, ILLEGAL, "60 bytes past the end of 'a' of 64 bytes"),
    "shared": ("shared", number(3), {}, ILLEGAL, "'shared::s' of 128 bytes"),
    "shared thread": ("shared", number(3), {}, ILLEGAL, "thread (29,0,0)"),
    "dynamic": ("dynamic", number(3), {"shape": {"shared": 128}}, ILLEGAL, "kernel.cu:25: read"),
    "heap": ("heap", number(10), {}, ILLEGAL, "the 40 bytes at 0x"),
    "race": ("write_then_read", (), {"checks": "race"}, FAILED, "kernel.cu:43 by thread (0,0,0)"),
    "its other line": ("write_then_read", (), {"checks": "race"}, FAILED, "at kernel.cu:44"),
    "later race": ("read_then_write", (), {}, FAILED, "kernel.cu:51 by thread (0,0,0)"),
    "later line": ("read_then_write", (), {}, FAILED, "at kernel.cu:52, with no barrier between"),
    "unwritten": ("unwritten_shared", (), {}, FAILED, "kernel.cu:72: read of 4 bytes of shared"),
    "unwritten local": ("unwritten_local", number(0), {}, FAILED, "kernel.cu:78: read of 4 bytes"),
    "missed": ("missed_barrier", (), {}, FAILED, "thread (7,0,0) came to no barrier"),
    "missed line": ("missed_barrier", (), {}, FAILED, "kernel.cu:83: a barrier that not all"),
    "two barriers": ("two_barriers", (), {}, FAILED, "came last to the one at kernel.cu:"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_line(checked, mistake):
    kernel, arguments, how, code, words = MISTAKES[mistake]
    got, text = checked.run(kernel, arguments, **how)
    assert (got, text.partition(":")[0]) == (code, f"kernel {kernel}"), text
    assert words in text


RIGHT = {
    "write": (index(99), {}),
    "write_at": (index(396), {}),
    "read_constant": (number(15), {"checks": "memory,race,sync"}),
    "local": (number(15), {}),
    "shared": (number(0), {}),
    "dynamic": (number(0), {"shape": {"shared": 128}}),
    "heap": (number(0), {}),
    "recursive": (number(5), {}),
    "no_race": ((), {}),
}


@pytest.mark.parametrize("kernel", RIGHT)
def test_what_is_right_passes(checked, kernel):
    arguments, how = RIGHT[kernel]
    assert checked.run(kernel, arguments, **how) == (0, "")


def test_threads_of_all_dimensions_are_told_apart(checked):
    # Eight threads have each x: all of them write the same place.
    code, text = checked.run("shared", number(0), shape={"block": (4, 4, 2)})
    assert code == FAILED
    assert "kernel.cu:16 by thread (0,0,0)" in text
    assert "thread (0,1,0) of (4,4,2)" in text


@pytest.mark.parametrize(
    ("kernel", "arguments", "checks"),
    [
        ("write", index(100), "race,init,sync"),
        ("write_then_read", (), "memory,sync"),
        ("unwritten_shared", (), "memory,race,sync"),
        ("missed_barrier", (), "memory,race,init"),
    ],
)
def test_only_what_is_asked_for_is_checked(checked, kernel, arguments, checks):
    assert checked.run(kernel, arguments, checks=checks)[0] == 0


def test_an_unknown_check_is_an_error(device, compile_error):
    with pytest.raises(compile_error, match="'speed' is not a list of memory, race, init and sync"):
        device.image(SOURCE, "--treadle-check=speed")


BY_SETTING = """
import numpy as np
import treadle.compat, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule
write = SourceModule("__global__ void write(int *p) { p[100] = 1; }").get_function("write")
array = cuda.mem_alloc(400)
try:
    write(array, block=(1, 1, 1))
    cuda.Context.synchronize()
    print("nothing")
except cuda.Error as error:
    print(error)
"""


def test_the_setting_makes_another_binary_that_names_the_allocations_line(run_python, tmp_path):
    pytest.importorskip("treadle")
    program = tmp_path / "program.py"
    program.write_text(BY_SETTING)
    common = {"TREADLE_CACHE_DIR": str(tmp_path / "cache"), "TREADLE_DEVICE": "cpu"}
    for checks, words in {
        "": "nothing",
        "memory": f"allocated at {program}:6",
        "sync": "nothing",
    }.items():
        done = run_python(str(program), TREADLE_CHECK=checks, **common)
        assert words in done.stdout, done.stdout + done.stderr


EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "python"
# What checked kernels would take minutes for.
SMALLER = {
    "N = 1024": "N = 64",
    "N, STEPS = 256 * 1024, 50": "N, STEPS = 1024, 3",
    "COUNT = 3 << 21": "COUNT = 3 << 12",
}


@pytest.mark.parametrize(
    "name",
    [
        "double_array",
        "double_array_paper",
        "pooled_memory",
        "tiled_product",
        "vector_add_templates",
    ],
)
def test_an_example_is_free_of_mistakes(run_python, tmp_path, name):
    pytest.importorskip("treadle")
    text = (EXAMPLES / f"{name}.py").read_text()
    for large, small in SMALLER.items():
        text = text.replace(large, small)
    program = tmp_path / f"{name}.py"
    program.write_text(text)
    done = run_python(
        *("-m", "treadle", "run", str(program)), TREADLE_CHECK=ALL, TREADLE_DEVICE="cpu"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kernel.cu" not in done.stdout + done.stderr
