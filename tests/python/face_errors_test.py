# SPDX-License-Identifier: MIT
"""What arrays raise is caught as the classes of the face that a program is written for, and as
Treadle's own: whatever fails, and by whichever call it is told."""

import copy
import json
import pickle

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pyopencl as cl
import pytest
from pycuda.compiler import SourceModule, compile
from pycuda.elementwise import ElementwiseKernel

import treadle
from treadle import numpy as tnp

HUGE = 10**13

OUT_OF_MEMORY = {
    "empty": lambda a: gpuarray.empty(HUGE, np.float32),
    "zeros": lambda a: gpuarray.zeros(HUGE, np.float32).gpudata,
    "ones": lambda a: gpuarray.ones(HUGE, np.float32).gpudata,
    "arange": lambda a: gpuarray.arange(HUGE, dtype=np.float32).gpudata,
    "GPUArray": lambda a: gpuarray.GPUArray((HUGE,), np.float32),
    "allocator": lambda a: gpuarray.empty(HUGE, np.float32, allocator=lambda n: drv.mem_alloc(n)),
    "mem_alloc": lambda a: drv.mem_alloc(4 * HUGE),
    "tnp": lambda a: tnp.empty(HUGE, np.float32),
}


@pytest.mark.parametrize("name", OUT_OF_MEMORY)
def test_exhausted_memory_is_a_memory_error_of_the_driver(context, name):
    a = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    with pytest.raises(drv.MemoryError) as caught:
        OUT_OF_MEMORY[name](a)
    error = caught.value
    assert isinstance(error, treadle.OutOfMemory) and isinstance(error, MemoryError)
    assert error.code_name == "CUDA_ERROR_OUT_OF_MEMORY" and "Alloc" in str(error)


WRONG_ARGUMENTS = {
    "extent": (lambda a: gpuarray.empty(-1, np.float32), ValueError),
    "shape": (lambda a: a.reshape(3), ValueError),
    "index": (lambda a: a[9], IndexError),
    "permutation": (lambda a: treadle.numpy.transpose(a, (0, 1)), ValueError),
    "dtype": (lambda a: treadle.numpy.bitwise_and(a, a), TypeError),
}


@pytest.mark.parametrize("name", WRONG_ARGUMENTS)
def test_what_arrays_refuse_is_of_treadles_class_and_a_builtin(context, name):
    a = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    attempt, builtin = WRONG_ARGUMENTS[name]
    with pytest.raises(builtin):
        attempt(a)


def test_a_failed_build_of_arrays_is_a_compile_error_of_the_driver(context):
    a = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    kernel = ElementwiseKernel("float *x", "x[i] = nothing_of_the_kind", "broken")
    with pytest.raises(drv.CompileError, match="nothing_of_the_kind") as caught:
        kernel(a)
    assert isinstance(caught.value, treadle.CompileError)
    assert "nothing_of_the_kind" in caught.value.stderr
    with pytest.raises(drv.CompileError) as caught:
        treadle.Program(treadle.default_device(), '__kernel int x; extern "C" nothing;')
    assert isinstance(caught.value, treadle.CompileError) and caught.value.stderr


def test_errors_of_both_kinds_survive_copies_and_processes(context):
    for attempt in (OUT_OF_MEMORY["empty"], OUT_OF_MEMORY["mem_alloc"]):
        with pytest.raises(drv.MemoryError) as caught:
            attempt(None)
        for again in (copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):
            assert type(again) is type(caught.value)
            assert str(again) == str(caught.value)
            assert again.__dict__ == caught.value.__dict__


def test_an_error_of_the_driver_is_treadles_too(context):
    with pytest.raises(drv.LogicError) as caught:
        drv.Context.get_device().get_attribute(10**6)
    assert isinstance(caught.value, treadle.Error)
    memory = drv.mem_alloc(16)
    memory.free()
    with pytest.raises(drv.LogicError) as caught:
        drv.memcpy_dtoh(np.zeros(4, np.float32), memory)
    assert isinstance(caught.value, treadle.Error)


def test_without_a_face_errors_are_treadles_alone(run_python):
    result = run_python(
        "-c",
        "import treadle, treadle.numpy as tnp\n"
        "try:\n"
        "    tnp.empty(10**13)\n"
        "except treadle.OutOfMemory as error:\n"
        "    print([kind.__module__ for kind in type(error).__mro__])\n",
    )
    assert "treadle" in result.stdout and "pycuda" not in result.stdout, result.stderr


# --- states in which nearly everything fails ------------------------------------------------------

PREPARED = """
import json, os, signal, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import treadle.compat
import treadle
"""

PROGRAM = (
    PREPARED
    + """
import pycuda.autoinit, pycuda.cumath as cumath, pycuda.driver as drv, pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
host = np.arange(4, dtype=np.float32)
a, b = gpuarray.to_gpu(host), gpuarray.to_gpu(host)
places = gpuarray.to_gpu(np.arange(4, dtype=np.int32))
double = ElementwiseKernel("float *x", "x[i] *= 2", "double_it")
double(b)
module = SourceModule("__global__ void bad(int *p, long long i) { p[i] = 1; }")
bad = module.get_function("bad")
memory = drv.mem_alloc(16)
Face = drv.Error
"""
)

CL_PROGRAM = (
    PREPARED
    + """
import pyopencl as cl, pyopencl.array as cla, pyopencl.clmath as clmath
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
host = np.arange(4, dtype=np.float32)
a, b = cla.to_device(queue, host), cla.to_device(queue, host)
places = cla.to_device(queue, np.arange(4, dtype=np.int32))
(b + 1).get()
Face = cl.Error
"""
)

REPORT = """
def attempts(entries):
    for entry in entries:
        try:
            exec(entry)
        except Face as error:
            told = isinstance(error, treadle.Error), type(error).__name__, str(error)[:200]
        except BaseException as error:
            told = False, type(error).__name__, str(error)[:200]
        else:
            told = None
        print(json.dumps([entry, told]), flush=True)
"""

ENTRIES = [
    "a + 1",
    "(a + 1).get()",
    "a.get()",
    "(-a).get()",
    "a.fill(1)",
    "a[1:].get()",
    "a.copy().get()",
    "a.astype(np.float64).get()",
    "a.set(host)",
    "str(a)",
    "a[0:2] = 1",
    "gpuarray.sum(a).get()",
    "gpuarray.dot(a, a).get()",
    "gpuarray.take(a, places).get()",
    "gpuarray.zeros(4, np.float32).get()",
    "gpuarray.to_gpu(host).get()",
    "cumath.sin(a).get()",
    "double(a); a.get()",
    "a.get_async()",
    "a.any().get()",
]
CL_ENTRIES = [
    *(entry for entry in ENTRIES[:10] if "fill" not in entry),
    "a[0:2] = 1",
    "a.fill(1).get()",
    "cla.sum(a).get()",
    "cla.dot(a, a).get()",
    "cla.take(a, places).get()",
    "clmath.sin(a).get()",
    "a.max().get()",
    "(a < b).any().get()",
]

STATES = {
    "freed": "a.gpudata.free()",
    "fault": "bad(memory, np.int64(1 << 40), block=(1, 1, 1), grid=(1, 1))",
    "detached": "pycuda.autoinit.context.pop(); pycuda.autoinit.context.detach()",
    "forked": "child = os.fork()\nif child:\n    os.waitpid(child, 0)\n    os._exit(0)",
}
CL_STATES = {
    "forked": STATES["forked"],
}


def outcomes(run_python, program, state, entries):
    text = f"{program}\n{REPORT}\n{state}\nattempts({entries!r})\nos._exit(0)\n"
    result = run_python("-c", text)
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("[")]
    assert len(lines) == len(entries), result.stdout[-2000:] + result.stderr[-2000:]
    return lines


def check(lines):
    failed = [(entry, told) for entry, told in lines if told is not None]
    assert failed, "nothing failed"
    assert [line for line in failed if line[1][0] is not True] == []


@pytest.mark.usefixtures("on_cpu")  # on a GPU the address may be somebody's
@pytest.mark.parametrize("state", STATES)
def test_whatever_fails_in_a_broken_state_is_an_error_of_the_driver(run_python, state):
    check(outcomes(run_python, PROGRAM, STATES[state], ENTRIES))


@pytest.mark.parametrize("state", CL_STATES)
def test_whatever_fails_in_a_broken_state_is_an_error_of_pyopencl(run_python, state):
    if not any(device.id.startswith("opencl") for device in treadle.devices()):
        pytest.skip("needs an OpenCL platform")
    check(outcomes(run_python, CL_PROGRAM, CL_STATES[state], CL_ENTRIES))


HALF = "\ud800"
KERNEL = "__global__ void nothing() {}"
TEXTS_THAT_NO_COMPILER_TAKES = {
    r"SourceModule\(\): source": lambda: SourceModule("a" + HALF),
    r"SourceModule\(\): an option": lambda: SourceModule(KERNEL, options=["-D" + HALF]),
    r"SourceModule\(\): an include_dir": lambda: SourceModule(KERNEL, include_dirs=[HALF]),
    r"SourceModule\(\): cache_dir": lambda: SourceModule(KERNEL, cache_dir=HALF),
    r"^compile\(\): source": lambda: compile(HALF),
    r"Program\(\): source": lambda: cl.Program(cl.create_some_context(False), HALF).build(),
    r"Program.build\(\): options\[1\]": lambda: cl.Program(
        cl.create_some_context(False), "__kernel void nothing() {}"
    ).build(["-D", HALF]),
}


@pytest.mark.parametrize("words", TEXTS_THAT_NO_COMPILER_TAKES)
def test_half_a_character_is_blamed_on_the_argument_of_the_public_call(context, words):
    if "Program" in words and not any(d.id.startswith("opencl") for d in treadle.devices()):
        pytest.skip("no OpenCL device")
    with pytest.raises(TypeError, match=f"{words} is .*lone surrogate"):
        TEXTS_THAT_NO_COMPILER_TAKES[words]()
