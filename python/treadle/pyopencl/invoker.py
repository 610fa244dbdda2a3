# SPDX-License-Identifier: MIT
"""Functions that set a kernel's arguments and enqueue it, with a parameter for each argument.

Kernels of Treadle are called without them: set_scalar_arg_dtypes() tells C++ the types. Programs
that write code themselves get them here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from treadle.pyopencl._arguments import VectorArg
from treadle.pyopencl._cl import enqueue_nd_range_kernel

_OPTIONS = "global_offset=None, g_times_l=False, allow_empty_ndrange=False, wait_for=None"


def _typed_line(kernel_index: int, at: int, kind: Any) -> str:
    if kind is None:
        return f"self.set_arg({kernel_index}, arg{at})"
    if isinstance(kind, VectorArg):
        return f"self.set_arg({kernel_index}, arg{at}.base_data)"
    return f"self.set_arg({kernel_index}, _typed(arg{at}, _types[{at}], {at + 1}))"


def _typed(value: Any, kind: Any, number: int) -> Any:
    """A number of a type. Raises TypeError that names the argument."""
    import numpy as np

    dtype = np.dtype(kind)
    if dtype.kind in "iu" and isinstance(value, float):
        raise TypeError(f"argument {number} is the float {value!r}; the kernel takes {dtype}")
    return value if dtype.kind == "V" else dtype.type(value)


def generate_generic_arg_handling_body(num_args: int) -> str:
    """Lines that set `num_args` arguments, each by what it is."""
    return "\n".join(f"self.set_arg({i}, arg{i})" for i in range(num_args)) or "pass"


# over 6 parameters because they are those of PyOpenCL's
def generate_specific_arg_handling_body(
    function_name: str,
    num_cl_args: int,
    arg_types: Sequence[Any],
    *,
    work_around_arg_count_bug: Any = False,
    warn_about_arg_count_bug: Any = False,
    in_enqueue: bool = True,
    include_debug_code: bool = True,
) -> str:
    """Lines that set arguments of these types; arrays with an offset are two of the kernel's."""
    lines, index = [], 0
    for at, kind in enumerate(arg_types):
        lines.append(_typed_line(index, at, kind))
        index += 1
        if isinstance(kind, VectorArg):
            if in_enqueue:
                lines.append(f"wait_for = [*(wait_for or ()), *arg{at}.events]")
            if kind.with_offset:
                lines.append(f"self.set_arg({index}, _offset(arg{at}.offset))")
                index += 1
    if index != num_cl_args:
        raise TypeError(
            f"{function_name} has {num_cl_args} arguments, the types given stand for {index}"
        )
    return "\n".join(lines) or "pass"


def _compiled(name: str, head: str, body: str, types: Sequence[Any] | None) -> Callable[..., Any]:
    import numpy as np

    indented = "\n".join("    " + line for line in body.splitlines())
    names: dict[str, Any] = {
        "_enqueue": enqueue_nd_range_kernel,
        "_offset": np.int64,
        "_typed": _typed,
        "_types": types,
    }
    exec(f"def {name}({head}):\n{indented}\n", names)
    return names[name]


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
        bodies = [generate_generic_arg_handling_body(num_passed_args)] * 2
    else:
        bodies = [
            generate_specific_arg_handling_body(
                function_name, num_cl_args, arg_types, in_enqueue=in_enqueue
            )
            for in_enqueue in (True, False)
        ]
    arguments = [f"arg{i}" for i in range(num_passed_args)]
    enqueue_head = ", ".join(["self", "queue", "global_size", "local_size", *arguments, _OPTIONS])
    launch = (
        "\nreturn _enqueue(queue, self, global_size, local_size, global_offset, wait_for, "
        "g_times_l, allow_empty_ndrange)"
    )
    name = "enqueue_knl_" + re.sub(r"\W", "_", function_name)
    enqueue = _compiled(name, enqueue_head, bodies[0] + launch, arg_types)
    set_args = _compiled("set_args", ", ".join(["self", *arguments]), bodies[1], arg_types)
    return enqueue, set_args
