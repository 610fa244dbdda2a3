# SPDX-License-Identifier: MIT
"""The one exception of pycuda.driver that is written in Python."""

from __future__ import annotations

from collections.abc import Sequence

from treadle._core.driver import Error


class CompileError(Error):
    """A compiler refused the source; `stderr` holds what it said."""

    def __init__(
        self,
        msg: str,
        command_line: Sequence[str],
        stdout: str | None = None,
        stderr: str | None = None,
    ) -> None:
        super().__init__(msg, command_line, stdout, stderr)
        self.msg = msg
        self.command_line = command_line
        self.stdout = stdout
        self.stderr = stderr

    def __str__(self) -> str:
        text = self.msg
        if self.command_line:
            text += f"\n[command: {' '.join(str(word) for word in self.command_line)}]"
        if self.stdout:
            text += f"\n[stdout:\n{self.stdout}]"
        if self.stderr:
            text += f"\n[stderr:\n{self.stderr}]"
        return text


CompileError.__module__ = "pycuda.driver"
