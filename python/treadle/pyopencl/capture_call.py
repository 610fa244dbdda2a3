# SPDX-License-Identifier: MIT
"""A call of a kernel as a program of its own, with its buffers' contents: to look for a fault."""

from __future__ import annotations

import base64
import textwrap
import zlib
from collections.abc import Sequence
from typing import Any, TextIO

import numpy as np

from treadle.pyopencl import _cl
from treadle.pyopencl._cl import Buffer, CommandQueue, Kernel
from treadle.pyopencl._constants import program_build_info
from treadle.pyopencl._copy import enqueue_copy

_HEAD = '''\
"""A call of the kernel {name}, with the arguments it had."""

from base64 import b64decode
from zlib import decompress

import numpy as np
import pyopencl as cl

SOURCE = {source!r}


def unpacked(text):
    return decompress(b64decode(text))


def main():
    ctx = cl.create_some_context()
    queue = cl.CommandQueue(ctx)
    prg = cl.Program(ctx, SOURCE).build(options={options!r})
    knl = cl.Kernel(prg, {name!r})
    rw = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
'''
_TAIL = """

if __name__ == "__main__":
    main()
"""


def _packed(data: bytes) -> str:
    """An expression of the bytes, in lines that editors can bear."""
    lines = textwrap.wrap(base64.b64encode(zlib.compress(data)).decode(), 76)
    return "unpacked(\n" + "".join(f'        "{line}"\n' for line in lines) + "    )"


def _contents(queue: CommandQueue, buffer: Buffer) -> bytes:
    data = bytearray(buffer.size)
    enqueue_copy(queue, data, buffer)
    return bytes(data)


def _expression(queue: CommandQueue, argument: Any) -> str:
    """Python text that makes the argument again."""
    if argument is None or type(argument) in (bool, int, float):
        return repr(argument)
    if isinstance(argument, Buffer):
        return f"cl.Buffer(ctx, rw, hostbuf={_packed(_contents(queue, argument))})"
    if isinstance(argument, _cl.LocalMemory):
        return f"cl.LocalMemory({argument.size})"
    if isinstance(argument, np.number | np.bool_):
        return f"np.{argument.dtype.name}({argument.item()!r})"
    try:
        return _packed(memoryview(argument).tobytes())
    except TypeError:
        raise RuntimeError(f"cannot capture an argument of type {type(argument)}") from None


def _source_of(kernel: Kernel) -> str:
    source = getattr(kernel, "_source", None)
    if not source:
        raise RuntimeError("cannot capture a call of a kernel whose program has no source")
    return source


_Size = tuple[int, ...]


def _resolved(
    g_size: Sequence[int],
    l_size: Sequence[int] | None,
    global_offset: Sequence[int] | None,
    g_times_l: bool,
) -> tuple[_Size, _Size | None, _Size | None]:
    """Sizes and offset as OpenCL gets them."""
    sizes = [int(length) for length in g_size]
    local = None if l_size is None else [int(length) for length in l_size]
    offset = None if global_offset is None else [int(start) for start in global_offset]
    if g_times_l and local is not None:
        rank = max(len(sizes), len(local))
        sizes += [1] * (rank - len(sizes))
        local += [1] * (rank - len(local))
        sizes = [size * factor for size, factor in zip(sizes, local, strict=True)]
        if offset is not None:
            offset = [start * factor for start, factor in zip(offset, local, strict=True)]
    return (
        tuple(sizes),
        None if local is None else tuple(local),
        None if offset is None else tuple(offset),
    )


# over 6 parameters because they are those of the call that it captures
def capture_kernel_call(
    kernel: Kernel,
    output_file: str | TextIO,
    queue: CommandQueue,
    g_size: Sequence[int],
    l_size: Sequence[int] | None,
    *args: Any,
    wait_for: Any = None,
    g_times_l: bool = False,
    allow_empty_ndrange: bool = False,
    global_offset: Sequence[int] | None = None,
) -> None:
    """Writes a program that makes context, buffers and program anew and repeats the call."""
    if wait_for:
        _cl.wait_for_events(wait_for)
    sizes, local, offset = _resolved(g_size, l_size, global_offset, g_times_l)
    name = kernel.function_name
    options = kernel.program.get_build_info(queue.device, program_build_info.OPTIONS)
    text = _HEAD.format(name=name, source=_source_of(kernel), options=options)
    for index, argument in enumerate(args):
        text += f"    arg{index} = {_expression(queue, argument)}\n"
    passed = "".join(f"arg{index}, " for index in range(len(args)))
    text += (
        f"    knl(\n        queue, {sizes}, {local}, {passed}\n"
        f"        global_offset={offset}, allow_empty_ndrange={allow_empty_ndrange},\n    )\n"
        f"    queue.finish()\n{_TAIL}"
    )
    if isinstance(output_file, str):
        with open(output_file, "w") as file:
            file.write(text)
    else:
        output_file.write(text)
