# SPDX-License-Identifier: MIT
"""What kernels around users' texts have in common, which the generators in C++ write: parameters,
options and arguments as those take them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from treadle._core import CompileError
from treadle._core.opencl import _declared_bytes
from treadle.pyopencl._arguments import Argument, ScalarArg, VectorArg, parse_arg_list
from treadle.pyopencl._array_class import Array
from treadle.pyopencl._array_places import Events, Place
from treadle.pyopencl._c_names import dtype_to_ctype
from treadle.pyopencl._constants import status_code
from treadle.pyopencl._errors import from_native
from treadle.pyopencl._program import _effective_options


def vector(dtype: Any, name: str) -> VectorArg:
    """A pointer that begins where its array does."""
    return VectorArg(dtype, name, with_offset=True)


def parameters_of(arguments: str | Sequence[str | Argument]) -> list[Any]:
    """The parameters that a user declares."""
    parameters: list[Any] = parse_arg_list(arguments, with_offset=True)
    for argument in parameters:
        if not isinstance(argument, VectorArg | ScalarArg):
            raise RuntimeError(f"arg type not understood: {type(argument).__name__}")
    return parameters


def declared(parameters: Sequence[Any]) -> str:
    """As C declares them."""
    return ", ".join(
        f"{dtype_to_ctype(a.dtype)} {'*' if isinstance(a, VectorArg) else ''}{a.name}"
        for a in parameters
    )


def native_type(dtype: np.dtype) -> tuple[str, str, int]:
    """A type as the generators take it."""
    return dtype_to_ctype(dtype), "" if dtype.kind == "V" else dtype.name, dtype.itemsize


def native_types(parameters: Sequence[Any]) -> list[tuple[str, str, int]]:
    """Those of the parameters, each once."""
    return list(dict.fromkeys(native_type(a.dtype) for a in parameters))


def one_line(text: str, what: str) -> str:
    """A text that is pasted into a line of the kernel."""
    text = text.removeprefix("//CL//")
    if "//" in text:
        raise RuntimeError(
            f"{what} has a // comment, which would end the line it stands in: {text}"
        )
    return " ".join(text.splitlines())


def flags_of(device: Any, options: Any) -> list[str]:
    """What the compiler is told."""
    return [word.replace('"', "") for word in _effective_options(device, options)]


def neutral_of(value: Any) -> Any:
    """A neutral element; a text is pasted into a line."""
    return one_line(value, "neutral") if isinstance(value, str) else value


def stage_info(kernels: Mapping[Any, Any]) -> Any:
    """What programs read of a stage of PyOpenCL's kernels, its text: here one kernel does all."""
    text = next(iter(kernels.values())).text
    program = SimpleNamespace(source=text)
    return SimpleNamespace(source=text, kernel=SimpleNamespace(program=program))


def check_is_array(kernel: str, position: int, name: str, value: Any) -> None:
    """Refuses anything but an array; `kernel` is what errors call what takes it."""
    if not isinstance(value, Array):
        raise TypeError(
            f"argument {position} ({name}) of {kernel} is a {type(value).__name__}, not an array "
            "of pyopencl.array"
        )


def check_are_arrays(kernel: str, parameters: Sequence[Any], args: Sequence[Any]) -> None:
    """The same of all pointers' arguments."""
    for position, (argument, value) in enumerate(zip(parameters, args, strict=True)):
        if isinstance(argument, VectorArg):
            check_is_array(kernel, position, argument.name, value)


def on_device(kernels: Mapping[Any, Any], queue: Any, called: str) -> Any:
    """The kernel for the queue's device."""
    kernel = kernels.get(queue.device)
    if kernel is None:
        names = ", ".join(device.name for device in kernels) or "no device"
        raise ValueError(
            f"{called} is built for {names}, and the queue is of {queue.device.name}: build it for "
            "this device, too"
        )
    return kernel


def values_of(parameters: Sequence[Any], args: Sequence[Any]) -> list[Any]:
    """Arguments as a native launch takes them: numbers in the dtypes that are declared."""
    return [
        value if isinstance(argument, VectorArg) else _number(argument.dtype, value, position)
        for position, (argument, value) in enumerate(zip(parameters, args, strict=True))
    ]


def _number(dtype: np.dtype, value: Any, position: int) -> Any:
    if dtype.kind == "V":
        return np.asarray(value, dtype)
    if isinstance(value, dtype.type):
        return value
    return np.frombuffer(_declared_bytes(dtype, value, position), dtype)[0]


def order_after(place: Place, args: Sequence[Any], wait_for: Any) -> None:
    """Lets later work of the place come after the arrays' events and these."""
    for argument in args:
        if isinstance(argument, Array):
            argument._own_events().order(place)
    Events(wait_for or ()).order(place)


@contextlib.contextmanager
def failures_of_builds() -> Iterator[None]:
    """For a with block: what fails to compile is PyOpenCL's RuntimeError, and Treadle's, too."""
    try:
        yield
    except CompileError as error:
        failure = int(status_code.BUILD_PROGRAM_FAILURE)
        raise from_native(error, "clBuildProgram", failure, str(error), ()) from None


def compile_now(kernel: Any) -> None:
    """Compiles a native kernel."""
    with failures_of_builds():
        kernel.compile()
