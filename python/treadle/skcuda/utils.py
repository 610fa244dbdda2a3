# SPDX-License-Identifier: MIT
"""skcuda.utils: names and places of shared libraries."""

from __future__ import annotations

import mmap
import pathlib
import re
import struct
import subprocess

from treadle._core import FileError
from treadle._core.library import library_status

_DYNAMIC, _STRING_TABLE, _SONAME, _LOADED = 2, 5, 14, 1


def get_soname(filename: str) -> str | None:
    """The name that a shared library of this machine says it has; None if it says none, or is no
    ELF file. Raises FileError if there is no such file."""
    try:
        with open(filename, "rb") as file:
            if file.read(5) not in (b"\x7fELF\1", b"\x7fELF\2"):
                return None
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _soname_of(data)
    except OSError as problem:
        raise FileError(f"get_soname: {filename!r} is not read: {problem.strerror}") from None


def _soname_of(data: mmap.mmap) -> str | None:
    """From the dynamic segment of an ELF file, whose entries are pairs of a tag and a value."""
    order, is_wide = "<" if data[5] == 1 else ">", data[4] == 2
    word = "Q" if is_wide else "I"
    first, size, count = (
        struct.unpack_from(order + form, data, place)[0]
        for form, place in ((word, 32 if is_wide else 28), ("H", 54 if is_wide else 42),
                            ("H", 56 if is_wide else 44))
    )  # fmt: skip
    # Of a segment: its kind, its offset in the file, its address, its length in the file.
    form, places = ("IIQQQQ", (0, 2, 3, 5)) if is_wide else ("IIIIII", (0, 1, 2, 4))
    segments = []
    for i in range(count):
        fields = struct.unpack_from(order + form, data, first + i * size)
        segments.append([fields[place] for place in places])
    entries: dict[int, int] = {}
    for kind, offset, _, length in segments:
        if kind == _DYNAMIC:
            pair = struct.Struct(order + 2 * word)
            entries.update(
                pair.iter_unpack(data[offset : offset + length // pair.size * pair.size])
            )
    if _SONAME not in entries or _STRING_TABLE not in entries:
        return None
    for kind, offset, address, length in segments:
        inside = entries[_STRING_TABLE] - address
        if kind == _LOADED and 0 <= inside < length:
            start = offset + inside + entries[_SONAME]
            return data[start : data.find(b"\0", start)].decode()
    return None


def find_lib_path(name: str) -> str | None:
    """Where lib`name`.so lies: NVIDIA's and BLAS where Treadle finds them, others as the system's
    loader does; None: nowhere."""
    for status in library_status():
        if status.name == name and status.path != pathlib.Path():
            return str(status.path)
    try:
        listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(rf"^\s+lib{re.escape(name)}\.so\S* .*=> (\S+)$", listed.stdout, re.MULTILINE)
    return found[1] if found else None
