# SPDX-License-Identifier: MIT
"""Cells of OpenCL C: %load_ext pyopencl.ipython_ext, then %%cl_kernel.

The context is what the notebook calls cl_ctx, else ctx; kernels become names of the notebook.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from treadle.pyopencl._cl import Context
from treadle.pyopencl._program import Program


def _context(names: dict[str, Any]) -> Context:
    for name in ("cl_ctx", "ctx"):
        if isinstance(names.get(name), Context):
            return names[name]
    raise RuntimeError(
        "no context: call one cl_ctx or ctx, cl_ctx = pyopencl.create_some_context()"
    )


def _build(shell: Any, text: str, options: str) -> None:
    program = Program(_context(shell.user_ns), text).build(options=options)
    for kernel in program.all_kernels():
        shell.user_ns[kernel.function_name] = kernel


def _options(words: list[str], option: str) -> tuple[str, list[str]]:
    """Splits a line into the options' values and the other words."""
    if option not in words:
        return "", words
    at = words.index(option)
    if at + 1 == len(words):
        raise ValueError(f"{option} wants a word: {option} '-cl-fast-relaxed-math'")
    return words[at + 1], words[:at] + words[at + 2 :]


def _file_and_options(line: str) -> tuple[str, str]:
    options, words = _options(shlex.split(line), "-o")
    words = [word for word in words if word != "-f"]
    if len(words) != 1:
        raise ValueError(f"{line!r} names {len(words)} files, and one is wanted: -f kernels.cl")
    return words[0], options


def load_ipython_extension(ip: Any) -> None:
    """Makes the magic words known to a notebook."""

    def cl_kernel(line: str, cell: str) -> None:
        """%%cl_kernel [-o options]: builds the cell."""
        options, words = _options(shlex.split(line), "-o")
        if words:
            raise ValueError(f"%%cl_kernel takes -o options, not {' '.join(words)!r}")
        _build(ip, cell, options)

    def cl_kernel_from_file(line: str) -> None:
        """%cl_kernel_from_file [-f] file [-o options]: builds a file."""
        name, options = _file_and_options(line)
        _build(ip, Path(name).read_text(), options)

    def cl_load_edit_kernel(line: str) -> None:
        """%cl_load_edit_kernel [-f] file [-o options]: a cell with the text, to change."""
        name, options = _file_and_options(line)
        head = f"%%cl_kernel -o {shlex.quote(options)}" if options else "%%cl_kernel"
        ip.set_next_input(f"{head}\n\n{Path(name).read_text()}")

    ip.register_magic_function(cl_kernel, magic_kind="cell", magic_name="cl_kernel")
    for function in (cl_kernel_from_file, cl_load_edit_kernel):
        ip.register_magic_function(function, magic_kind="line", magic_name=function.__name__)
