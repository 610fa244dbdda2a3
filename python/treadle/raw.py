# SPDX-License-Identifier: MIT
"""Kernels in CuPy's words: `RawKernel`, `RawModule`, `ElementwiseKernel` and `ReductionKernel` with
the arguments of CuPy's classes, on arrays of `treadle.numpy`, on NVIDIA's GPUs and on the CPU
device. A user of CuPy tries a kernel without a GPU, with that device's checks, by another import:

    import treadle.numpy as cp
    from treadle import raw
    add = raw.RawKernel(text, "add")
    add((blocks,), (threads,), (x, y, z))
"""

from __future__ import annotations

import functools
import itertools
import pathlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as _numpy

import treadle
from treadle import Array, Buffer, InvalidArgument, ParameterKind
from treadle import numpy as _tnp

from ._c_names import TYPE_REGISTRY

__all__ = ["ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel"]

# As element-wise kernels call them.
_LONG = {"int64": "long long", "uint64": "unsigned long long"}
_FLOATS = {2: _numpy.float16, 4: _numpy.float32, 8: _numpy.float64}


def _value(argument: Any, parameter: Any, number: int) -> Any:
    """A number of Python's as the parameter wants it; CuPy makes each int 64 bits wide."""
    if isinstance(argument, bool):
        return _numpy.bool_(argument)
    if isinstance(argument, float) or (
        isinstance(argument, int) and parameter.kind == ParameterKind.floating
    ):
        return _FLOATS.get(parameter.size_bytes, _numpy.float64)(argument)
    if isinstance(argument, int):
        size = parameter.size_bytes if parameter.size_bytes in (1, 2, 4) else 8
        dtype = _numpy.dtype(f"i{size}" if argument < 1 << (8 * size - 1) else f"u{size}")
        if not _numpy.iinfo(dtype).min <= argument <= _numpy.iinfo(dtype).max:
            name = parameter.name or number  # NVIDIA's drivers do not tell names
            raise InvalidArgument(
                f"argument {name}={argument} does not fit {size} bytes"
                "\ntry: a smaller number, or a wider parameter"
            )
        return dtype.type(argument)
    return _numpy.complex128(argument) if isinstance(argument, complex) else argument


class RawKernel:
    """A kernel of a text, compiled for the current device at its first call or by compile().

    Options are the compiler's. `backend` and `jitify` are taken for CuPy's programs: one compiler
    serves all. Errors are those of treadle.Program, at the first call.
    """

    # over 6 parameters because they are CuPy's
    def __init__(
        self,
        code: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
    ) -> None:
        self.code, self.name, self.options = code, name, tuple(options)
        self.backend = backend
        self.enable_cooperative_groups = enable_cooperative_groups
        self._module = RawModule(code=code, options=options, name_expressions=None)

    @property
    def kernel(self) -> treadle.Kernel:
        """Of the current device."""
        return self._module._program(treadle.current_device()).kernel(self.name)

    def compile(self, log_stream: Any = None) -> None:
        """Compiles now; what the compiler says goes to `log_stream.write`."""
        program = self._module._program(treadle.current_device())
        program.kernel(self.name)
        if log_stream is not None:
            log_stream.write(program.log)

    def __call__(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        args: Sequence[Any],
        *,
        shared_mem: int = 0,
        stream: treadle.Stream | None = None,
    ) -> None:
        """Queues a launch of `grid` blocks with `block` threads on the current stream. Arguments
        are arrays, buffers, numbers, and NumPy's scalars and records; numbers of Python's take the
        parameter's type."""
        kernel = self.kernel
        parameters = kernel.parameters or []  # a driver before CUDA 12.4 does not tell
        if kernel.parameters is not None and len(args) != len(parameters):
            raise InvalidArgument(
                f'kernel "{self.name}" has {len(parameters)} parameters, args {len(args)}'
                "\ntry: one argument each"
            )
        values = map(_value, args, parameters, itertools.count(1)) if parameters else args
        kernel(
            *values, groups=tuple(grid), group_size=tuple(block), stream=stream,
            local_bytes=shared_mem, cooperative=self.enable_cooperative_groups,
        )  # fmt: skip

    @property
    def max_threads_per_block(self) -> int:
        """The most threads of a block."""
        return self.kernel.max_group_items

    @property
    def num_regs(self) -> int:
        """Registers of a thread; 0 where there are none to count."""
        return self.kernel.resources.registers

    @property
    def shared_size_bytes(self) -> int:
        """Static shared memory of a block."""
        return self.kernel.resources.static_local_bytes

    @property
    def local_size_bytes(self) -> int:
        """Local memory of a thread."""
        return self.kernel.resources.private_bytes

    @property
    def attributes(self) -> dict[str, int]:
        """The properties above by name."""
        names = "max_threads_per_block num_regs shared_size_bytes local_size_bytes".split()
        return {name: getattr(self, name) for name in names}


class RawModule:
    """A text, or a file of one, with several kernels and variables; CuPy's class of that name."""

    # over 6 parameters because they are CuPy's
    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | None = None,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool = False,
    ) -> None:
        if (code is None) == (path is None):
            raise InvalidArgument("RawModule takes code or path, one of them\ntry: code=text")
        self.code = pathlib.Path(path).read_text() if path is not None else code or ""
        self.options, self.name_expressions = tuple(options), tuple(name_expressions or ())
        self.enable_cooperative_groups = enable_cooperative_groups
        self._programs: dict[str, treadle.Program] = {}

    def _program(self, device: treadle.Device) -> treadle.Program:
        if device.id not in self._programs:
            self._programs[device.id] = treadle.Program(
                device, self.code, flags=self.options, name_expressions=self.name_expressions
            )
        return self._programs[device.id]

    def compile(self, log_stream: Any = None) -> None:
        """Compiles now; what the compiler says goes to `log_stream.write`."""
        program = self._program(treadle.current_device())
        if log_stream is not None:
            log_stream.write(program.log)

    def get_function(self, name: str) -> RawKernel:
        """The kernel of a name, or of one of `name_expressions`."""
        made = RawKernel(
            self.code, name, self.options, enable_cooperative_groups=self.enable_cooperative_groups
        )
        made._module = self
        made.compile()
        return made

    def get_global(self, name: str) -> Buffer:
        """The memory of a variable."""
        return self._program(treadle.current_device()).variable(name)


class _Parameter:
    """`raw T x`: a name, its type as CuPy writes it, and whether the text indexes it itself."""

    def __init__(self, text: str) -> None:
        words = text.split()
        self.is_raw = words[0] == "raw"
        words = words[self.is_raw :]
        if len(words) != 2 or not words[1].isidentifier():
            raise InvalidArgument(
                f"parameter {text!r} is no type and name\ntry: 'float32 x', 'T y' or 'raw T z'"
            )
        self.type, self.name = words
        self.is_open = re.fullmatch("[A-Za-z]", self.type) is not None


def _parameters(text: str) -> list[_Parameter]:
    return [_Parameter(part) for part in map(str.strip, text.split(",")) if part]


def _typed(parameters: Sequence[_Parameter], arguments: Sequence[Any]) -> dict[str, _numpy.dtype]:
    """What the open types stand for: dtypes of arrays and of NumPy's scalars; of Python's numbers
    alone, what NumPy makes of them."""
    found: dict[str, _numpy.dtype] = {}
    weak: dict[str, _numpy.dtype] = {}
    for parameter, argument in zip(parameters, arguments, strict=False):
        if not parameter.is_open:
            continue
        if not hasattr(argument, "dtype"):
            weak.setdefault(parameter.type, _numpy.asarray(argument).dtype)
        elif found.setdefault(parameter.type, argument.dtype) != argument.dtype:
            raise InvalidArgument(
                f"type {parameter.type} is {found[parameter.type]} and, by argument "
                f"{parameter.name}, {argument.dtype}\ntry: arrays of one dtype"
            )
    return weak | found


def _dtype(parameter: _Parameter, types: dict[str, _numpy.dtype]) -> _numpy.dtype:
    if not parameter.is_open:
        return _numpy.dtype(parameter.type)
    if parameter.type not in types:
        raise InvalidArgument(
            f"nothing tells type {parameter.type} of {parameter.name}"
            f"\ntry: pass an array for {parameter.name}"
        )
    return types[parameter.type]


def _c_type(dtype: _numpy.dtype) -> str:
    return _LONG.get(dtype.name) or TYPE_REGISTRY.dtype_to_ctype(dtype)


def _opened(types: dict[str, _numpy.dtype]) -> str:
    return "".join(f"typedef {_c_type(dtype)} {name}; " for name, dtype in types.items())


def _ready(operation: str) -> str:
    """CuPy's `_ind` as what the text may call it here."""
    operation = operation.replace("_ind.size()", "n")
    if "_ind" in operation:
        raise InvalidArgument("the text uses _ind otherwise than as _ind.size()\ntry: i and n")
    return operation


class ElementwiseKernel:
    """A text for each element: `ElementwiseKernel("T x, T y", "T z", "z = x - y")`. Letters stand
    for types, those of the call's arrays; arguments broadcast together, `raw` ones are indexed by
    the text, in which `i` is the element's number and `_ind.size()` how many there are."""

    # over 6 parameters because they are CuPy's
    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        options: Sequence[str] = (),
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        self.in_params, self.out_params = _parameters(in_params), _parameters(out_params)
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.operation, self.name = _ready(operation), name
        self.no_return, self.return_tuple = no_return, return_tuple
        self._others: dict[str, Any] = {
            "preamble": preamble, "flags": tuple(options), "loop_prep": loop_prep,
            "after_loop": after_loop,
        }  # fmt: skip
        self._written = functools.cache(self._write)

    def _write(
        self, types: tuple[tuple[str, _numpy.dtype], ...], arrays: tuple[bool, ...]
    ) -> treadle.ElementwiseKernel:
        known = dict(types)
        declared, before = [], _opened(known)
        for k, parameter in enumerate([*self.in_params, *self.out_params]):
            c_type = _c_type(_dtype(parameter, known))
            constant = "const " if k < self.nin else ""
            if parameter.is_raw:  # by another name: x[i] would be an element, not the table's
                declared.append(f"{constant}{c_type} *_{parameter.name}")
                before += f"{constant}{c_type} *const {parameter.name} = &_{parameter.name}[0]; "
            elif arrays[k]:
                declared.append(f"{constant}{c_type} *_{parameter.name}")
                before += f"{constant}{c_type} &{parameter.name} = _{parameter.name}[i]; "
            else:
                declared.append(f"{c_type} {parameter.name}")
        text = f"{before}{{ {self.operation}; }}"
        return treadle.ElementwiseKernel(", ".join(declared), text, name=self.name, **self._others)

    def __call__(self, *args: Any, size: int | None = None) -> Any:
        """Queues it; results that are not passed are made and returned. `size` is how many elements
        there are where all arguments are raw."""
        if len(args) not in (self.nin, self.nargs):
            raise InvalidArgument(
                f"kernel {self.name!r} takes {self.nin} or {self.nargs} arguments, got {len(args)}"
                "\ntry: all inputs, then all results or none"
            )
        parameters = [*self.in_params, *self.out_params]
        types = _typed(parameters, args)
        arrays = tuple(isinstance(a, Array) and a.ndim > 0 for a in args)
        if size is not None and any(
            is_array and not p.is_raw for p, is_array in zip(parameters, arrays, strict=False)
        ):
            raise InvalidArgument("size is given, and arguments that are not raw have a size")
        outputs = list(args[self.nin :]) or self._made(types, args[: self.nin], size)
        arrays = arrays[: self.nin] + (True,) * self.nout
        kernel = self._written(tuple(sorted(types.items())), arrays)
        indices = {} if size is None else {"indices": range(size)}
        kernel(*args[: self.nin], *outputs, **indices)
        if self.no_return:
            return None
        return outputs[0] if self.nout == 1 and not self.return_tuple else tuple(outputs)

    def _made(
        self, types: dict[str, _numpy.dtype], inputs: Sequence[Any], size: int | None
    ) -> list[Array]:
        shape: tuple[int, ...] = () if size is None else (size,)
        if size is None:
            shapes = [
                a.shape
                for a, p in zip(inputs, self.in_params, strict=True)
                if isinstance(a, Array) and not p.is_raw
            ]
            if not shapes and any(p.is_raw for p in self.in_params):
                raise InvalidArgument(f"kernel {self.name!r} has no size\ntry: size=")
            shape = _numpy.broadcast_shapes(*shapes)
        return [_tnp.empty(shape, _dtype(p, types)) for p in self.out_params]


class ReductionKernel:
    """`ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0")`: what the first text
    makes of elements, folded by the second one's a and b; the third makes the result of a."""

    # over 6 parameters because they are CuPy's
    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Sequence[str] = (),
    ) -> None:
        self.in_params, self.out_params = _parameters(in_params), _parameters(out_params)
        if len(self.out_params) != 1 or self.out_params[0].is_raw:
            raise InvalidArgument(f"out_params={out_params!r}; there is one result, not raw")
        self.nin, self.nout, self.nargs = len(self.in_params), 1, len(self.in_params) + 1
        self.map_expr, self.reduce_expr = _ready(map_expr), reduce_expr
        self.post_map_expr, self.name = post_map_expr, name
        self.identity, self.reduce_type = str(identity), reduce_type
        self.preamble, self.options = preamble, tuple(options)
        self._written = functools.cache(self._write)

    def _folded(self, types: dict[str, _numpy.dtype]) -> _numpy.dtype:
        if self.reduce_type is None:
            return _dtype(self.out_params[0], types)
        return types.get(self.reduce_type) or _numpy.dtype(self.reduce_type)

    def _write(
        self, pairs: tuple[tuple[str, _numpy.dtype], ...], arrays: tuple[bool, ...]
    ) -> tuple[treadle.ReductionKernel, ElementwiseKernel | None]:
        types = dict(pairs)
        declared, text = [], self.map_expr
        for parameter, is_array in zip(self.in_params, arrays, strict=True):
            c_type = _c_type(_dtype(parameter, types))
            pointer = "*" if is_array or parameter.is_raw else ""
            constant = "const " if pointer else ""
            declared.append(f"{constant}{c_type} {pointer}{parameter.name}")
            if is_array and not parameter.is_raw:
                text = re.sub(rf"(?<![.\w]){parameter.name}\b", f"{parameter.name}[i]", text)
        for letter, dtype in types.items():
            text = re.sub(rf"(?<![.\w]){letter}\b", _c_type(dtype), text)
        folded = self._folded(types)
        first = treadle.ReductionKernel(
            folded, neutral=self.identity, reduce=self.reduce_expr, map=text,
            arguments=", ".join(declared), name=self.name, preamble=self.preamble,
            flags=self.options,
        )  # fmt: skip
        result = self.out_params[0]
        is_plain = re.fullmatch(rf"\s*{result.name}\s*=\s*a\s*;?\s*", self.post_map_expr)
        if is_plain and folded == _dtype(result, types):
            return first, None
        last = ElementwiseKernel(
            f"{folded.name} a", f"{_dtype(result, types).name} {result.name}", self.post_map_expr,
            self.name + "_post", preamble=self.preamble, options=self.options,
        )  # fmt: skip
        return first, last

    def __call__(
        self, *args: Any, out: Array | None = None, axis: Any = None, keepdims: bool = False
    ) -> Array:
        """Queues it over all elements, or along axes; the result is an array."""
        if len(args) == self.nargs and out is None:
            args, out = args[: self.nin], args[self.nin]
        if len(args) != self.nin:
            raise InvalidArgument(f"kernel {self.name!r} takes {self.nin} inputs, got {len(args)}")
        types = _typed(
            [*self.in_params, *self.out_params], [*args, *([] if out is None else [out])]
        )
        arrays = tuple(isinstance(a, Array) and a.ndim > 0 for a in args)
        first, last = self._written(tuple(sorted(types.items())), arrays)
        where = {} if axis is None else {"axis": axis, "keepdims": keepdims}
        if last is None:
            return first(*args, out=out, **where)
        folded = first(*args, **where)
        made = _tnp.empty(folded.shape, _dtype(self.out_params[0], types)) if out is None else out
        last(folded[None], made[None])  # with an axis: a number is no array of its own
        return made
