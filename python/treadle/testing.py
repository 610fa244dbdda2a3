# SPDX-License-Identifier: MIT
"""Tests of kernels: a verdict on one, and an assertion over it.

    from treadle.testing import assert_kernel

    def test_scale():
        assert_kernel("scale.cu", "scale", like=lambda x, a, n: {"y": a * x})

`like` is a function whose parameters are named after the kernel's: it takes those that it names,
arrays in double precision (integers as they are; a row for each vector, records for structures),
structures passed by value with their members as attributes, and returns outputs by name; one array
alone where there is one output. A pointer that the kernel may write is an output if `like` does not
take it, otherwise it is updated.
"""

from __future__ import annotations

import inspect
import os
import pathlib
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from treadle._core import (
    CoveredText,
    coverage_lcov,
    coverage_page,
    coverage_table,
    coverage_xml,
    read_coverage,
    reset_coverage,
    write_coverage_report,
)
from treadle._core.tune import Finding, Verdict
from treadle._core.tune import judge as _judge

__all__ = [
    "CoveredText",
    "Finding",
    "Verdict",
    "assert_kernel",
    "coverage_lcov",
    "coverage_page",
    "coverage_table",
    "coverage_xml",
    "judge",
    "read_coverage",
    "reset_coverage",
    "write_coverage_report",
]

Reference = Callable[..., Any]


def _formulas(given: Any) -> list[str]:
    if isinstance(given, str | int):
        return [str(given)]
    return [str(each) for each in given]


def _taken(like: Reference) -> list[str]:
    return list(inspect.signature(like).parameters)


def _nested(values: dict[str, Any]) -> dict[str, Any]:
    """With an object for each structure: "p.n" is `n` of what `p` is."""
    made: dict[str, Any] = {}
    for name, value in values.items():
        *outer, last = name.split(".")
        place = made
        for each in outer:
            place = vars(place.setdefault(each, types.SimpleNamespace()))
        place[last] = value
    return made


class _Adapted:
    """A reference that NumPy computes, as the engine calls it."""

    def __init__(self, like: Reference):
        self._like, self._taken = like, _taken(like)

    def __call__(
        self, arrays: list[tuple[str, str, str, bytes, Any]], values: dict[str, Any]
    ) -> dict[str, bytes]:
        given, outputs = _nested(values), []
        for name, dtype, use, contents, parts in arrays:
            array = np.frombuffer(contents, np.dtype(parts or dtype)).copy()
            if dtype == "vector":
                array = self._rows(array)
            if use in ("output", "updated"):
                outputs.append((name, array.dtype))
            given[name] = array.astype(self._wide(array.dtype))
        with np.errstate(all="ignore"):  # NaN and infinities are meant
            made = self._like(*(given[name] for name in self._taken))
            results = self._named(made, [name for name, _ in outputs])
            dtypes = dict(outputs)
            return {name: self._numbers(array, dtypes.get(name)) for name, array in results.items()}

    @classmethod
    def _wide(cls, dtype: np.dtype[Any]) -> np.dtype[Any]:
        if dtype.names is not None:
            return np.dtype([(name, cls._wide(dtype[name])) for name in dtype.names])
        wide = {"f": np.float64, "c": np.complex128}
        return np.dtype(wide.get(dtype.kind, dtype))

    @staticmethod
    def _rows(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.stack([records[name] for name in records.dtype.names or ()], axis=-1)

    @staticmethod
    def _named(made: Any, outputs: list[str]) -> Mapping[str, Any]:
        if isinstance(made, Mapping):
            return made
        if isinstance(made, tuple) and len(made) == len(outputs):
            return dict(zip(outputs, made, strict=True))
        if len(outputs) == 1 and made is not None:
            return {outputs[0]: made}
        raise TypeError(
            f"the reference returned {type(made).__name__}, expected a dict of {outputs}"
        )

    @classmethod
    def _numbers(cls, array: Any, dtype: np.dtype[Any] | None) -> bytes:
        numbers = np.asarray(array)
        if numbers.dtype.names is not None:
            numbers = cls._rows(numbers)
        if dtype is not None and dtype.kind in "iub":  # what does not fit wraps, as in the kernel
            numbers = numbers.astype(dtype)
        if numbers.dtype.kind == "c":
            numbers = np.ascontiguousarray(numbers, np.complex128).view(np.float64)
        return np.ascontiguousarray(numbers, np.float64).tobytes()


def _text_of(kernel: str | os.PathLike[str]) -> tuple[str, str]:
    """The text, and how messages call it."""
    if isinstance(kernel, str) and ("\n" in kernel or "(" in kernel):
        return kernel, "kernel.cu"
    path = pathlib.Path(kernel)
    return path.read_text(encoding="utf-8"), path.name


# over 6 parameters because they are the keywords of a call
def judge(
    kernel: str | os.PathLike[str], entry: str = "", *, like: Reference | None = None,
    grid: Any = (), block: Any = (), shared: Any = "",
    sizes: Mapping[str, Any] | None = None, uses: Mapping[str, str] | None = None,
    values: Mapping[str, Sequence[Any]] | None = None, ranges: Mapping[str, Any] | None = None,
    where: str = "", options: Sequence[str] = (), include_dirs: Sequence[str] = (),
    devices: Sequence[str] = (), tolerance: float | None = None, accept: Sequence[str] = (),
    architecture: str = "sm_90", seed: int = 1,
) -> Verdict:  # fmt: skip
    """Runs a kernel (a text, or a file's path) on small problems and says what it does wrong.

    `grid` and `block` are formulas over its integer parameters, one or a sequence of up to three;
    left out, one thread an element of the largest output, 128 a block. `sizes` says how many
    elements a pointer has (left out: the product of all sizes), `ranges` what integers behind one
    are below, `values` what is passed for a number, `where` which values are allowed. `uses`
    overrides what a pointer is: 'input', 'output', 'updated' or 'scratch'. `accept` names questions
    whose answer may be wrong: 'order' for sums by float atomics, say. Blocking, some seconds.
    """
    text, source_name = _text_of(kernel)
    given: dict[str, Any] = {
        "groups": _formulas(grid), "group_size": _formulas(block), "local_bytes": str(shared),
        "elements": {name: str(each) for name, each in (sizes or {}).items()},
        "ranges": {name: str(each) for name, each in (ranges or {}).items()},
        "uses": dict(uses or {}),
        "values": {name: list(each) for name, each in (values or {}).items()},
        "where": where, "flags": list(options), "include_dirs": list(map(str, include_dirs)),
        "source_name": source_name,
    }  # fmt: skip
    reference = None
    if like is not None:
        reference = _Adapted(like)
        given["read"] = _taken(like)
    return _judge(
        text, entry, given, reference, list(devices), tolerance, list(accept), architecture, seed
    )


def assert_kernel(
    kernel: str | os.PathLike[str], entry: str = "", *, like: Reference | None = None, **how: Any
) -> Verdict:
    """The verdict of judge(), which takes the same; an AssertionError that says what is wrong."""
    verdict = judge(kernel, entry, like=like, **how)
    if not verdict.is_right:
        raise AssertionError(str(verdict))
    return verdict
