# SPDX-License-Identifier: MIT
"""P17 in Python: one row for each bad input. Each is a typed error that names what was wrong, and
the process goes on.

The rows of the native API are those of C++ (tests/cuda/refusal_test.cpp, tests/compile); rows that
need another environment run in a process of their own.
"""

import re

import numpy as np
import pycuda.driver
import pytest

import treadle
from treadle import compile as compiling
from treadle import cuda

SOURCE = """
namespace shapes {
template <class T> __global__ void scale(T *values, T factor) { values[threadIdx.x] *= factor; }
template __global__ void scale<float>(float *, float);
}
extern "C" __global__ void add(int *values, int summand) {
    __shared__ int once[4];
    once[0] = summand;
    values[threadIdx.x] += once[0];
}
"""


class Things:
    """What is right about a call that is wrong in one place."""

    def __init__(self, folder):
        self.context = cuda.Context.current()
        self.target = self.context.device.target
        self.module = cuda.Module(treadle.compile_cuda(SOURCE, self.target).image)
        self.add = self.module.function("add")
        self.memory = cuda.DeviceMemory(64)
        self.freed = cuda.DeviceMemory(64)
        self.freed.free()
        self.folder, self.file = folder, folder / "a file"
        self.file.write_text("text")

    def launch(self, *arguments, **shape):
        self.add(*arguments, **{"grid": (1,), "block": (1,), **shape})

    def detached(self):
        context = cuda.Context.create(self.context.device)
        context.detach()
        return context

    def memory_of_a_dead_context(self):
        context = cuda.Context.create(self.context.device)
        context.push()
        memory = cuda.DeviceMemory(16)
        cuda.Context.pop()
        context.detach()
        return memory


@pytest.fixture
def things(tmp_path):
    with cuda.Context.make_current(cuda.default_device()):
        yield Things(tmp_path)


# As clang says it, or as NVRTC does.
ABSENT_HEADER = """('absent.h' file not found|cannot open source file "absent.h")"""

# What is called -> the error's class, what its text says, the call.
ROWS = {
    # compiling
    "a syntax error": (
        treadle.CompileError,
        r"kernel\.cu(:2:\d+|\(2\)): error",  # clang's way, or NVRTC's
        lambda t: treadle.compile_cuda("__global__ void k(int *a)\n{ a[0] = ; }", t.target),
    ),
    "an unknown word": (
        treadle.CompileError,
        "undeclared",
        lambda t: treadle.compile_cuda("__global__ void k() { undeclared = 1; }", t.target),
    ),
    "an unknown target": (
        treadle.InvalidArgument,
        'target "sm_banana".*try: sm_90',
        lambda t: treadle.compile_cuda(SOURCE, "sm_banana"),
    ),
    "an unknown option": (
        treadle.InvalidArgument,
        'option "--frobnicate".*try: docs/options.md',
        lambda t: treadle.compile_cuda(SOURCE, t.target, flags=["--frobnicate"]),
    ),
    "a header that is not there": (
        treadle.CompileError,
        ABSENT_HEADER + ".*try: folders of headers",
        lambda t: treadle.compile_cuda('#include "absent.h"\n' + SOURCE, t.target),
    ),
    "a file where a folder of headers is expected": (
        treadle.CompileError,
        ABSENT_HEADER,
        lambda t: treadle.compile_cuda(
            '#include "absent.h"\n' + SOURCE, t.target, include_dirs=[str(t.file)]
        ),
    ),
    "source that is no text": (TypeError, "str", lambda t: treadle.compile_cuda(7, t.target)),
    # modules and kernels
    "a kernel whose name is nearly right": (
        treadle.DeviceError,
        'no kernel "ad"; near it: "add"',
        lambda t: t.module.function("ad"),
    ),
    "a template whose name is nearly right": (
        treadle.DeviceError,
        r'no kernel "shapes::scal<float>"; near it: "shapes::scale<float>"',
        lambda t: t.module.function("shapes::scal<float>"),
    ),
    "a variable that is not there": (
        treadle.DeviceError,
        'no variable "table"',
        lambda t: t.module.variable("table"),
    ),
    "code that is none": (
        treadle.DeviceError,
        "image is invalid|INVALID_IMAGE|invalid",
        lambda t: cuda.Module(b"nonsense" * 8),
    ),
    "no code": (treadle.InvalidArgument, "is empty", lambda t: cuda.Module(b"")),
    "a module that is not there": (
        treadle.DeviceError,
        "/nowhere/kernels.cubin",
        lambda t: cuda.Module.load_file("/nowhere/kernels.cubin"),
    ),
    "a folder where a module is expected": (
        treadle.DeviceError,
        "cuModuleLoad",
        lambda t: cuda.Module.load_file(str(t.folder)),
    ),
    # launches
    "too few arguments": (
        treadle.InvalidArgument,
        r'"add": 1 argument for 2 parameters; the first missing one is parameter 1',
        lambda t: t.launch(t.memory),
    ),
    "too many arguments": (
        treadle.InvalidArgument,
        "3 arguments for 2 parameters",
        lambda t: t.launch(t.memory, np.int32(1), np.int32(1)),
    ),
    "an argument of another size": (
        treadle.InvalidArgument,
        "argument 1 has 8 bytes, parameter 1.* takes 4 bytes",
        lambda t: t.launch(t.memory, np.int64(1)),
    ),
    "a number for an address": (
        treadle.InvalidArgument,
        "argument 0 has 4 bytes, parameter 0.* takes 8 bytes",
        lambda t: t.launch(np.float32(1), np.int32(1)),
    ),
    "an argument of no known type": (
        TypeError,
        "parameter #1.*str",
        lambda t: t.launch(t.memory, "text"),
    ),
    "an unknown keyword": (
        TypeError,
        "unknown keyword arguments: shape",
        lambda t: t.launch(t.memory, np.int32(1), shape=(1,)),
    ),
    "a block that is too large": (
        treadle.LaunchError,
        "block.x is 4096, the device allows 1024",
        lambda t: t.launch(t.memory, np.int32(1), block=(4096,)),
    ),
    "a block that is too large in two directions": (
        treadle.LaunchError,
        r"33x33x1 = 1089 threads, the device allows 1024",
        lambda t: t.launch(t.memory, np.int32(1), block=(33, 33)),
    ),
    "a grid of nothing": (
        treadle.LaunchError,
        "grid.x is 0",
        lambda t: t.launch(t.memory, np.int32(1), grid=(0,)),
    ),
    "a block of less than nothing": (
        OverflowError,
        "block.*negative",
        lambda t: t.launch(t.memory, np.int32(1), block=(-1,)),
    ),
    "a block of four directions": (
        (TypeError, ValueError),
        "block",
        lambda t: t.launch(t.memory, np.int32(1), block=(1, 1, 1, 1)),
    ),
    "more shared memory than there is": (
        treadle.LaunchError,
        "1073741824 bytes of dynamic shared memory.*allows",
        lambda t: t.launch(t.memory, np.int32(1), shared_bytes=1 << 30),
    ),
    "freed memory as an argument": (
        treadle.InvalidState,
        "was freed",
        lambda t: t.launch(t.freed, np.int32(1)),
    ),
    # memory
    "memory that is freed twice": (treadle.InvalidState, "was freed", lambda t: t.freed.free()),
    "a copy to freed memory": (
        treadle.InvalidState,
        "was freed",
        lambda t: t.freed.copy_from(np.zeros(4)),
    ),
    "a copy from freed memory": (
        treadle.InvalidState,
        "was freed",
        lambda t: t.freed.copy_to(np.zeros(4)),
    ),
    "a fill of freed memory": (treadle.InvalidState, "was freed", lambda t: t.freed.fill8(1)),
    "the address of freed memory": (treadle.InvalidState, "was freed", lambda t: int(t.freed)),
    "less than no memory": (
        treadle.InvalidArgument,
        "size_bytes is -1, and 0 or more was expected",
        lambda t: cuda.DeviceMemory(-1),
    ),
    "less than no page-locked memory": (
        treadle.InvalidArgument,
        "size_bytes is -2",
        lambda t: cuda.HostMemory(-2),
    ),
    "less than no managed memory": (
        treadle.InvalidArgument,
        "size_bytes is -3",
        lambda t: cuda.ManagedMemory(-3),
    ),
    "rows of negative width": (
        treadle.InvalidArgument,
        "width_bytes is -4",
        lambda t: cuda.DeviceMemory.pitched(-4, 2, 4),
    ),
    "no memory": (
        treadle.DeviceError,
        "allocating 0 bytes",
        lambda t: cuda.DeviceMemory(0),
    ),
    "more memory than there is": (
        treadle.OutOfMemory,
        "allocating 1152921504606846976 bytes",
        lambda t: cuda.DeviceMemory(1 << 60),
    ),
    "an array that does not fit": (
        treadle.ShapeError,
        "the host range has 800 bytes, the device memory only 64",
        lambda t: t.memory.copy_from(np.zeros(100)),
    ),
    "a list where a buffer is expected": (
        TypeError,
        "bytes-like",
        lambda t: t.memory.copy_from([1, 2]),
    ),
    "a copy into what cannot be written": (
        (BufferError, ValueError, TypeError),
        "",
        lambda t: t.memory.copy_to(b"constant"),
    ),
    # devices and contexts
    "a device that is not there": (
        treadle.DeviceError,
        "there is no device 99; they are 0 to",
        lambda t: cuda.default_driver().device(99),
    ),
    "a device of negative number": (
        treadle.DeviceError,
        "there is no device -1",
        lambda t: cuda.default_driver().device(-1),
    ),
    "a bus that is not there": (
        treadle.DeviceError,
        'no device at "ffff:ff:ff.0"',
        lambda t: cuda.Device.by_pci_bus_id("ffff:ff:ff.0"),
    ),
    "a detached context": (
        treadle.InvalidState,
        "was detached",
        lambda t: t.detached().synchronize(),
    ),
    "a context that is detached twice": (
        treadle.InvalidState,
        "detach",
        lambda t: t.detached().detach(),
    ),
    "memory of a dead context": (
        treadle.InvalidState,
        "was detached",
        lambda t: t.memory_of_a_dead_context().copy_from(np.zeros(2)),
    ),
    # the cache
    "a file where the cache is listed": (
        treadle.FileError,
        "a file",
        lambda t: compiling.list_cache(str(t.file)),
    ),
    "a file where the cache is cleared": (
        treadle.InvalidArgument,
        "is a file, not a folder",
        lambda t: compiling.clear_cache(str(t.file)),
    ),
    "a file where the cache is verified": (
        treadle.InvalidArgument,
        "is a file, not a folder",
        lambda t: compiling.verify_cache(str(t.file)),
    ),
    "a file where the cache is pruned": (
        treadle.InvalidArgument,
        "is a file, not a folder",
        lambda t: compiling.prune_cache(1, str(t.file)),
    ),
    "an entry that is not there": (
        treadle.InvalidArgument,
        "holds no program nonsense.*try: treadle cache ls",
        lambda t: compiling.explain_miss("nonsense"),
    ),
}


@pytest.mark.parametrize("what", ROWS)
def test_it_is_refused_by_name(things, what):
    kind, text, call = ROWS[what]
    with pytest.raises(kind) as caught:
        call(things)
    assert re.search(text, str(caught.value), re.DOTALL), str(caught.value)
    # Nothing was lost: the same kernel still runs on the same memory.
    host = np.zeros(16, np.int32)
    things.memory.copy_from(host)
    things.launch(things.memory, np.int32(3), block=(16,))
    things.memory.copy_to(host)
    assert (host == 3).all()


def test_no_context_is_current():
    assert cuda.Context.stack_depth() == 0
    with pytest.raises(treadle.DeviceError, match="(?s)no currently active context.*try: make one"):
        cuda.DeviceMemory(16)
    with pytest.raises(treadle.DeviceError, match="cannot pop non-current context"):
        cuda.Context.pop()


def test_memory_is_no_longer_usable_after_its_context_was_popped(context):
    memory = pycuda.driver.mem_alloc(64)
    current = pycuda.driver.Context.get_current()
    current.pop()
    try:
        with pytest.raises(pycuda.driver.LogicError, match="context"):
            pycuda.driver.memcpy_htod(memory, np.zeros(4, np.float32))
    finally:
        current.push()
    pycuda.driver.memcpy_htod(memory, np.zeros(4, np.float32))


def test_a_cache_that_is_a_file_is_a_warning_and_work_goes_on(things):
    with pytest.warns(treadle.TreadleWarning, match="is a file, not a folder"):
        program = treadle.compile_cuda(SOURCE + "// one\n", things.target, cache_dir=things.file)
    assert program.origin == "compiled"
    assert things.file.read_text() == "text"
    cuda.Module(program.image).function("add")


def test_what_is_never_cached_says_why_and_is_counted(things):
    (things.folder / "sizes.h").write_text("#define SIZE 4\n")
    source = '#define HEADER "sizes.h"\n#include HEADER\n__global__ void k(int *a) { *a = SIZE; }'
    before = compiling.statistics().not_cached
    for _ in range(2):
        program = treadle.compile_cuda(source, things.target, include_dirs=[str(things.folder)])
        assert program.origin == "compiled"
        assert program.not_cached == "the source has #include of a macro"
    assert compiling.statistics().not_cached == before + 2
    assert treadle.compile_cuda(SOURCE, things.target).not_cached == ""


# Environment, program, and what it prints.
ENVIRONMENTS = {
    "no driver": (
        {"TREADLE_DEVICE": "cuda:0", "TREADLE_LIBCUDA": "/nowhere/libcuda.so"},
        "cuda.default_device()",
        r"LibraryNotFound .*/nowhere/libcuda\.so",
    ),
    "no CPU device": (
        {"TREADLE_DEVICE": "cpu", "TREADLE_LIBRARY_DIR": "/nowhere"},
        "cuda.default_device()",
        r"LibraryNotFound .*libtreadle_cpu\.so",
    ),
    "no compiler library": (
        {"TREADLE_LIBNVRTC": "/nowhere/libnvrtc.so"},
        "treadle.compile_cuda('__global__ void k() {}', 'sm_90')",
        r"LibraryNotFound .*/nowhere/libnvrtc\.so",
    ),
    "no nvcc": (
        {"TREADLE_COMPILER": "nvcc", "TREADLE_NVCC": "/nowhere/nvcc"},
        "treadle.compile_cuda('__global__ void k() {}', 'sm_90')",
        r"LibraryNotFound .*nvcc",
    ),
    "a device that is none": (
        {"TREADLE_DEVICE": "toaster"},
        "cuda.default_device()",
        'InvalidArgument .*TREADLE_DEVICE="toaster" names no CUDA device.*TREADLE_DEVICE=cpu',
    ),
    "a device number that is none": (
        {"TREADLE_DEVICE": "cuda:first"},
        "cuda.default_device()",
        'InvalidArgument .*TREADLE_DEVICE="cuda:first"',
    ),
    "a compiler that is none": (
        {"TREADLE_COMPILER": "punch cards"},
        "treadle.compile_cuda('__global__ void k() {}', 'sm_90')",
        'InvalidArgument .*TREADLE_COMPILER="punch cards" names no compiler',
    ),
    "a size that is no number": (
        {"TREADLE_CACHE_MAX_BYTES": "plenty"},
        "treadle.settings()",
        "InvalidArgument .*TREADLE_CACHE_MAX_BYTES",
    ),
    "a negative size": (
        {"TREADLE_CACHE_MAX_BYTES": "-1"},
        "treadle.settings()",
        "InvalidArgument .*TREADLE_CACHE_MAX_BYTES",
    ),
    "a number of threads that is none": (
        {"TREADLE_CPU_THREADS": "many"},
        "treadle.settings()",
        "InvalidArgument .*TREADLE_CPU_THREADS",
    ),
}


@pytest.mark.parametrize("what", ENVIRONMENTS)
def test_an_environment_is_refused_by_name(run_python, what):
    environment, call, text = ENVIRONMENTS[what]
    script = (
        "import treadle\nfrom treadle import cuda\n"
        f"try:\n    {call}\n"
        "except treadle.Error as error:\n"
        "    print(type(error).__name__, error)\n    print('goes on')\n"
    )
    done = run_python("-c", script, **environment)
    assert done.returncode == 0, done.stderr
    assert re.search(text, done.stdout, re.DOTALL), done.stdout
    assert done.stdout.endswith("goes on\n")


def test_a_dump_folder_that_is_a_file_does_not_stop_a_compile(run_python, tmp_path):
    file = tmp_path / "file"
    file.write_text("text")
    done = run_python(
        "-c",
        "import treadle\n"
        "print(len(treadle.compile_cuda('__global__ void k() {}', 'cpu').image.code) > 0)\n",
        TREADLE_DUMP=str(file),
        TREADLE_CACHE="0",
    )
    assert done.stdout == "True\n", done.stdout + done.stderr
    assert file.read_text() == "text"
