# SPDX-License-Identifier: MIT
"""A kernel to tune, as a file of its text and a file of JSON describe it (docs/tuning.md)."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np

import treadle
from treadle import tune

# What the description may have, and for tune_kernel() as it is.
_PASSED = ("groups", "group_size", "local_bytes", "writing", "key_style", "flags", "measure")
_SEARCH = ("strategy", "seconds", "evaluations", "probability", "fraction", "seed")
_KNOWN = (
    "kernel",
    "names",
    "parameters",
    "constraints",
    "arguments",
    "device",
    "start",
    "isolate",
    *_PASSED,
    *_SEARCH,
)
_ARGUMENTS = ("output", "updated", "input", "value", "local_bytes")
_FILLS = ("random", "range", "zeros", "ones")


class TuneFile:
    """What a description says, with the names that the caller gives other values."""

    def __init__(
        self, text: pathlib.Path, description: pathlib.Path, names: Mapping[str, Any], device: str
    ):
        self.text = text.read_text(encoding="utf-8")
        self._where = description
        try:
            said = json.loads(description.read_text(encoding="utf-8"))
        except ValueError as error:
            raise treadle.InvalidArgument(f"{str(description)!r} is no JSON: {error}") from None
        if not isinstance(said, dict):
            raise self._refuse("is no object")
        for name in said:
            if name not in _KNOWN:
                raise self._refuse(f"has {name!r}; there are {', '.join(_KNOWN)}")
        self._said = said
        self.kernel = self._text("kernel")
        self.names = dict(said.get("names", {}))
        for name, value in names.items():
            if name not in self.names:
                raise self._refuse(f"has no name {name!r}; there are {', '.join(self.names)}")
            self.names[name] = value
        self.device = self._device(device or said.get("device", ""), text.suffix)
        self.space = self._space()

    def options(self) -> dict[str, Any]:
        """For tune_kernel() and store_key(): how the kernel is written and launched."""
        return {name: self._said[name] for name in _PASSED if name in self._said}

    def search(self) -> dict[str, Any]:
        """For tune_kernel(): how the space is searched."""
        made = {name: self._said[name] for name in (*_SEARCH, "start") if name in self._said}
        return made | {"isolate": bool(self._said.get("isolate", False))}

    def arguments(self) -> list[Any]:
        """Those of the kernel, made anew."""
        described = self._said.get("arguments")
        if not isinstance(described, list) or not described:
            raise self._refuse("has no list of arguments")
        return [self._argument(each, number) for number, each in enumerate(described)]

    def key(self) -> Any:
        """Under which name a store keeps what is measured."""
        options = {k: v for k, v in self.options().items() if k != "measure"}
        return tune.store_key(
            self.text, self.kernel, self.space, self.names, device=self.device, **options
        )

    def _refuse(self, problem: str) -> treadle.InvalidArgument:
        return treadle.InvalidArgument(
            f"{str(self._where)!r} {problem}\n  try: see Tuning kernels in the documentation"
        )

    def _text(self, name: str) -> str:
        value = self._said.get(name)
        if not isinstance(value, str) or not value:
            raise self._refuse(f"has no text {name!r}")
        return value

    def _device(self, name: str, suffix: str) -> Any:
        if name:
            return treadle.find_device(name)
        if suffix == ".cl":
            for device in treadle.devices():
                if device.id.startswith("opencl:"):
                    return device
        return treadle.default_device()

    def _space(self) -> tune.Space:
        space = tune.Space(device=self.device, **self.names)
        parameters = self._said.get("parameters")
        if not isinstance(parameters, dict) or not parameters:
            raise self._refuse("has no parameters")
        for name, described in parameters.items():
            if isinstance(described, list):
                described = {"values": described}
            if not isinstance(described, dict):
                raise self._refuse(f"has parameter {name!r} without a list of values")
            options = dict(described)
            powers, values = options.pop("powers_of_two", None), options.pop("values", None)
            if (powers is None) == (values is None):
                raise self._refuse(f"parameter {name!r} needs values or powers_of_two")
            try:
                if powers is not None:
                    space.add_powers_of_two(name, *powers, **options)
                else:
                    space.add(name, values, **options)
            except TypeError as error:
                first = str(error).splitlines()[0]
                raise self._refuse(f"parameter {name!r} is not understood: {first}") from None
        for constraint in self._said.get("constraints", []):
            space.require(constraint)
        return space

    def _number(self, value: Any) -> Any:
        return tune.evaluate(value, self.names) if isinstance(value, str) else value

    def _argument(self, described: Any, number: int) -> Any:
        kinds = [k for k in _ARGUMENTS if isinstance(described, dict) and k in described]
        if len(kinds) != 1:
            raise self._refuse(f"argument {number} is not one of {', '.join(_ARGUMENTS)}")
        kind = kinds[0]
        if kind == "local_bytes":
            return treadle.Local(int(self._number(described[kind])))
        dtype = self._dtype(described[kind], number)
        if kind == "value":
            return dtype.type(self._number(described.get("is", 0)))
        expected = None
        if "expected" in described:
            expected = np.load(self._where.parent / described["expected"]).astype(dtype)
        array = self._array(described, dtype, expected, number)
        if kind == "input":
            return array
        made = tune.Output if kind == "output" else tune.Updated
        return made(array, expected, tolerance=described.get("tolerance"))

    def _dtype(self, name: Any, number: int) -> Any:
        try:
            return np.dtype(name)
        except TypeError:
            raise self._refuse(f"argument {number} has the dtype {name!r}") from None

    def _array(self, described: dict[str, Any], dtype: Any, expected: Any, number: int) -> Any:
        fill = described.get("fill", "random" if "input" in described else "zeros")
        if isinstance(fill, str) and fill not in _FILLS:
            return np.load(self._where.parent / fill).astype(dtype)
        if "shape" not in described:
            if expected is None:
                raise self._refuse(f"argument {number} has no shape")
            shape = expected.shape
        else:
            extents = described["shape"]
            listed = extents if isinstance(extents, list) else [extents]
            shape = tuple(int(self._number(each)) for each in listed)
        size = int(np.prod(shape, dtype=np.int64))
        if fill == "random":
            draw = np.random.default_rng(number)
            if dtype.kind in "iub":
                return draw.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
            return draw.random(shape).astype(dtype)
        if fill == "range":
            return np.arange(size).astype(dtype).reshape(shape)
        return np.full(shape, {"zeros": 0, "ones": 1}.get(fill, fill), dtype)
