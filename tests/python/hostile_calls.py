# SPDX-License-Identifier: MIT
"""Calls public functions of the three Python APIs with odd values, drawn from a seed, and writes
one line of JSON for each call that ends badly: hostile_calls_test.py reads them. A program of its
own, for a crash ends it: the line before it says which call that was.

    python tests/python/hostile_calls.py SEED COUNT [native|pycuda|pyopencl]
"""

import inspect
import json
import os
import random
import re
import struct
import sys
import warnings

import numpy as np

import treadle
import treadle.compat  # noqa: F401 - by which pycuda and pyopencl are found
import treadle.numpy as tnp

# What ends a process, waits for a person, takes addresses, which no check can tell from right
# ones, or is no function of arguments.
LEFT_OUT = re.compile(
    r"^_|^(memcpy|memset|from_device|register|release_default|choose_devices|make_gl|gl_init|init"
    r"|adopt|enqueue_native|create_some|from_int_ptr|from_raw|unload|stop_profiler|start_profiler"
    r"|test|show|live_objects|enable_debugging|detach|attach|pop|push|reset|make_default_context"
    r"|clear_context_caches|program_kind|prefetch|mem_|compile|NaturalOrder|wait_for|ipc|IPC|Linker|load|save"
    r"|of$|finish|computed|bind_to_queue|on_destruction|set_callback|add_callback|release|free|setup|interpret)"
)
# A class of errors that callers can tell apart, and those that Python itself gives such calls.
ALLOWED = (
    treadle.Error,
    TypeError,
    ValueError,
    IndexError,
    KeyError,
    OverflowError,
    BufferError,
    NotImplementedError,
    AssertionError,
    MemoryError,
    ZeroDivisionError,
    OSError,
    struct.error,  # PyCUDA's, for arguments that do not fit what was prepared
)
# Words of the machinery: an error that has them names nothing of the caller's.
MACHINERY = re.compile(
    r"bad_cast|std::|incompatible function|nanobind|basic_string|vector::|bad optional"
    r"|object is not subscriptable|PyCapsule|SystemError"
)


class Odd:
    """Answers every protocol with what it should not."""

    def __init__(self, answer):
        self.answer = answer

    def __index__(self):
        return self.answer

    def __iter__(self):
        return self.answer

    def __array__(self, *arguments, **keywords):
        return self.answer

    def __dlpack__(self, **keywords):
        return self.answer

    def __dlpack_device__(self):
        return self.answer

    def __repr__(self):
        return f"Odd({self.answer!r})"

    def __len__(self):
        return self.answer

    @property
    def __cuda_array_interface__(self):
        return self.answer

    @property
    def __array_interface__(self):
        return self.answer


ANSWERS = [
    None, 5, -1, "x", (), (1,), ("a", 3), (1, 0), {}, [], object, 2**70, float("nan"),
    {"data": 5}, {"data": (0, False)}, {"data": ("a", False), "shape": (1,), "typestr": "<f4"},
    {"data": (0, False), "shape": ("x",), "typestr": "<f4", "version": 3},
    {"data": (0, False), "shape": (1,), "typestr": 5, "version": "3"},
    {"data": (0, False), "shape": (1,), "typestr": "<f4", "strides": "abc", "version": 3},
    {"data": (0, False), "shape": (2**62, 2**62), "typestr": "<f8", "version": 3},
]  # fmt: skip

VALUES = [
    None, True, False, np.bool_(True), 0, 1, -1, 5, 2**31, -(2**31), 2**62, 2**64, 2**70, 10**30,
    1.5, -0.0, float("nan"), float("inf"), 1j, "", "x", "float32", "C", "a\ud800", b"", b"xy",
    bytearray(3), (), (1,), (-1,), (2, 3), (2**40, 2**40), [None], ["x"], [1, 2, 3], [[1], [2, 3]],
    {}, {"x": 1}, set(), object(), int, float, np.float32, np.dtype("f4"), "O", "U3", "M8[s]",
    np.dtype([("a", "f4")]), np.float32(1), np.int8(-1), np.uint64(2**63),
    np.datetime64("NaT", "s"), np.zeros(3), np.zeros((2, 0)), np.zeros((4, 4))[::2, ::-2],
    np.array(None), np.array(["x"]),
    np.zeros(2, [("a", "f4")]), np.array(5), np.arange(3), slice(None), slice(1, 2, 0), Ellipsis,
    len, range(3), iter([1]), memoryview(b"abcd"), Exception("x"),
]  # fmt: skip


def functions_of(*modules):
    """Public functions of modules, and methods of classes in them, under their names."""
    for module in modules:
        for name in sorted(getattr(module, "__all__", None) or dir(module)):
            thing = getattr(module, name, None)
            if LEFT_OUT.match(name) or not callable(thing) or inspect.ismodule(thing):
                continue
            if isinstance(thing, type) and issubclass(thing, BaseException):
                continue
            home = getattr(thing, "__module__", "") or ""
            if home == "treadle._face_array":
                continue  # a helper that the module imports
            if not home.startswith(("treadle", "pycuda", "pyopencl")):
                continue
            yield f"{module.__name__}.{name}", thing


def methods_of(**objects):
    for owner, thing in objects.items():
        for name in sorted(dir(type(thing))):
            if LEFT_OUT.match(name) and name not in SLOTS:
                continue
            if not callable(getattr(type(thing), name)):
                continue  # a property
            method = getattr(thing, name)
            if callable(method) and not isinstance(method, type):
                yield f"{owner}.{name}", method


SLOTS = {
    *(f"__{word}__" for word in "add sub mul truediv mod pow and or lshift matmul".split()),
    *(f"__r{word}__" for word in "add sub mul truediv".split()),
    *("__getitem__", "__setitem__", "__eq__", "__lt__", "__iadd__"),
}


def native():
    device = treadle.default_device()
    a, buffer = tnp.arange(6, dtype=np.float32), treadle.Buffer(device, 64)
    objects = {"array": a, "buffer": buffer, "device": device, "stream": device.make_stream()}
    return [
        *functions_of(tnp, tnp.linalg, tnp.fft),
        *(("treadle.Buffer", treadle.Buffer), ("treadle.Program", treadle.Program)),
        *methods_of(**objects),
    ], [*objects.values(), a.reshape(2, 3), a[::2], a > 2, tnp.zeros(3, np.complex64)]


def pycuda():
    import pycuda.autoinit
    import pycuda.cumath as cumath
    import pycuda.driver as drv
    import pycuda.gpuarray as gpuarray
    from pycuda.compiler import SourceModule

    a = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    kernel = SourceModule("__global__ void k(int n, float f) { }").get_function("k")
    objects = {"array": a, "kernel": kernel, "stream": drv.Stream(), "event": drv.Event()}
    return [*functions_of(gpuarray, cumath, drv), *methods_of(**objects), ("kernel", kernel)], [
        *objects.values(), a.reshape(2, 3), a[::2], a > 2, drv.mem_alloc(16),
        pycuda.autoinit.device, gpuarray.to_gpu(np.arange(3)),
    ]  # fmt: skip


def pyopencl():
    import pyopencl as cl
    import pyopencl.array as cla
    import pyopencl.clmath as clmath

    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    other = cl.CommandQueue(cl.create_some_context(interactive=False))
    host = np.arange(6, dtype=np.float32)
    a, b = cla.to_device(queue, host), cla.to_device(other, host)
    program = cl.Program(context, "__kernel void k(int n, __global float *x) { }").build()
    kernel = cl.Kernel(program, "k")
    objects = {"array": a, "kernel": kernel, "program": program}
    return [*functions_of(cla, clmath, cl), *methods_of(**objects), ("kernel", kernel)], [
        *objects.values(), queue, context, context.devices[0], a.data, a.reshape(2, 3), a[::2],
        a > 2, b, other, b.data,
    ]  # fmt: skip


class Drawn:
    def __init__(self, seed, good):
        self.random = random.Random(seed)
        self.good = good

    def value(self):
        kind = self.random.random()
        if kind < 0.35:
            return self.random.choice(self.good)
        if kind < 0.45:
            return Odd(self.random.choice(ANSWERS))
        return self.random.choice(VALUES)

    def arguments(self, function):
        count = self.random.choice([0, 1, 1, 2, 2, 2, 3, 4])
        keywords = {}
        if self.random.random() < 0.3:
            try:
                names = [p for p in inspect.signature(function).parameters if p[0] != "_"]
            except (TypeError, ValueError):
                names = ["dtype", "axis", "out", "stream", "queue"]
            for name in self.random.sample(names, min(len(names), 2)):
                keywords[name] = self.value()
        return [self.value() for _ in range(count)], keywords


def shown(value):
    try:
        return repr(value)[:60] if not hasattr(value, "ndim") else f"{type(value).__name__}"
    except Exception:
        return type(value).__name__


def fault_of(error, faces):
    """Why the error of a call is none that a caller can use; None where it is one."""
    as_pycuda = {
        RuntimeError: "cannot be instantiated",
        AttributeError: "call prepare()",
    }
    if as_pycuda.get(type(error), "?!") in str(error):
        return None
    if not isinstance(error, (*ALLOWED, *faces)):
        return "class"
    if MACHINERY.search(str(error)):
        return "text"
    return None if str(error) or isinstance(error, (AssertionError, MemoryError)) else "no text"


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    apis = sys.argv[3:] or ["native", "pycuda", "pyopencl"]
    warnings.simplefilter("ignore")
    for api in apis:
        functions, good = globals()[api]()
        faces = tuple(
            sys.modules[name].Error for name in ("pycuda.driver", "pyopencl") if name in sys.modules
        )
        drawn = Drawn(seed, good)
        for number in range(count):
            name, function = drawn.random.choice(functions)
            arguments, keywords = drawn.arguments(function)
            words = [*map(shown, arguments), *(f"{k}={shown(v)}" for k, v in keywords.items())]
            call = f"{name}({', '.join(words)})"
            print(json.dumps({"about": call}), flush=True)
            try:
                result = function(*arguments, **keywords)
                if inspect.isgenerator(result):
                    result.close()
            except Exception as error:
                if fault := fault_of(error, faces):
                    kind = f"{type(error).__module__}.{type(error).__qualname__}"
                    told = {"fault": fault, "error": kind, "text": str(error)[:300]}
                    print(json.dumps({"call": call, "number": number, **told}), flush=True)
    print(json.dumps({"done": True}), flush=True)


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    main()
    os._exit(0)
