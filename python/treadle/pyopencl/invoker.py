# SPDX-License-Identifier: MIT
"""Functions that set a kernel's arguments and enqueue it, with a parameter for each argument.

Kernels of Treadle are called without them: set_scalar_arg_dtypes() tells C++ the types. Programs
that make such functions themselves get them here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treadle.pyopencl._arguments import VectorArg
from treadle.pyopencl._cl import enqueue_nd_range_kernel

# NumPy's type letters of the numbers that Kernel._set_arg_buf_pack_multi() takes unconverted. Code
# that programs generate reads this list.
BUF_PACK_TYPECHARS = list("cbBhHiIlLfd")

# Sets a kernel's arguments, and returns the events that the arguments depend on.
_Setter = Callable[[Any, Sequence[Any]], list[Any]]
_OPTIONS = {
    "global_offset": None,
    "g_times_l": False,
    "allow_empty_ndrange": False,
    "wait_for": None,
}


def _typed(value: Any, kind: Any, number: int) -> Any:
    """Converts a number to a type. Raises TypeError naming the argument."""
    dtype = np.dtype(kind)
    if dtype.kind in "iu" and isinstance(value, float):
        raise TypeError(f"argument {number} is the float {value!r}; the kernel takes {dtype}")
    return value if dtype.kind == "V" else dtype.type(value)


def generate_generic_arg_handling_body(num_args: int) -> _Setter:
    """What sets `num_args` arguments, each by what it is."""

    def set_all(kernel: Any, values: Sequence[Any]) -> list[Any]:
        for index, value in enumerate(values[:num_args]):
            kernel.set_arg(index, value)
        return []

    return set_all


def generate_specific_arg_handling_body(
    function_name: str, num_cl_args: int, arg_types: Sequence[Any], **workarounds: Any
) -> _Setter:
    """What sets arguments of these types; an array with an offset is two of the kernel's. Defects
    of platforms that PyOpenCL works around are in none that Treadle supports."""
    needed = sum(1 + (isinstance(kind, VectorArg) and kind.with_offset) for kind in arg_types)
    if needed != num_cl_args:
        raise TypeError(
            f"{function_name} has {num_cl_args} arguments, the types given stand for {needed}"
        )

    def set_all(kernel: Any, values: Sequence[Any]) -> list[Any]:
        events: list[Any] = []
        index = 0
        for number, (kind, value) in enumerate(zip(arg_types, values, strict=True), 1):
            if isinstance(kind, VectorArg):
                kernel.set_arg(index, value.base_data)
                events += value.events
                if kind.with_offset:
                    index += 1
                    kernel.set_arg(index, np.int64(value.offset))
            else:
                kernel.set_arg(index, value if kind is None else _typed(value, kind, number))
            index += 1
        return events

    return set_all


def _parameters(names: Sequence[str]) -> list[inspect.Parameter]:
    return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]


def _bound(name: str, signature: inspect.Signature, args: Any, keywords: Any) -> dict[str, Any]:
    """Binds the arguments to names. Raises TypeError naming the function."""
    try:
        bound = signature.bind(*args, **keywords)
    except TypeError as error:
        raise TypeError(f"{name}(): {error}") from None
    bound.apply_defaults()
    return bound.arguments


def _enqueuing(name: str, arguments: list[str], setter: _Setter) -> Callable[..., Any]:
    parameters = _parameters(["self", "queue", "global_size", "local_size", *arguments])
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters += [inspect.Parameter(o, kind, default=value) for o, value in _OPTIONS.items()]
    signature = inspect.Signature(parameters)

    def enqueue(*args: Any, **keywords: Any) -> Any:
        given = _bound(name, signature, args, keywords)
        kernel = given["self"]
        events = setter(kernel, [given[argument] for argument in arguments])
        return enqueue_nd_range_kernel(
            given["queue"],
            kernel,
            given["global_size"],
            given["local_size"],
            given["global_offset"],
            [*(given["wait_for"] or ()), *events] or None,
            given["g_times_l"],
            given["allow_empty_ndrange"],
        )

    return _named(enqueue, name, signature)


def _setting(arguments: list[str], setter: _Setter) -> Callable[..., Any]:
    signature = inspect.Signature(_parameters(["self", *arguments]))

    def set_args(*args: Any, **keywords: Any) -> None:
        given = _bound("set_args", signature, args, keywords)
        setter(given["self"], [given[argument] for argument in arguments])

    return _named(set_args, "set_args", signature)


def _named(function: Any, name: str, signature: inspect.Signature) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature
    return function


# over 6 parameters because they are those of PyOpenCL's
def generate_enqueue_and_set_args(
    function_name: str,
    num_passed_args: int,
    num_cl_args: int,
    arg_types: Sequence[Any] | None,
    work_around_arg_count_bug: Any,
    warn_about_arg_count_bug: Any,
    devs: Sequence[Any] | None,
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """(enqueue(kernel, queue, global_size, local_size, arg0, ...), set_args(kernel, arg0, ...))."""
    if arg_types is None:
        setter = generate_generic_arg_handling_body(num_passed_args)
    else:
        setter = generate_specific_arg_handling_body(function_name, num_cl_args, arg_types)
    arguments = [f"arg{i}" for i in range(num_passed_args)]
    name = "enqueue_knl_" + re.sub(r"\W", "_", function_name)
    return _enqueuing(name, arguments, setter), _setting(arguments, setter)
