# SPDX-License-Identifier: MIT
"""The wheel of .gpu-bundle/, made to compress better: most of it is code of x86-64.

An instruction holds the distance from itself to the function that it calls, or to the data that it
reads, so that the same target is another number each time. Here each such number is replaced by
its target's address, most significant byte first, and replaced back on the other machine:

    48 8d 3d | f0 ff 01 00      lea of what is 0x1fff0 behind it, at 0x10003
    48 8d 3d | 00 02 ff f3      "at 0x2fff3", as in every instruction that reads it

Of the code of libtreadle_clang 10 % are saved. Bytes that only look like an instruction are
replaced too, and back. lzma's FILTER_X86 knows calls and jumps alone.
"""

from __future__ import annotations

import lzma
import pathlib
import re
import struct
import tarfile
import zipfile
from collections.abc import Callable

# Calls and jumps, or an instruction (lea, moves, comparisons of bytes) whose operand is relative to
# its own address. What it matches before the distance is never inside of another distance that was
# replaced, so that the same places are found again.
DISTANCE = re.compile(
    rb"(?:[\xe8\xe9]|[\x8d\x8b\x10\x28\x6f\x80][\x05\x0d\x15\x1d\x25\x2d\x35\x3d])(.{4})", re.DOTALL
)
REACH = 1 << 27  # beyond the largest library: a larger number is no distance
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9, "lc": 4}]
ELF = b"\x7fELF"
LOADED, EXECUTABLE = 1, 1  # of its program headers


def with_addresses(code: bytes) -> bytes:
    def address(distance: bytes, place: int) -> bytes:
        number = int.from_bytes(distance, "little", signed=True)
        if not -REACH <= number < REACH:
            return distance[::-1]
        return wrapped(number + place).to_bytes(4, "big", signed=True)

    return replaced(code, address)


def with_distances(code: bytes) -> bytes:
    """What with_addresses() was given."""

    def distance(address: bytes, place: int) -> bytes:
        number = int.from_bytes(address, "big", signed=True)
        if not -REACH <= number < REACH:
            return address[::-1]
        return wrapped(number - place).to_bytes(4, "little", signed=True)

    return replaced(code, distance)


def wrapped(number: int) -> int:
    """Into the numbers that are within reach, so that they are known from those that are not."""
    return (number + REACH) % (2 * REACH) - REACH


def replaced(code: bytes, change: Callable[[bytes, int], bytes]) -> bytes:
    result = bytearray(code)
    for match in DISTANCE.finditer(code):
        place = match.start(1)
        result[place : place + 4] = change(match[1], place)
    return bytes(result)


def in_library(library: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A library, or anything else, with its executable segments changed."""
    if not library.startswith(ELF):
        return library
    result = bytearray(library)
    table = struct.unpack_from("<Q", library, 32)[0]
    size, count = struct.unpack_from("<HH", library, 54)
    headers_end = table + size * count  # some linkers put the headers into such a segment
    for header in range(table, headers_end, size):
        kind, flags, offset, _, _, length = struct.unpack_from("<IIQQQQ", library, header)
        if kind == LOADED and flags & EXECUTABLE:
            start, end = max(offset, headers_end), offset + length
            result[start:end] = change(library[start:end])
    return bytes(result)


def rewrite(wheel: pathlib.Path, folder: pathlib.Path, change: Callable[[bytes], bytes]) -> None:
    """A copy of a wheel in a folder, uncompressed, its libraries changed, and without the
    precompiled preludes."""
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(folder / wheel.name, "w") as stored:
        for item in source.infolist():
            data = source.read(item)
            if item.filename.endswith(".dist-info/RECORD"):
                data = b"".join(line for line in data.splitlines(True) if b".pch," not in line)
            if not item.filename.endswith(".pch"):
                stored.writestr(item, in_library(data, change), zipfile.ZIP_STORED)


def pack(wheel: pathlib.Path, folder: pathlib.Path, archive: pathlib.Path) -> None:
    """Archives a folder and a wheel, which is put into it."""
    rewrite(wheel, folder, with_addresses)
    with (
        lzma.open(archive, "wb", filters=FILTERS) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        tar.add(folder, "")


def unpack(archive: pathlib.Path, folder: pathlib.Path, wheels: pathlib.Path) -> None:
    """The other way: the folder, and the wheel among other wheels."""
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extraction_filter = tarfile.data_filter
        tar.extractall(folder)
    for wheel in folder.glob("*.whl"):
        rewrite(wheel, wheels, with_distances)
        wheel.unlink()
