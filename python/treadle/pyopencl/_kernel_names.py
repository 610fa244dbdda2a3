# SPDX-License-Identifier: MIT
"""Names of Kernel's that code which is written by programs calls: set_arg() under other names."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.pyopencl._cl import Kernel


def _set_arg(self: Any, arg_index: int, arg: Any) -> None:
    self.set_arg(arg_index, arg)


def _set_arg_null(self: Any, arg_index: int) -> None:
    self.set_arg(arg_index, None)


def _set_arg_multi(self: Any, indices_and_args: Sequence[Any]) -> None:
    for index, value in _groups(indices_and_args, 2):
        self.set_arg(index, value)


def _set_arg_buf_pack_multi(self: Any, indices_chars_and_args: Sequence[Any]) -> None:
    for index, char, value in _groups(indices_chars_and_args, 3):
        letter = char if isinstance(char, str) else char.decode()
        if isinstance(value, np.floating) and letter not in "efd":
            value = int(value)  # NumPy's numbers are truncated, Python's refused
        self.set_arg(index, struct.pack(letter, value))


def _groups(flat: Sequence[Any], count: int) -> list[Sequence[Any]]:
    if len(flat) % count:
        raise ValueError(f"{len(flat)} entries are no groups of {count}: index and value by turns")
    return [flat[i : i + count] for i in range(0, len(flat), count)]


for _name, _function in {
    "_set_arg_buf": _set_arg,
    "_set_arg_svm": _set_arg,
    "_set_arg_null": _set_arg_null,
    "_set_arg_multi": _set_arg_multi,
    "_set_arg_buf_multi": _set_arg_multi,
    "_set_arg_buf_pack_multi": _set_arg_buf_pack_multi,
}.items():
    setattr(Kernel, _name, _function)
