# SPDX-License-Identifier: MIT
"""Calls every callable of the package, private ones too, with objects that are wrong: instances
that `__new__` made and `__init__` did not, instances of other classes for self, and good ones where
they do not belong. Errors are right; half_made_objects_test.py looks for processes that die.

    python tests/python/half_made_objects.py PART PARTS FIRST   a part of the calls; says each first

    TREADLE_RANDOM_CALLS=SEED:COUNT draws COUNT calls at random for each callable, too.
"""

import faulthandler
import importlib
import inspect
import itertools
import os
import random
import re
import sys
import tempfile
import warnings

os.environ.setdefault("TREADLE_CACHE_DIR", tempfile.mkdtemp())  # one of the calls clears it

import numpy as np

import treadle
import treadle.compat  # noqa: F401 - by which pycuda and pyopencl are found

PREFIXES = ("treadle", "pycuda", "pyopencl")
# What ends a process on purpose, waits for a person or a device that never ends, takes addresses,
# or changes what the other calls need.
LEFT_OUT = re.compile(
    r"(^|\.)(_exit|main|run_path|interpret|_interpret|set_trace|register_check|gdb|load_ipython_extension"
    r"|adopt\w*|from_int_ptr|from_raw|from_handle|_from_handle|as_buffer|unload|memcpy\w*|memset\w*"
    r"|_read_address|_write_address|enable_debugging|choose_devices|create_some_context|make_gl\w*"
    r"|from_address|at_address|wait_forever|spin|_dealloc|__del__|__delete__|__init_subclass__"
    r"|__subclasshook__|__reduce\w*__|__class__|__new__|__getstate__|__dir__|__sizeof__|mro"
    r"|__abstractmethods__|__setstate__)$"
)


def modules():
    names = [name for name in sorted(sys.modules) if name.split(".")[0] == "treadle"]
    return [sys.modules[name] for name in names if sys.modules[name] is not None]


def everything():
    """All callables by name, once each, and the classes."""
    for name in (
        *("pycuda.autoinit", "pycuda.curandom", "pycuda.gpuarray", "pycuda.reduction"),
        *("pycuda.scan", "pyopencl.array", "pyopencl.clrandom", "pyopencl.tools"),
        *("treadle.numpy", "treadle.random"),
    ):
        importlib.import_module(name)
    functions, classes = {}, {}
    for module in modules():
        for name in sorted(vars(module)):
            thing = vars(module)[name]
            home = getattr(thing, "__module__", None) or ""
            if not isinstance(home, str) or home.split(".")[0] not in PREFIXES:
                continue
            if isinstance(thing, type):
                if not issubclass(thing, BaseException):
                    classes.setdefault(id(thing), (f"{module.__name__}.{name}", thing))
            elif callable(thing) and not LEFT_OUT.search(name):
                functions.setdefault(id(thing), (f"{module.__name__}.{name}", thing))
    return dict(functions.values()), dict(classes.values())


def half_made(classes):
    for name, cls in classes.items():
        try:
            yield name, cls.__new__(cls)
        except Exception:
            continue


def good_objects():
    import pycuda.driver as drv
    import pycuda.gpuarray as gpuarray
    import pyopencl as cl
    import pyopencl.array as cla

    import treadle.numpy as tnp

    device = treadle.default_device()
    made = [
        device, device.make_stream(), device.default_stream(), device.default_stream().record(),
        treadle.Buffer(device, 64), tnp.arange(6, dtype=np.float32), tnp.arange(6),
        drv.Context.get_current(), drv.Stream(), drv.Event(), drv.mem_alloc(64), drv.Device(0),
        gpuarray.to_gpu(np.arange(6, dtype=np.float32)), None, 5, "x", b"xy", (1, 2), [1], {},
        np.arange(3), np.float32(1), int, len,
    ]  # fmt: skip
    if any(d.id.startswith("opencl") for d in treadle.devices()):
        context = cl.create_some_context(interactive=False)
        queue = cl.CommandQueue(context)
        program = cl.Program(context, "__kernel void k(int n, __global float *x) { }").build()
        array = cla.to_device(queue, np.arange(6, dtype=np.float32))
        made += [context, queue, program, program.k, array, array.data, context.devices[0]]
        event = cl.UserEvent(context)
        event.set_status(cl.command_execution_status.COMPLETE)  # waiting for it ends
        made += [context.devices[0].platform, event]
    return made


def calls(functions, classes):
    """Name, and a function without arguments that does it."""
    good = good_objects()
    half = dict(half_made(classes))
    drawn = random.Random(int(os.environ.get("TREADLE_RANDOM_CALLS", "0:0").split(":")[0]))
    more = int(os.environ.get("TREADLE_RANDOM_CALLS", "0:0").split(":")[1])
    wrong = list(half.values())
    for name, function in functions.items():
        for count in range(more):
            arguments = [drawn.choice(good + wrong) for _ in range(drawn.randint(0, 5))]
            yield f"{name}#{count}", lambda f=function, a=arguments: f(*a)
        own = [x for x in wrong if type(x).__module__.split(".")[0] in PREFIXES]
        for value in (None, own[len(name) % len(own)]):
            for number in range(1, 4):
                yield (
                    f"{name}({type(value).__name__} x {number})",
                    lambda f=function, a=(value,) * number: f(*a),
                )
    for name, cls in classes.items():
        me = half.get(name)
        selves = [] if me is None else [me]
        selves += [drawn.choice(good), drawn.choice(wrong)]
        members = {}
        for base in cls.__mro__:
            if base is not object:
                for key, member in vars(base).items():
                    members.setdefault(key, member)
        for key in sorted(members):
            if LEFT_OUT.search(key):
                continue
            member = members[key]
            for self in selves:
                shown = f"{name}.{key} of {type(self).__name__}"
                if isinstance(member, (staticmethod, classmethod)):
                    target = getattr(cls, key)
                    for value in [*selves, None]:
                        yield shown, lambda f=target, v=value: f(v)
                    break
                if hasattr(member, "__get__") and not callable(member):
                    yield shown, lambda m=member, s=self: m.__get__(s, type(s))
                    if hasattr(member, "__set__"):
                        yield f"{shown} = ", lambda m=member, s=self: m.__set__(s, s)
                    continue
                if not callable(member):
                    continue
                yield shown, lambda m=member, s=self: m(s)
                for value in (self, None, 1, drawn.choice(good)):
                    yield (
                        f"{shown}, {type(value).__name__}",
                        lambda m=member, s=self, v=value: m(s, v),
                    )
                yield f"{shown}, 2", lambda m=member, s=self: m(s, s, s)
                for count in range(more):
                    arguments = [drawn.choice(good + wrong) for _ in range(drawn.randint(0, 5))]
                    yield f"{shown}#{count}", lambda m=member, s=self, a=arguments: m(s, *a)
        if me is not None:
            yield from operators(name, me, good)
        for value in (*selves, None, *((me,) if me is not None else ())):
            yield f"{name}({type(value).__name__})", lambda c=cls, v=value: c(v)
            yield f"{name}(2 x {type(value).__name__})", lambda c=cls, v=value: c(v, v)


def operators(name, me, good):
    import operator

    unary = (bool, len, hash, repr, str, iter, list, int, float, complex, operator.neg, abs, dir,
             operator.index, operator.invert, memoryview, np.asarray, bytes, vars)  # fmt: skip
    for function in unary:
        yield f"{function.__name__}({name})", lambda f=function: f(me)
    binary = (
        "add sub mul truediv mod pow and_ or_ lshift matmul eq lt getitem contains iadd".split()
    )
    for word, other in itertools.product(binary, (me, good[5], 1, None)):
        function = getattr(operator, word)
        shown = f"{word}({name}, {type(other).__name__})"
        yield shown, lambda f=function, o=other: f(me, o)
        yield f"r{shown}", lambda f=function, o=other: f(o, me)


def finish(result):
    if inspect.iscoroutine(result) or inspect.isgenerator(result):
        result.close()
    elif hasattr(result, "__exit__"):
        pass


def main():
    part, parts, first = (int(word) for word in sys.argv[1:4])
    faulthandler.enable()  # the stacks of a process that dies
    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda unraisable: None
    functions, classes = everything()
    for number, (name, call) in enumerate(calls(functions, classes)):
        if number % parts != part or number < first:
            continue
        print(f"{number} {name}", flush=True)
        faulthandler.dump_traceback_later(30, exit=True)  # a call that hangs dies, too
        try:
            finish(call())
        except Exception:
            pass
        except BaseException as error:  # a SystemExit of ours ends the program
            print(f"{number} {name} raised {type(error).__name__}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print("done", flush=True)


if __name__ == "__main__":
    sys.stdout = open(os.dup(1), "w", errors="backslashreplace")  # noqa: SIM115 - others may close 1
    sys.stdin = open(os.devnull)  # noqa: SIM115
    main()
    os._exit(0)
