# SPDX-License-Identifier: MIT
"""`python -m treadle run script.py args`: the script as Python itself would run it."""

from __future__ import annotations

import atexit
import json
import os
import sys
import types
from collections.abc import Sequence
from pathlib import Path

from treadle import _gdb

# Modules that install treadle.compat, for processes which get this one's sys.path and no more:
# those that multiprocessing spawns.
_ALIASES = str(Path(__file__).resolve().parent / "_aliases")


def _print_statistics() -> None:
    from treadle._core.compile import (
        statistics,
    )  # late: a script that compiles nothing loads it not

    print(json.dumps(statistics().as_dict()), file=sys.stderr, flush=True)


def _read_code(path: str) -> types.CodeType:
    with open(path, "rb") as file:
        return compile(file.read(), path, "exec", dont_inherit=True)


def _main_module(path: str) -> types.ModuleType:
    module = types.ModuleType("__main__")
    module.__file__ = path
    # Without a spec, sub-processes that multiprocessing spawns find the script by its path.
    vars(module).update(__builtins__=__builtins__, __spec__=None, __cached__=None)
    return module


def main(words: Sequence[str], usage: str) -> int:
    """Runs the script; its exit status is returned or raised as it was."""
    words = list(words)
    with_statistics = False
    gdb_options: list[str] | None = None
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "--stats":
            with_statistics = True
        elif option == "--gdb":
            gdb_options = _gdb.take_options(words)
        elif option in ("-h", "--help"):
            print(
                f"usage: {usage}\n\n"
                "--stats  print the compile counters as a line of JSON on stderr at the end\n"
                "--gdb    start gdb on the program, told where the sources of kernels are;\n"
                "         options behind --gdb are gdb's: -ex 'break kernel.cu:7' -ex run"
            )
            return 0
        else:
            print(f"usage: {usage}\nunknown option {option}", file=sys.stderr)
            return 2
    if not words:
        print(f"usage: {usage}", file=sys.stderr)
        return 2

    if gdb_options is not None:
        return _gdb.start(gdb_options, ["--stats"] if with_statistics else [], words)
    path = words[0]
    try:
        code = _read_code(path)
    except OSError as error:
        print(f"can't open file {path!r}: {error.strerror}", file=sys.stderr)
        return 2
    except SyntaxError as error:
        sys.excepthook(type(error), error, None)
        return 1

    import treadle.compat  # noqa: F401 - makes `import pycuda` work

    if with_statistics:
        atexit.register(_print_statistics)
    sys.argv = words
    sys.path[:1] = [os.path.dirname(os.path.abspath(path)), _ALIASES]
    module = sys.modules["__main__"] = _main_module(path)
    try:
        exec(code, module.__dict__)  # P4: the script the user named
    except SystemExit:
        raise
    except BaseException as error:
        # The frame of this function is no part of the user's program.
        trace = error.__traceback__ and error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0
