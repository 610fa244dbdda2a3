# SPDX-License-Identifier: MIT
"""Brings what kernels on a GPU print to the cell of a notebook.

NVIDIA's driver writes to file descriptor 1. Where sys.stdout is something else and nobody watches
the descriptor, as ipykernel does since its version 6, a file takes the descriptor's place while a
cell runs. At the end of the cell the current context is waited for, so that no text comes late.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from typing import IO, Any, Protocol

from treadle import Error, LibraryNotFound, cuda


class Shell(Protocol):
    """What is used of IPython's InteractiveShell."""

    events: Any


def _shows_descriptor_1(stream: Any) -> bool:
    """Whether what is written to descriptor 1 is seen where `stream` is."""
    if getattr(stream, "watch_fd_thread", None) is not None:  # ipykernel's
        return True
    try:
        return bool(stream.fileno() == 1)
    except (AttributeError, OSError, ValueError):  # io.UnsupportedOperation is both of these
        return False


class CellPrinting:
    """The text of one cell at a time."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._descriptor_1 = -1
        self._libc = ctypes.CDLL(None)

    def begin(self, *_: Any) -> None:
        """Before a cell."""
        self.end()
        if _shows_descriptor_1(sys.stdout):
            return
        self._libc.fflush(None)
        self._file = tempfile.TemporaryFile()  # ends with the cell
        self._descriptor_1 = os.dup(1)
        os.dup2(self._file.fileno(), 1)

    def end(self, *_: Any) -> None:
        """After it; nothing where none has begun."""
        if self._file is None:
            return
        try:
            cuda.Context.current().synchronize()
        except Error:
            pass  # there is none, or the next wait tells
        self._libc.fflush(None)
        os.dup2(self._descriptor_1, 1)
        os.close(self._descriptor_1)
        with self._file as file:
            self._file = None
            file.seek(0)
            text = file.read().decode(errors="backslashreplace")
        if text and sys.stdout is not None:
            sys.stdout.write(text)
            sys.stdout.flush()


def register(shell: Shell) -> CellPrinting | None:
    """For cells from now on, where there is NVIDIA's driver: the CPU device needs none of this."""
    try:
        cuda.Driver.nvidia()
    except LibraryNotFound:
        return None
    return attach(shell)


def attach(shell: Shell) -> CellPrinting:
    """The same on any machine."""
    printing = CellPrinting()
    shell.events.register("pre_run_cell", printing.begin)
    shell.events.register("post_run_cell", printing.end)
    return printing
