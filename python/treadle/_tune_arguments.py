# SPDX-License-Identifier: MIT
"""Arguments of kernels that are tuned: from NumPy's words to those of C++."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
from treadle._core import tune as _tune


class Written:
    """Memory that kernels write. See Output and Updated."""

    is_updated = False

    def __init__(
        self,
        memory: Any,
        expected: Any = None,
        *,
        tolerance: float | None = None,
        check: Any = None,
    ):
        self.memory, self.tolerance, self.check = memory, tolerance, check
        self.expected = None if expected is None else np.ascontiguousarray(expected)

    @property
    def dtype(self) -> str:
        """Of its elements; empty where nobody tells."""
        owner = self.expected if self.expected is not None else self.memory
        return np.dtype(owner.dtype).str if hasattr(owner, "dtype") else ""


class Output(Written):
    """An argument that kernels write and do not read: a Buffer, which they write, or an Array or an
    array of NumPy's that says how large it is. It is `expected` after each run, where its real
    numbers may differ by `tolerance`; or check(bytes) returns a text that says what is wrong, or
    None. Without either it is what the first configuration writes."""


class Updated(Written):
    """The same for one that kernels read and write: what is in it now is there again before each
    run."""

    is_updated = True


def on_host(argument: Any) -> Any:
    """The argument with its memory as an array of NumPy's: what another process is sent."""
    if isinstance(argument, Written):
        made = type(argument)(
            _host_memory(argument.memory),
            argument.expected,
            tolerance=argument.tolerance,
            check=argument.check,
        )
        if not argument.dtype and argument.expected is None:
            made.memory = made.memory.view(np.void(1).dtype)
        return made
    return _host_memory(argument)


def _host_memory(memory: Any) -> Any:
    if isinstance(memory, treadle.Buffer):
        host = np.empty(memory.size_bytes, np.uint8)
        memory.copy_to(host)
        return host
    return memory.get() if isinstance(memory, treadle.Array) else memory


def problem_arguments(device: Any, arguments: Any) -> tuple[list[Any], list[Any]]:
    """Those of C++, and the memory that they need."""
    made, kept = [], []
    for number, argument in enumerate(arguments):
        one, memory = _problem_argument(device, argument, number)
        made.append(one)
        kept.append(memory)
    return made, kept


def _problem_argument(device: Any, argument: Any, number: int) -> tuple[Any, Any]:
    if isinstance(argument, Written):
        memory = _written_memory(device, argument)
        expected = None if argument.expected is None else argument.expected.tobytes()
        dtype = argument.dtype.lstrip("<=|")
        one = _tune.ProblemArgument.written(
            memory,
            argument.is_updated,
            expected,
            dtype if dtype[:1] in tuple("fciub") else "",
            argument.tolerance,
            argument.check,
        )
        return one, memory
    if isinstance(argument, treadle.Local):
        return _tune.ProblemArgument.local(argument.size_bytes), None
    if isinstance(argument, np.generic):
        return _tune.ProblemArgument.value(argument.tobytes(), argument.dtype.kind), None
    if isinstance(argument, treadle.Buffer | treadle.Array | np.ndarray):
        memory = _device_memory(device, argument)
        return _tune.ProblemArgument.input(memory), memory
    raise TypeError(
        f"argument {number} is {argument!r}, expected a Buffer, an Array, an array or a scalar of "
        "NumPy's, Output or Updated: write numpy.int32(...) for an int"
    )


def _written_memory(device: Any, argument: Written) -> Any:
    memory = argument.memory
    if argument.is_updated or isinstance(memory, treadle.Buffer):
        return _device_memory(device, memory)
    return treadle.Buffer(device, memory.nbytes)


def _device_memory(device: Any, memory: Any) -> Any:
    """A Buffer itself, of an array a copy: it may be a view, and is ordered by its own stream."""
    if isinstance(memory, treadle.Buffer):
        return memory
    host = memory.get() if isinstance(memory, treadle.Array) else memory
    return treadle.Buffer(device, np.ascontiguousarray(host))


def measure_options(options: dict[str, Any]) -> Any:
    """MeasureOptions with these attributes."""
    made = _tune.MeasureOptions()
    for name, value in options.items():
        if not hasattr(made, name):
            raise TypeError(f"measure has no option {name!r}")
        setattr(made, name, value)
    return made
