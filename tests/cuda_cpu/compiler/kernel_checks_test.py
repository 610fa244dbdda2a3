# SPDX-License-Identifier: MIT
"""TREADLE_CHECK: what compiled-in checks find, by line, and what they let pass."""

import ctypes
import json
import re
from pathlib import Path

import numpy as np
import pytest

# ME is the thread's own place.
ME = "-DME=(blockIdx.x * 32 + threadIdx.x)"
SOURCE = """extern "C" {
__constant__ int table[16];
__device__ int deeper(int *a, int n) { a[n] = n; return n == 0 ? a[3] : deeper(a, n - 1); }
__global__ void write(int *p, long long i) { p[i] = 1; }                                // line 4
__global__ void write_at(char *p, long long i) { *(int *)(p + i) = 1; }
__global__ void read_constant(int *p, int i) { p[ME] = table[i]; }
__global__ void local(int *p, int i)
{
    int a[16];
    for (int k = 0; k < 16; ++k) a[k] = k * threadIdx.x;
    p[ME] = a[i & 31];                                                                  // line 11
}
__global__ void shared(int *p, int i)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[ME] = s[threadIdx.x + i];                                                         // line 18
}
__global__ void dynamic(int *p, int i)
{
    extern __shared__ int d[];
    d[threadIdx.x] = 1;
    __syncthreads();
    p[ME] = d[threadIdx.x + i];                                                         // line 25
}
__global__ void heap(int *p, int i)
{
    int *q = (int *) malloc(40);
    q[threadIdx.x % 8] = 1;
    p[ME] = q[threadIdx.x % 8 + i];                                                     // line 31
    free(q);
}
__global__ void recursive(int *p, int n)
{
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = i;
    p[ME] = deeper(a, n);
}
__global__ void write_then_read(int *p)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;                                                                 // line 43
    p[ME] = s[(threadIdx.x + 31) % 32];                                                 // line 44
}
__global__ void read_then_write(int *p)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[ME] = s[(threadIdx.x + 1) % 32];                                                  // line 51
    s[threadIdx.x] = 2;                                                                 // line 52
}
__global__ void no_race(int *p)
{
    __shared__ int s[32], sum;
    s[threadIdx.x] = 1;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    p[ME] = s[(threadIdx.x + 1) % 32];
    atomicAdd(&sum, 1);
    __syncthreads();
    s[threadIdx.x] = sum;
    __syncwarp();
    p[ME] += s[threadIdx.x ^ 1] + __shfl_xor_sync(~0u, s[threadIdx.x], 4);
}
__global__ void unwritten_shared(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[ME] = s[threadIdx.x + 32];                                                        // line 72
}
__global__ void unwritten_local(int *p, int i)
{
    int a[8];
    a[i + 1] = 3;
    p[ME] = a[(threadIdx.x + i) & 7];                                                   // line 78
}
__global__ void missed_barrier(int *p)
{
    if (threadIdx.x == 7) return;
    __syncthreads();                                                                    // line 83
    p[ME] = 1;
}
__global__ void two_barriers(int *p)
{
    if (threadIdx.x < 16)
        __syncthreads();                                                                // line 89
    else
        __syncthreads();                                                                // line 91
    p[ME] = 1;
}
}
#include <cooperative_groups.h>
extern "C" __global__ void meet(int *p)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    cooperative_groups::this_grid().sync();
    const int other = s[31 - threadIdx.x];
    cooperative_groups::this_grid().sync();
    s[threadIdx.x] = other;
    p[ME] = other;
}
extern "C" __global__ void read_while_meeting(int *p)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    cooperative_groups::this_grid().sync();
    p[ME] = s[(threadIdx.x + 1) % 32];                                                  // line 111
    s[threadIdx.x] = 2;                                                                 // line 112
    cooperative_groups::this_grid().sync();
}
extern "C" __global__ void miss_the_meeting(int *p)
{
    if (threadIdx.x == 7) return;
    cooperative_groups::this_grid().sync();                                             // line 118
    p[ME] = 1;
}
extern "C" {
__device__ int numbers[10];
__global__ void read(int *p, long long i) { p[0] = p[i]; }                              // line 123
__global__ void read_at(char *p, long long i) { p[0] = *(int *)(p + i); }
__global__ void write_variable(int *p, int i) { numbers[i] = 1; }
__global__ void read_variable(int *p, int i) { p[ME] = numbers[i]; }                    // line 126
__global__ void write_shared(int *p, int i)
{
    __shared__ int s[32];
    s[threadIdx.x + i] = 1;                                                             // line 130
    __syncthreads();
    p[ME] = s[31 - threadIdx.x];
}
__global__ void write_local(int *p, int i)
{
    int a[16] = {};
    a[i & 31] = 7;                                                                      // line 137
    p[ME] = a[threadIdx.x & 15];
}
__global__ void written_by_math(int *p, int i)
{
    int exponent, quotient;
    float whole;
    double part = frexp(i + 0.5, &exponent) + remquo(i + 9.0, 4.0, &quotient);
    part += modff(i + 0.25f, &whole);
    p[ME] = exponent + quotient + (int)whole + (int)part;
}
__global__ void write_in_block_1(int *p, long long i) { if (blockIdx.x == 1) p[i] = 1; }
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
            self.images[checks] = self.device.image(
                SOURCE, ME, *f"--treadle-check={checks}".split()
            )
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
            shape = {"block": (32, 1, 1), "shared": 0, "blocks": 2, **(shape or {})}
            together = shape["blocks"] != 2
            self.device.check(
                "cuLaunchCooperativeKernel" if together else "cuLaunchKernel",
                *(kernel, shape["blocks"], 1, 1, *shape["block"], shape["shared"], None, pointers),
                *(() if together else (None,)),
            )
            code = self.device._driver.cuCtxSynchronize()
            return code, self.fault(context).decode()
        finally:
            self.device.check("cuCtxDestroy_v2", context)


@pytest.fixture(scope="module")
def checked(opened_device):
    return Checked(opened_device)


def host_pointer(_):
    # Not beside what other tests of this process have registered.
    host_pointer.array = np.zeros(1 << 20, np.int32)
    return host_pointer.array[1 << 19 :].ctypes.data


def freed_pointer(checked):
    address = checked.allocate()
    checked.device.check("cuMemFree_v2", address)
    return address.value


def index(i):
    return (np.int64(i),)


def number(i):
    return (np.int32(i),)


# A cooperative launch of more blocks than the machine has cores, usually.
TOGETHER = {"shape": {"blocks": 3}}
ALONE = {"shape": {"blocks": 1, "block": (1, 1, 1)}}

# kernel, arguments, how else it is run, error, words of its text
MISTAKES = {
    "past": ("write", index(102), {}, ILLEGAL, "kernel.cu:4: write of 4 bytes at 0x"),
    "how far past": ("write", index(102), {}, ILLEGAL, "8 bytes past the end of the 400 bytes at"),
    "before": ("write", index(-1), {}, ILLEGAL, "4 bytes before the 400 bytes at"),
    # One block alone is wrong: which of several comes first is not said.
    "thread": (
        "write_in_block_1",
        index(102),
        {},
        ILLEGAL,
        "block (1,0,0) of (2,1,1), thread (0,0,0) of (32,1,1)",
    ),
    "freed": ("write", index(0), {"first": freed_pointer}, ILLEGAL, "which were freed"),
    "host": ("write", index(3), {"first": host_pointer}, ILLEGAL, "in no memory of the device"),
    "misaligned": ("write_at", index(1), {}, MISALIGNED, "kernel.cu:5: write of 4 bytes at 0x"),
    "read past": ("read", index(100), {}, ILLEGAL, "kernel.cu:123: read of 4 bytes at 0x"),
    "read before": ("read", index(-1), {}, ILLEGAL, "4 bytes before the 400 bytes at"),
    "read freed": ("read", index(1), {"first": freed_pointer}, ILLEGAL, "which were freed"),
    "read host": ("read", index(3), {"first": host_pointer}, ILLEGAL, "in no memory of the device"),
    "read null": ("read", index(2), {"first": lambda _: 0}, ILLEGAL, "a null pointer"),
    "write null": ("write", index(2), {"first": lambda _: 0}, ILLEGAL, "a null pointer"),
    "read misaligned": ("read_at", index(2), {}, MISALIGNED, "which is no multiple of 4"),
    "write variable": ("write_variable", number(12), {}, ILLEGAL, "past the end of 'numbers'"),
    "read variable": ("read_variable", number(10), {}, ILLEGAL, "kernel.cu:126: read of 4 bytes"),
    "before a variable": ("read_variable", number(-1), {}, ILLEGAL, "4 bytes before 'numbers' of"),
    "write shared": ("write_shared", number(1), {}, ILLEGAL, "kernel.cu:130: write of 4 bytes"),
    "far past shared": (
        "write_shared",
        number(-1),
        {},
        ILLEGAL,
        "past the end of 'write_shared::s' of",
    ),
    "write local": ("write_local", number(17), {}, ILLEGAL, "kernel.cu:137: write of 4 bytes"),
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
    "grid race": ("read_while_meeting", (), TOGETHER, FAILED, "kernel.cu:111 by thread (0,0,0)"),
    "its line": ("read_while_meeting", (), TOGETHER, FAILED, "at kernel.cu:112, with no barrier"),
    "grid": ("miss_the_meeting", (), TOGETHER, FAILED, "kernel.cu:118: a barrier that not all"),
    "two barriers": ("two_barriers", (), {}, FAILED, "came last to the one at kernel.cu:"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_line(checked, mistake):
    kernel, arguments, how, code, words = MISTAKES[mistake]
    got, text = checked.run(kernel, arguments, **how)
    assert (got, text.partition(":")[0]) == (code, f"kernel {kernel}"), text
    assert words in text


def test_what_kernels_allocated_ends_with_their_context(checked):
    text = checked.run("heap", number(10))[1]
    block = int(re.search(r"the 40 bytes at (0x\w+) that a kernel allocated", text)[1], 16)
    code, text = checked.run("write", index(0), first=lambda _: block)
    assert code == ILLEGAL
    assert "that a kernel allocated" not in text


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
    "meet": ((), TOGETHER),
    "read": (index(0), {"checks": "memory,race,sync", **ALONE}),
    "write_variable": (number(9), {}),
    "read_variable": (number(0), {}),
    "write_shared": (number(0), {}),
    "write_local": (number(15), {}),
    "written_by_math": (number(3), {}),
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
    with pytest.raises(
        compile_error, match="'speed' is not a list of memory, race, init, sync and "
    ):
        device.image(SOURCE, ME, "--treadle-check=speed")


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


# What a child process with TREADLE_CHECK=init runs; each in a context of its own.
UNWRITTEN = r"""
import json
import numpy as np
import treadle.compat, pycuda.driver as cuda
from pycuda.compiler import SourceModule
cuda.init()
SOURCE = '''
struct Padded { char c; int i; };
__global__ void read(int *out, const int *p, int i) { out[0] = p[i] + 1; }          // line 3
__global__ void write(int *p, int i) { p[i] = 1; }
__global__ void add(int *p, int i) { atomicAdd(p + i, 1); }                         // line 5
__global__ void byte(char *p, int i) { p[i] = 1; }
__global__ void fields(Padded *p) { p->c = 1; p->i = 2; }
__global__ void structure(Padded *to, const Padded *from) { to[3] = *from; }
__global__ void heap(int *p, int i) { int *q = (int *) malloc(40); q[1] = 7; p[0] = q[i]; free(q); }
__global__ void gather(int *out, const int *p, const int *at) {
    for (int i = 0; i < 4; ++i) out[i] = p[at[i]]; }                                // line 11
__global__ void count(int *p, const int *at) { p[at[0]] = 1; }
'''
SIZE = 400

class Run:
    def __init__(self):
        module = SourceModule(SOURCE)
        for name in "read write add byte fields structure heap gather count".split():
            launch = lambda *a, f=module.get_function(name): f(*a, block=(1, 1, 1))
            setattr(self, name, launch)
        self.out, self.p = cuda.mem_alloc(SIZE), cuda.mem_alloc(SIZE)
    def at(self, i):
        self.read(self.out, self.p, np.int32(i))
    def resident(self):
        with open("/proc/self/statm") as pages:
            return int(pages.read().split()[1]) * 4096

def never_written(run): run.at(5)
def filled(run): cuda.memset_d8(run.p, 0, SIZE); run.at(99)
def filled_in_part(run): cuda.memset_d32(run.p, 0, 25); run.at(24)
def behind_the_filled_part(run): cuda.memset_d32(run.p, 0, 25); run.at(25)
def copied_to(run): cuda.memcpy_htod(run.p, np.zeros(100, np.int32)); run.at(99)
def written_by_a_kernel(run): run.write(run.p, np.int32(5)); run.at(5)
def beside_what_a_kernel_wrote(run): run.write(run.p, np.int32(5)); run.at(6)
def written_in_part(run): run.byte(run.p, np.int32(6)); run.at(1)
def counted_up(run): run.add(run.p, np.int32(2))
def counted_up_from_zero(run): cuda.memset_d8(run.p, 0, SIZE); run.add(run.p, np.int32(2))
def a_copy(run):
    q = cuda.mem_alloc(SIZE); cuda.memset_d32(q, 1, 50)
    cuda.memcpy_dtod(run.p, q, SIZE); run.at(49)
def a_copy_of_nothing(run):
    q = cuda.mem_alloc(SIZE); cuda.memset_d32(q, 1, 50)
    cuda.memcpy_dtod(run.p, q, SIZE); run.at(50)
def a_copy_of_nothing_over_something(run):
    cuda.memset_d8(run.p, 0, SIZE); q = cuda.mem_alloc(SIZE)
    cuda.memcpy_dtod(int(run.p) + 4, q, 8); run.at(2)
def padding(run): run.fields(run.p); run.structure(run.out, run.p)
def managed(run):
    array = cuda.managed_empty(10, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    run.read(run.out, np.uintp(array.ctypes.data), np.int32(3))
def heap(run): run.heap(run.p, np.int32(1))
def heap_beside(run): run.heap(run.p, np.int32(2))
def memory_used_again(run):
    cuda.memset_d8(run.p, 0, SIZE); run.p.free(); run.p = cuda.mem_alloc(SIZE); run.at(1)
def written_where_the_place_read_before(run):
    run.write(run.p, np.int32(5)); places = cuda.to_device(np.array([5, 5, 5, 6], np.int32))
    run.gather(run.out, run.p, places)
def what_is_known_of_freed_memory_is_freed(run):
    run.write(run.p, np.int32(0)); cuda.Context.synchronize(); before = run.resident()
    large = cuda.mem_alloc(1 << 28); run.count(large, run.p); cuda.Context.synchronize()
    assert run.resident() > before + (24 << 20)  # a bit for each byte
    large.free()
    assert run.resident() < before + (16 << 20), run.resident() - before

CASES = [case for case in globals().values() if getattr(case, "__code__", None)]
said = {}
for case in CASES:
    context = cuda.Device(0).make_context()
    try:
        case(Run())
        context.synchronize()
        said[case.__name__] = ""
    except cuda.Error as error:
        said[case.__name__] = str(error)
    context.pop()
    context.detach()
print(json.dumps(said))
"""
UNWRITTEN_READS = {
    "never_written": "kernel.cu:3: read of 4 bytes at 0x",
    "behind_the_filled_part": "kernel.cu:3: read of 4 bytes at 0x",
    "beside_what_a_kernel_wrote": "that nobody has written, inside the 400 bytes at 0x",
    "written_in_part": "kernel.cu:3: read of 4 bytes at 0x",
    "counted_up": "kernel.cu:5: atomic operation on 4 bytes at 0x",
    "a_copy_of_nothing": "that nobody has written, inside the 400 bytes at 0x",
    "a_copy_of_nothing_over_something": "kernel.cu:3: read of 4 bytes at 0x",
    "heap_beside": "that nobody has written, inside the 40 bytes at 0x",
    "memory_used_again": "kernel.cu:3: read of 4 bytes at 0x",
    "written_where_the_place_read_before": "kernel.cu:11: read of 4 bytes at 0x",
}


@pytest.fixture(scope="module")
def read_unwritten(run_python, tmp_path_factory):
    """What each of the cases above says, and the file they are in."""
    pytest.importorskip("treadle")
    program = tmp_path_factory.mktemp("unwritten") / "program.py"
    program.write_text(UNWRITTEN)
    done = run_python(str(program), TREADLE_CHECK="init", TREADLE_DEVICE="cpu")
    assert done.returncode == 0, done.stdout + done.stderr
    return program, json.loads(done.stdout.splitlines()[-1])


def test_reads_of_memory_that_nobody_has_written_are_named(read_unwritten):
    _, said = read_unwritten
    for case, words in UNWRITTEN_READS.items():
        assert words in said[case], (case, said[case])
        assert "that nobody has written" in said[case]
    assert {case for case, text in said.items() if text} == set(UNWRITTEN_READS)


def test_unwritten_memory_is_named_with_the_line_that_allocated_it(read_unwritten):
    program, said = read_unwritten
    lines = program.read_text().splitlines()
    made = next(i for i, line in enumerate(lines, 1) if "self.out, self.p = cuda" in line)
    assert f"allocated at {program}:{made}" in said["never_written"]


LOADS_A_MODULE = """
import sys
import numpy as np
import treadle.compat, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule, compile
TEXT = 'extern "C" __global__ void k(int *p, int i) { p[0] = p[i]; }'
if sys.argv[1] == "make":
    open(sys.argv[2], "wb").write(compile(TEXT, no_extern_c=True))
else:
    p = cuda.mem_alloc(400)
    cuda.module_from_file(sys.argv[2]).get_function("k")(p, np.int32(5), block=(1, 1, 1))
    checked = SourceModule(TEXT, no_extern_c=True).get_function("k")
    checked(p, np.int32(7), block=(1, 1, 1))
    cuda.Context.synchronize()
"""


def test_where_a_kernel_does_not_tell_its_writes_nothing_counts_as_unwritten(run_python, tmp_path):
    pytest.importorskip("treadle")
    program = tmp_path / "program.py"
    program.write_text(LOADS_A_MODULE)
    for what, checks in (("make", ""), ("load", "init")):
        arguments = (str(program), what, str(tmp_path / "module"))
        done = run_python(*arguments, TREADLE_CHECK=checks, TREADLE_DEVICE="cpu")
        assert done.returncode == 0, done.stdout + done.stderr


EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "python"
NAMES = [
    path.relative_to(EXAMPLES) for path in (*EXAMPLES.glob("*.py"), *EXAMPLES.glob("native/*"))
]
# What checked kernels would take minutes for.
SMALLER = {
    "N = 1024": "N = 64",
    "N, STEPS = 256 * 1024, 50": "N, STEPS = 1024, 3",
    "COUNT = 3 << 21": "COUNT = 3 << 12",
    "default=4000": "default=20",
    "1 << 22": "1 << 14",
    "N, EVALUATIONS = 1024, 10": "N, EVALUATIONS = 256, 3",
    '"--points", type=int, default=3000': '"--points", type=int, default=400',
    '"--size", type=int, default=128': '"--size", type=int, default=64',
    '"--size", type=int, default=24': '"--size", type=int, default=8',
}


@pytest.mark.parametrize("name", sorted(map(str, NAMES)))
def test_an_example_is_free_of_mistakes(run_python, tmp_path, name):
    pytest.importorskip("treadle")
    text = (EXAMPLES / name).read_text()
    for large, small in SMALLER.items():
        text = text.replace(large, small)
    program = tmp_path / Path(name).name
    program.write_text(text)
    done = run_python(
        *("-m", "treadle", "run", str(program)), TREADLE_CHECK=ALL, TREADLE_DEVICE="cpu"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kernel.cu" not in done.stdout + done.stderr


# Each result is read by a kernel.
HOST_RESULTS = """
import numpy as np, treadle.numpy as tnp
m = tnp.asarray(np.random.default_rng(1).random((33, 33), "f4"))
z = m + 1j * m
for result in (m @ m, tnp.matmul(z, z[:, ::2]), tnp.linalg.solve(m, m), tnp.linalg.svd(m)[0],
               tnp.fft.fft(z), tnp.fft.rfft(m), tnp.fft.irfft(z), tnp.fft.fft2(z[::2])):
    assert np.isfinite(tnp.sum(tnp.abs(result) + 1).get())
"""


def test_results_of_libraries_of_the_host_are_written(run_python, tmp_path):
    pytest.importorskip("treadle")
    program = tmp_path / "results.py"
    program.write_text(HOST_RESULTS)
    done = run_python(str(program), TREADLE_CHECK="init", TREADLE_DEVICE="cpu")
    assert done.returncode == 0, done.stdout + done.stderr
