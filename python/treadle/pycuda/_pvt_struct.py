# SPDX-License-Identifier: MIT
"""A struct module for kernel arguments: complex numbers, pointers, no padding at the end."""

from treadle._core.pvt_struct import (
    Struct,
    _clearcache,
    calcsize,
    error,
    pack,
    pack_into,
    unpack,
    unpack_from,
)

__all__ = [
    "Struct",
    "_clearcache",
    "calcsize",
    "error",
    "pack",
    "pack_into",
    "unpack",
    "unpack_from",
]
