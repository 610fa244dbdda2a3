# SPDX-License-Identifier: MIT
"""A call of a kernel as a program of its own, with its buffers' contents: to look for a fault."""

from __future__ import annotations

import base64
import math
import textwrap
import zlib
from collections.abc import Sequence
from typing import Any, TextIO

import numpy as np

from treadle.pyopencl import _cl
from treadle.pyopencl._array_places import require_queue
from treadle.pyopencl._cl import CommandQueue, Kernel, MemoryObjectHolder, SVMPointer
from treadle.pyopencl._constants import mem_object_type, program_build_info
from treadle.pyopencl._copy import enqueue_copy
from treadle.pyopencl.tools import VectorArg

_HEAD = '''\
"""A call of the kernel {name}, with the arguments it had."""

from base64 import b64decode
from zlib import decompress

import numpy as np
import pyopencl as cl
import pyopencl.array
from pyopencl.tools import VectorArg

SOURCE = {source!r}


def unpacked(text):
    return decompress(b64decode(text))


def shared(ctx, queue, data):
    memory = cl.SVMAllocation(ctx, len(data), 0, cl.svm_mem_flags.READ_WRITE)
    cl.enqueue_copy(queue, memory, np.frombuffer(data, np.uint8).copy())
    return memory


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
    """A Python expression of the bytes, in lines of moderate length."""
    lines = textwrap.wrap(base64.b64encode(zlib.compress(data)).decode(), 76)
    return "unpacked(\n" + "".join(f'        "{line}"\n' for line in lines) + "    )"


def _contents(queue: CommandQueue, memory: Any, size: int, **where: Any) -> bytes:
    data = bytearray(size)
    enqueue_copy(queue, data, memory, **where)
    return bytes(data)


class _Writer:
    """Texts that make arguments again; memory that is passed twice is one memory then, too."""

    def __init__(self, queue: CommandQueue) -> None:
        self._queue = queue
        self._names: dict[int, str] = {}  # of memory, by its handle or address

    def argument(self, name: str, argument: Any) -> str:
        """Python text of the argument that is to have this name."""
        if isinstance(argument, MemoryObjectHolder | SVMPointer):
            handle = argument.svm_ptr if isinstance(argument, SVMPointer) else argument.int_ptr
            known = self._names.setdefault(handle, name)
            return self._memory(argument) if known == name else known
        if hasattr(argument, "base_data"):  # an array, or an object like an array
            return self._array(name, argument)
        if isinstance(argument, _cl.LocalMemory):
            return f"cl.LocalMemory({argument.size})"
        if isinstance(argument, _cl.Sampler):
            modes = f"{argument.addressing_mode}, {argument.filter_mode}"
            return f"cl.Sampler(ctx, {bool(argument.normalized_coords)}, {modes})"
        return _value(argument)

    def _memory(self, memory: Any) -> str:
        if isinstance(memory, SVMPointer):
            if memory.size is None:
                raise RuntimeError("cannot capture shared memory whose size nobody knows")
            return f"shared(ctx, queue, {_packed(_contents(self._queue, memory, memory.size))})"
        if isinstance(memory, _cl.Image):
            return self._image(memory)
        if memory.type != mem_object_type.BUFFER:
            raise RuntimeError(f"cannot capture an argument of type {type(memory)}")
        contents = _contents(self._queue, memory, memory.size)
        return f"cl.Buffer(ctx, rw, hostbuf={_packed(contents)})"

    def _image(self, image: Any) -> str:
        form = image.format
        size = image.shape + (1,) * (3 - len(image.shape))
        contents = _contents(
            self._queue, image, math.prod(size) * form.itemsize, origin=(0, 0, 0), region=size
        )
        text = (
            f"cl.create_image(\n        ctx, rw, cl.ImageFormat({form.channel_order}, "
            f"{form.channel_data_type}), {image.shape},\n"
        )
        if image.type == mem_object_type.IMAGE1D_BUFFER:
            buffer = f"cl.Buffer(ctx, rw, hostbuf={_packed(contents)})"
            return text.replace("ctx, rw", "ctx, cl.mem_flags.READ_WRITE") + (
                f"        buffer={buffer},\n    )"
            )
        is_array = image.type in (mem_object_type.IMAGE1D_ARRAY, mem_object_type.IMAGE2D_ARRAY)
        return text + f"        is_array={is_array}, hostbuf={_packed(contents)},\n    )"

    def _array(self, name: str, array: Any) -> str:
        memory = array.base_data
        data = "None" if memory is None else self.argument(f"{name}.base_data", memory)
        return (
            f"cl.array.Array(\n        queue, {array.shape}, {_dtype(array.dtype)}, data={data},\n"
            f"        offset={array.offset}, strides={array.strides},\n    )"
        )


def _value(value: Any) -> str:
    if value is None or type(value) in (bool, int) or type(value) is float and math.isfinite(value):
        return repr(value)
    if type(value) is float:
        return f"float({str(value)!r})"
    if isinstance(value, np.number | np.bool_):
        if np.isfinite(value):
            return f"np.{value.dtype.name}({value.item()!r})"
        return f"np.frombuffer({value.tobytes()!r}, np.{value.dtype.name})[0]"
    try:
        return _packed(memoryview(value).tobytes())
    except (TypeError, BufferError):
        raise RuntimeError(f"cannot capture an argument of type {type(value)}") from None


def _dtype(dtype: Any) -> str:
    return f"np.{np.dtype(dtype)!r}"


def _declared(kernel: Kernel) -> str:
    """The line that declares the types of the arguments; empty if there are none."""
    types = getattr(kernel, "_arg_types", None)
    if types is None:
        return ""
    texts = []
    for given in types:
        if isinstance(given, VectorArg):
            offset = f", with_offset={given.with_offset}"
            texts.append(f"VectorArg({_dtype(given.dtype)}, {given.name!r}{offset})")
        else:
            texts.append("None" if given is None else _dtype(given))
    return f"    knl.set_scalar_arg_dtypes([{', '.join(texts)}])\n"


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
    """Sizes and offset as the call passes them to OpenCL."""
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
    require_queue(queue)
    if not isinstance(output_file, str) and not hasattr(output_file, "write"):
        raise TypeError(f"output_file is a {type(output_file).__name__}, wanted: a name or a file")
    if wait_for:
        _cl.wait_for_events(wait_for)
    sizes, local, offset = _resolved(g_size, l_size, global_offset, g_times_l)
    name = kernel.function_name
    options = kernel.program.get_build_info(queue.device, program_build_info.OPTIONS)
    text = _HEAD.format(name=name, source=_source_of(kernel), options=options)
    text += _declared(kernel)
    writer = _Writer(queue)
    for index, argument in enumerate(args):
        text += f"    arg{index} = {writer.argument(f'arg{index}', argument)}\n"
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


def _capture_call(
    kernel: Kernel,
    output_file: str | TextIO,
    queue: CommandQueue,
    global_size: Sequence[int],
    local_size: Sequence[int] | None,
    *args: Any,
    **options: Any,
) -> None:
    """Kernel.capture_call, with the parameter names of a kernel's call."""
    capture_kernel_call(kernel, output_file, queue, global_size, local_size, *args, **options)
