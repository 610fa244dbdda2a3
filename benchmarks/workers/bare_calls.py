# SPDX-License-Identifier: MIT
"""Loops of the driver's own calls, beside the loops of the back end in whose process they run.

BENCH_BARE_CALLS names the library that makes them (bare_calls.cpp).
"""

import ctypes
import os

from kernel_cases import COMMANDS
from worker import Absent


class Arguments(ctypes.Structure):
    """Of a kernel with five: three memory objects, a float and an int."""

    _fields_ = (("memory", ctypes.c_void_p * 3), ("x", ctypes.c_float), ("n", ctypes.c_int))


class OpenCL(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_void_p)
        for name in ("clSetKernelArg", "clEnqueueNDRangeKernel", "clReleaseEvent")
    )


class Commands(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_void_p)
        for name in (
            "clEnqueueWriteBuffer", "clEnqueueReadBuffer", "clEnqueueCopyBuffer",
            "clEnqueueMarkerWithWaitList", "clWaitForEvents", "clGetEventInfo", "clReleaseEvent",
        )
    )  # fmt: skip


class Operands(ctypes.Structure):
    """The handles of a queue, two buffers and a finished event, and host memory."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("queue", "first", "second", "done", "host")),
        ("bytes", ctypes.c_size_t),
    )


def symbol(library, name):
    return ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p)


def bare_calls(name):
    """A function of the library, which returns the seconds of one call."""
    path = os.environ.get("BENCH_BARE_CALLS")
    if not path:
        raise Absent("BENCH_BARE_CALLS names no library")
    function = getattr(ctypes.CDLL(path), name)
    function.restype = ctypes.c_double

    def loop(*arguments):
        if function(*arguments) < 0:
            raise RuntimeError(f"{name}: the driver refused a bare call")

    return loop


def cuda_launches(function, memory, x, n):
    """A loop for LoopTiming. `function` is the driver's handle; `memory`, three addresses."""
    loop = bare_calls("launch_cuda")
    launch = symbol("libcuda.so.1", "cuLaunchKernel")
    given = Arguments((ctypes.c_void_p * 3)(*memory), x, n)
    handle = ctypes.c_void_p(function)
    return lambda count: loop(launch, handle, ctypes.byref(given), len(count))


def graph_launches(graph, stream):
    """A loop for LoopTiming; both are the driver's handles."""
    loop = bare_calls("launch_graph")
    launch = symbol("libcuda.so.1", "cuGraphLaunch")
    handles = ctypes.c_void_p(graph), ctypes.c_void_p(stream)
    return lambda count: loop(launch, *handles, len(count))


def opencl_calls(which):
    return which(*(symbol("libOpenCL.so.1", name).value for name, _ in which._fields_))


def opencl_commands(name, queue, buffers, done, host):
    """A loop for LoopTiming over one of COMMANDS, on handles and a NumPy array."""
    loop = bare_calls("command_opencl")
    calls = opencl_calls(Commands)
    operands = Operands(queue, *buffers, done, host.ctypes.data, host.nbytes)
    number = COMMANDS.index(name)
    return lambda count: loop(ctypes.byref(calls), ctypes.byref(operands), number, len(count))


def opencl_enqueues(queue, kernel, memory, x, n):
    """A loop for LoopTiming. All but `x` and `n` are OpenCL's handles."""
    loop = bare_calls("enqueue_opencl")
    calls = opencl_calls(OpenCL)
    given = Arguments((ctypes.c_void_p * 3)(*memory), x, n)
    handles = ctypes.c_void_p(queue), ctypes.c_void_p(kernel)
    return lambda count: loop(ctypes.byref(calls), *handles, ctypes.byref(given), len(count))
