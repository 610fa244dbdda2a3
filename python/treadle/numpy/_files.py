# SPDX-License-Identifier: MIT
"""Arrays in files and texts, through the host: NumPy writes and reads them, in its formats. What is
written is waited for; what is read is copied to the device."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as _numpy

from treadle._core import InvalidArgument
from treadle._core.array import Array
from treadle._core.device import Device

from ._creation import asarray, asnumpy

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "fromfile",
    "fromiter",
    "fromstring",
    "genfromtxt",
    "load",
    "loadtxt",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
]


def require_file(name: str, file: Any, *methods: str) -> Any:
    """A path, an open file, or for texts their lines; of others NumPy tells by AttributeErrors."""
    if isinstance(file, (str, bytes, os.PathLike)) or any(hasattr(file, m) for m in methods):
        return file
    raise InvalidArgument(
        f"{name} of a file is {file!r}, a {type(file).__name__}; wanted: a path or an open file\n"
        "  try: open(path, 'rb')"
    )


def _read(function: Callable[..., Any], /, *args: Any, **options: Any) -> _numpy.ndarray:
    """What one of NumPy's readers of text finds. It splits lines before it knows that they are
    texts."""
    try:
        return function(*args, **options)
    except AttributeError as error:
        raise TypeError(f"{function.__name__}: {error}; lines and options are texts") from error


def save(file: Any, arr: Any) -> None:
    """One array into a .npy file."""
    _numpy.save(require_file("save", file, "write"), asnumpy(arr), allow_pickle=False)


def savez(file: Any, *args: Any, **kwds: Any) -> None:
    """Several arrays into a .npz file, called arr_0, arr_1, ... or by their keywords."""
    named: dict[str, Any] = {name: asnumpy(x) for name, x in kwds.items()}
    _numpy.savez(require_file("savez", file, "write"), *map(asnumpy, args), **named)


def savez_compressed(file: Any, *args: Any, **kwds: Any) -> None:
    """savez(), compressed."""
    named: dict[str, Any] = {name: asnumpy(x) for name, x in kwds.items()}
    _numpy.savez_compressed(
        require_file("savez_compressed", file, "write"), *map(asnumpy, args), **named
    )


class NpzFile(Mapping[str, Array]):
    """The arrays of a .npz file by name, each read when it is asked for."""

    def __init__(self, file: Any, device: Device | str | None) -> None:
        self._file, self._device = file, device
        self.files: list[str] = file.files

    def __getitem__(self, name: str) -> Array:
        return asarray(self._file[name], device=self._device)

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)

    def __len__(self) -> int:
        return len(self._file)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def load(
    file: Any, mmap_mode: Any = None, *, device: Device | str | None = None
) -> Array | NpzFile:
    """The array of a .npy file, or those of a .npz file by name."""
    found = _numpy.load(require_file("load", file, "read"), mmap_mode, allow_pickle=False)
    if isinstance(found, _numpy.lib.npyio.NpzFile):
        return NpzFile(found, device)
    return asarray(_numpy.asarray(found), device=device)


def savetxt(fname: Any, X: Any, *args: Any, **options: Any) -> None:
    """Numbers as text, a row a line; options as NumPy's."""
    _numpy.savetxt(require_file("savetxt", fname, "write"), asnumpy(X), *args, **options)


def loadtxt(fname: Any, *args: Any, device: Device | str | None = None, **options: Any) -> Array:
    """Numbers of a text, a line a row; options as NumPy's."""
    fname = require_file("loadtxt", fname, "__iter__")
    return asarray(_read(_numpy.loadtxt, fname, *args, **options), device=device)


def genfromtxt(fname: Any, *args: Any, device: Device | str | None = None, **options: Any) -> Array:
    """The same of a text with gaps; options as NumPy's."""
    fname = require_file("genfromtxt", fname, "__iter__")
    return asarray(_read(_numpy.genfromtxt, fname, *args, **options), device=device)


def fromfile(file: Any, *args: Any, device: Device | str | None = None, **options: Any) -> Array:
    """Elements as they lie in a file; options as NumPy's."""
    file = require_file("fromfile", file, "fileno")
    return asarray(_numpy.fromfile(file, *args, **options), device=device)


def fromstring(
    string: str, *args: Any, device: Device | str | None = None, **options: Any
) -> Array:
    """Numbers of a text; options as NumPy's, of which `sep` is needed."""
    return asarray(_numpy.fromstring(string, *args, **options), device=device)


def fromiter(
    iter: Iterable[Any], dtype: Any, count: int = -1, *, device: Device | str | None = None
) -> Array:
    """The elements of an iterable of the host."""
    return asarray(_numpy.fromiter(iter, dtype, count), device=device)


def array2string(a: Any, *args: Any, **options: Any) -> str:
    """The elements as text; options as NumPy's."""
    return _numpy.array2string(asnumpy(a), *args, **options)


def array_repr(arr: Any, *args: Any, **options: Any) -> str:
    """The elements as Python text; options as NumPy's."""
    return _numpy.array_repr(asnumpy(arr), *args, **options)


def array_str(a: Any, *args: Any, **options: Any) -> str:
    """The elements as text; options as NumPy's."""
    return _numpy.array_str(asnumpy(a), *args, **options)
