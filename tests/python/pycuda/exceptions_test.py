# SPDX-License-Identifier: MIT
import builtins

import pycuda.driver as cuda
import pytest

import treadle


@pytest.mark.parametrize("name", ["MemoryError", "LogicError", "LaunchError", "RuntimeError"])
def test_pycuda_classes_derive_from_error_and_from_no_builtin(name):
    kind = getattr(cuda, name)
    assert kind.__mro__[1:] == (cuda.Error, Exception, BaseException, object)
    assert kind.__module__ == "pycuda._driver"


def test_compile_error_carries_the_command_and_its_output():
    error = cuda.CompileError("it failed", ["nvcc", "-x"], "out", "err")
    assert str(error) == "it failed\n[command: nvcc -x]\n[stdout:\nout]\n[stderr:\nerr]"
    assert (error.msg, error.command_line) == ("it failed", ["nvcc", "-x"])
    assert (error.stdout, error.stderr) == ("out", "err")
    assert cuda.CompileError.__module__ == "pycuda.driver"
    assert isinstance(error, cuda.Error)
    assert str(cuda.CompileError("short", [])) == "short"


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("OutOfMemory", "MemoryError"),
        ("InvalidArgument", "ValueError"),
        ("DTypeError", "TypeError"),
        ("DTypeError", "ValueError"),
        ("LibraryNotFound", "OSError"),
        ("FileError", "OSError"),
        ("InvalidState", "RuntimeError"),
        ("NotSupported", "NotImplementedError"),
        ("DeviceError", "RuntimeError"),
    ],
)
def test_native_classes_are_the_natural_builtins_too(name, builtin):
    kind = getattr(treadle, name)
    assert issubclass(kind, treadle.Error)
    assert issubclass(kind, getattr(builtins, builtin))


def test_star_import_shadows_the_builtins_as_pycuda_does():
    names = {}
    exec("from pycuda.driver import *", names)
    assert names["MemoryError"] is cuda.MemoryError
    assert names["RuntimeError"] is cuda.RuntimeError
