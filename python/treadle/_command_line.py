# SPDX-License-Identifier: MIT
"""`treadle` and `python -m treadle`: run, trace, coverage, info, dialect, tune, judge, cache."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import treadle
from treadle import (
    _cache_command,
    _coverage_command,
    _dialect,
    _info,
    _judge_command,
    _run,
    _trace,
    _tune_command,
)

# How this was started: by the script that pip installs, or as a module.
_PROGRAM = "treadle" if pathlib.Path(sys.argv[0]).name == "treadle" else "python -m treadle"
_RUN_USAGE = (
    f"{_PROGRAM} run [--stats] [--sync] [--trace FILE] [--sanitize[=CHECKS] | "
    "--gdb [gdb option ...]] (script.py | -m module) [argument ...]"
)


def _bytes(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Run PyCUDA and PyOpenCL programs on Treadle, and look around.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser(
        "run",
        help="run a script with `import pycuda` and `import pyopencl` answered by Treadle",
        usage=_RUN_USAGE,
        add_help=False,
    )
    info = commands.add_parser("info", help="devices, compilers, cache, and what is missing")
    info.add_argument("--all", action="store_true", help="every attribute and every place tried")
    doctor = commands.add_parser("doctor", help="the same as info --all")
    doctor.set_defaults(all=True)
    for command in (info, doctor):
        command.add_argument(
            "--json", action="store_true", help="machine-readable output: everything"
        )
    _trace.add_options(
        commands.add_parser("trace", help="what a file of run --trace says, as tables or a page")
    )
    _coverage_command.add_options(
        commands.add_parser("coverage", help="lines and branches of kernels that ran")
    )
    _dialect.add_options(
        commands.add_parser("dialect", help="what of a CUDA C text OpenCL C does not have")
    )
    commands.add_parser("tune", help="the best variant of a kernel, and what was measured")
    commands.add_parser("judge", help="what a kernel does wrong, on small problems")
    cache = commands.add_parser("cache", help="the disk cache of compiled kernels")
    actions = cache.add_subparsers(dest="action", required=True)
    for name, (_, _, text) in _cache_command.ACTIONS.items():
        action = actions.add_parser(name, help=text)
        action.add_argument("--folder", help="another folder than the default one")
        action.add_argument("--json", action="store_true", help="machine-readable output")
        if name == "prune":
            action.add_argument("--max-bytes", type=_bytes, help="default: the cache's own limit")
        if name == "explain-miss":
            action.add_argument(
                "entry", nargs="?", default="", help="a name that ls shows; default: the latest"
            )
    return parser


def _show(report: Any, as_text: Callable[[Any], str], as_json: bool) -> None:
    print(json.dumps(report, indent=2) if as_json else as_text(report))


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0, or 1 where info or cache found something wrong, 2 for bad usage."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["run"]:  # everything behind the script's name belongs to the script
        return _run.main(words[1:], _RUN_USAGE)
    if words[:1] == ["tune"]:
        return _tune_command.main(words[1:], _PROGRAM)
    if words[:1] == ["judge"]:
        return _judge_command.main(words[1:], _PROGRAM)
    options = _parser().parse_args(words)
    if options.command == "cache":
        action, as_text, _ = _cache_command.ACTIONS[options.action]
        try:
            report, status = action(options)
        except (treadle.InvalidArgument, treadle.FileError) as error:
            print(f"treadle cache {options.action}: {error}", file=sys.stderr)
            return 1
    elif options.command == "coverage":
        return _coverage_command.main(options)
    elif options.command == "trace":
        try:
            report, status, as_text = _trace.report(options), 0, _trace.as_text
        except OSError as error:
            print(f"treadle trace: {error.strerror}: {error.filename!r}", file=sys.stderr)
            return 2
        except treadle.InvalidArgument as error:
            print(f"treadle trace: {error}", file=sys.stderr)
            return 2
    elif options.command == "dialect":
        try:
            report, status = _dialect.examine(options)
        except OSError as error:
            print(f"treadle dialect: {error.strerror}: {error.filename!r}", file=sys.stderr)
            return 2
        as_text = _dialect.as_text
    else:
        report, status = _info.examine()
        as_text = _info.full_text if options.all else _info.short_text
    _show(report, as_text, options.json)
    return status
