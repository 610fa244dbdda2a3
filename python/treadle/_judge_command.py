# SPDX-License-Identifier: MIT
"""`python -m treadle judge KERNEL.cu --entry NAME --like REFERENCE.py`."""

from __future__ import annotations

import argparse
import json
import pathlib
import runpy
import sys
from collections.abc import Callable
from typing import Any

import treadle
from treadle import testing


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _values(text: str) -> tuple[str, list[Any]]:
    name, listed = _pair(text)
    try:
        return name, json.loads(f"[{listed}]")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE,VALUE") from None


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{program} judge",
        description="Runs a kernel on small problems and says what it does wrong.",
        epilog="Exit status: 0, 1 if something is wrong, 2 for files that cannot be used. A "
        "reference's file may set judge = {...}: arguments of treadle.testing.judge().",
    )
    parser.add_argument("kernel", type=pathlib.Path, help="a file in CUDA C or OpenCL C")
    parser.add_argument("--entry", default="", help="the kernel; default: the only one")
    parser.add_argument(
        "--like", metavar="FILE.py[:FUNCTION]",
        help="what it has to give: the function of its name, or 'reference'",
    )  # fmt: skip
    several: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--grid", help="formulas of up to three blocks, separated by ;")
    parser.add_argument("--block", help="the same of threads")
    parser.add_argument("--shared", help="a formula: bytes of dynamic shared memory")
    parser.add_argument("--size", type=_pair, metavar="ARRAY=FORMULA", **several)
    parser.add_argument("--range", type=_pair, metavar="ARRAY=FORMULA", **several)
    parser.add_argument("--use", type=_pair, metavar="ARRAY=USE", **several)
    parser.add_argument("--values", type=_values, metavar="NAME=VALUE,...", **several)
    parser.add_argument("--where", help="a formula: which values are allowed")
    parser.add_argument("--accept", metavar="QUESTION", **several, help="may be wrong")
    parser.add_argument("--option", metavar="FLAG", **several, help="of the compiler")
    parser.add_argument("--device", metavar="ID", **several, help="default: the CPU device, a GPU")
    parser.add_argument("--architecture", help="whose registers are told; default: sm_90")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    return parser


def _reference(named: str, entry: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    path, _, function = named.partition(":")
    names = runpy.run_path(path)
    entry = entry.partition("<")[0].rpartition("::")[2]  # of "ns::scale<float>"
    for name in filter(None, [function, entry, "reference"]):
        if callable(found := names.get(name)):
            return found, dict(names.get("judge", {}))
        if function:
            break
    wanted = function or " nor ".join(filter(None, [entry, "reference"]))
    raise treadle.InvalidArgument(f"{path} has no function {wanted}")


def _said(options: argparse.Namespace) -> dict[str, Any]:
    """What the command line says, as arguments of judge()."""
    made: dict[str, Any] = {
        "grid": options.grid and options.grid.split(";"),
        "block": options.block and options.block.split(";"),
        "shared": options.shared, "sizes": dict(options.size), "ranges": dict(options.range),
        "uses": dict(options.use), "values": dict(options.values), "where": options.where,
        "accept": options.accept, "options": options.option, "devices": options.device,
        "architecture": options.architecture,
    }  # fmt: skip
    return {name: value for name, value in made.items() if value}


def main(words: list[str], program: str) -> int:
    options = _parser(program).parse_args(words)
    try:
        like, how = _reference(options.like, options.entry) if options.like else (None, {})
        verdict = testing.judge(options.kernel, options.entry, like=like, **how | _said(options))
    except OSError as error:
        print(f"treadle judge: {error.strerror}: {error.filename!r}", file=sys.stderr)
        return 2
    except treadle.InvalidArgument as error:
        print(f"treadle judge: {error}", file=sys.stderr)
        return 2
    print(verdict.json() if options.json else str(verdict).rstrip())
    return 0 if verdict.is_right else 1
