# SPDX-License-Identifier: MIT
"""Tables of kernels around a statement, which the faces have a function each for: a row is the
function's name and parameters, the kernel's name and arguments, the statement, and what the
function says of itself, a line each:

    get_scale_kernel(dtype, x_is_scalar=False)
      scale(dtype *z, dtype a, dtype *x)
      z[i] = {a} * {x}
      z = a * x. Arguments: z, a, x, n.

In statements `{x}` is the element of an argument in the dtype of what is stored to, and `{x[]}` the
same as it is; `{x * y}` is what an operator makes of two; `{dtype}` is a parameter, a dtype by its
name in C."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np


class Row(NamedTuple):
    """A kernel. Parameters are names, some with a default: "dtype_z, x_is_scalar=False"; arguments
    as C has them, of dtypes by the names of parameters: "dtype_z *z"."""

    function: str
    parameters: str
    kernel: str
    arguments: str
    statement: str
    about: str


class Face(NamedTuple):
    """How a face declares and spells: `converted` and `combined` are told the dtype that is
    stored."""

    text: Callable[[list[Any], str, str], Any]
    vector: Callable[[Any, str], Any]
    scalar: Callable[[Any, str], Any]
    c_name: Callable[[Any], str]
    converted: Callable[[str, Any, Any], str]
    combined: Callable[[str, tuple[str, Any], tuple[str, Any], Any], str] | None = None


def _default(word: str) -> Any:
    return getattr(np, word) if hasattr(np, word) else ast.literal_eval(word)


def _signature(parameters: str) -> inspect.Signature:
    made = []
    for piece in parameters.split(", "):
        name, has_default, word = piece.partition("=")
        default = _default(word) if has_default else inspect.Parameter.empty
        made.append(
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        )
    return inspect.Signature(made)


class _Filled:
    """A row for arguments of its function."""

    def __init__(self, row: Row, face: Face, given: dict[str, Any]) -> None:
        self._face, self._given = face, given
        self._types = re.findall(r"\w+(?= \*?\w+(?:,|$))", row.arguments)
        self.arguments = [self._argument(piece) for piece in row.arguments.split(", ")]
        self._dtypes = {argument.name: argument.dtype for argument in self.arguments}
        self._pointers = re.findall(r"\*(\w+)", row.arguments)
        self._stored = self._dtypes[re.findall(r"(\w+)\[i\] =", row.statement)[0]]
        self.statement = re.sub(r"\{(.*?)\}", self._field, row.statement)

    def _argument(self, piece: str) -> Any:
        names, _, name = piece.partition(" ")
        words = names.split("|")
        given = (self._given.get(word) for word in words)
        dtype = next((dtype for dtype in given if dtype is not None), None)
        if dtype is None:
            raise TypeError(f"{words[0]} is None, wanted: a dtype, such as numpy.float32")
        if name.startswith("*"):
            return self._face.vector(dtype, name[1:])
        return self._face.scalar(dtype, name)

    def _element(self, name: str) -> str:
        if name not in self._pointers:
            return name
        return f"{name}[0]" if self._given.get(f"{name}_is_scalar") else f"{name}[i]"

    def _field(self, match: re.Match[str]) -> str:
        first, *others = match[1].split()
        name = first.removesuffix("[]")
        if name not in self._dtypes:
            value = self._given[name]
            return self._face.c_name(value) if name in self._types else str(value)
        if name != first:
            return self._element(name)
        if not others:
            return self._face.converted(self._element(name), self._dtypes[name], self._stored)
        assert self._face.combined is not None
        operator, second = others
        left, right = ((self._element(each), self._dtypes[each]) for each in (name, second))
        return self._face.combined(operator, left, right, self._stored)


def _rows(table: str) -> Iterator[Row]:
    for function, kernel, statement, about in re.findall(
        r"^(\S.*)\n  (.*)\n  (.*)\n  (.*)\n", table, re.MULTILINE
    ):
        name, _, parameters = function.removesuffix(")").partition("(")
        called, _, arguments = kernel.removesuffix(")").partition("(")
        yield Row(name, parameters, called, arguments, statement, about)


def texts_of(table: str, face: Face, module: str) -> dict[str, Callable[..., Any]]:
    """By their names, functions from parameters to a text, as if `module` had defined them."""
    return {row.function: _text_of(row, face, module) for row in _rows(table)}


def _text_of(row: Row, face: Face, module: str) -> Callable[..., Any]:
    signature = _signature(row.parameters)

    def text(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        filled = _Filled(row, face, given.arguments)
        return face.text(filled.arguments, filled.statement, row.kernel)

    text.__name__ = text.__qualname__ = row.function
    text.__module__, text.__doc__ = module, row.about
    text.__signature__ = signature  # type: ignore[attr-defined]
    return text
