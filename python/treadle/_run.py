# SPDX-License-Identifier: MIT
"""`python -m treadle run script.py args` and `run -m module args`: the program as Python itself
would run it."""

from __future__ import annotations

import atexit
import dataclasses
import importlib.util
import json
import os
import runpy
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path

from treadle import FileError, InvalidArgument, _gdb, _sanitize, start_trace, write_trace

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


def _script(path: str) -> Callable[[], object]:
    """What runs it. Raises OSError or SyntaxError."""
    code = _read_code(path)

    def run() -> None:
        sys.path[:1] = [os.path.dirname(os.path.abspath(path)), _ALIASES]
        module = sys.modules["__main__"] = _main_module(path)
        exec(code, module.__dict__)  # P4: the script the user named

    return run


def _module(name: str) -> Callable[[], object]:
    def run() -> None:
        sys.path[:1] = [os.getcwd(), _ALIASES]
        if importlib.util.find_spec(name) is None:
            raise SystemExit(f"No module named {name!r}")
        runpy.run_module(name, run_name="__main__", alter_sys=True)

    return run


def _is_ours(trace: types.TracebackType) -> bool:
    file = trace.tb_frame.f_code.co_filename
    return file == __file__ or trace.tb_frame.f_globals.get("__name__") == "runpy"


_HELP = """\
-m MODULE     run a module instead of a script: -m pytest tests
--stats       print the compile counters as a line of JSON on stderr at the end
--sync        wait after every launch, so that an error names its kernel (TREADLE_SYNC=1)
--trace FILE  record compiles, copies and launches; Perfetto and `treadle trace` open FILE
--sanitize[=CHECKS]
              look for wrong accesses: by compute-sanitizer on a GPU, by the CPU device's own
              checks there; CHECKS are memory, race, init and sync, separated by commas
--gdb         start gdb on the program, told where the sources of kernels are;
              options behind --gdb are gdb's: -ex 'break kernel.cu:7' -ex run"""


@dataclasses.dataclass
class _Options:
    stats: bool = False
    sync: bool = False
    trace: str | None = None
    sanitize: str | None = None  # the checks; empty: those that the device has
    gdb: list[str] | None = None
    module: bool = False  # a module is named, no script

    def as_words(self) -> list[str]:
        """Those that a process that runs the script itself is given."""
        return [
            *(["--stats"] if self.stats else []),
            *(["--sync"] if self.sync else []),
            *(["--trace", self.trace] if self.trace is not None else []),
            *(["-m"] if self.module else []),
        ]


def _take_options(words: list[str]) -> _Options | str:
    """The options in front of the script's name, which are taken off; or what is wrong with them,
    empty for a request for help."""
    options = _Options()
    while words and words[0].startswith("-"):
        option, equals, value = words.pop(0).partition("=")
        if option == "-m" and not equals:
            options.module = True
            break  # as for Python, it is the last
        if option in ("-h", "--help"):
            return ""
        if equals and option not in ("--trace", "--sanitize"):
            return f"{option} takes no value"
        if option in ("--stats", "--sync"):
            setattr(options, option[2:], True)
        elif option == "--trace":
            options.trace = value if equals else words.pop(0) if words else ""
            if not options.trace:
                return "--trace needs the name of a file"
        elif option == "--sanitize":
            options.sanitize = value
        elif option == "--gdb":
            options.gdb = _gdb.take_options(words)
        else:
            return f"unknown option {option}"
    if options.gdb is not None and options.sanitize is not None:
        return "--gdb and --sanitize both start the program; give one of them"
    if not words:
        return "-m needs the name of a module" if options.module else "there is no script to run"
    return options


def _start_trace(file: str) -> bool:
    """Before anything looks for a device; processes of multiprocessing add to the same file."""
    try:
        start_trace(file)
    except (FileError, InvalidArgument) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return False
    from multiprocessing import util  # late: programs that are not traced need not load it

    os.environ["TREADLE_TRACE"] = "+" + os.path.abspath(file)
    atexit.register(write_trace)
    # A forked child of multiprocessing ends without atexit.
    util.register_after_fork(
        _start_trace, lambda _: util.Finalize(None, write_trace, exitpriority=0)
    )
    return True


def main(words: Sequence[str], usage: str) -> int:
    """Runs the script; its exit status is returned or raised as it was."""
    words = list(words)
    options = _take_options(words)
    if not isinstance(options, _Options):
        print(f"usage: {usage}\n" + (options or "\n" + _HELP), file=sys.stderr if options else None)
        return 2 if options else 0
    if options.gdb is not None:
        return _gdb.start(options.gdb, options.as_words(), words)
    if options.sanitize is not None:
        return _sanitize.start(options.sanitize, options.as_words(), words)
    if options.sync:
        os.environ["TREADLE_SYNC"] = "1"
    try:
        program = _module(words[0]) if options.module else _script(words[0])
    except OSError as error:
        print(f"can't open file {words[0]!r}: {error.strerror}", file=sys.stderr)
        return 2
    except SyntaxError as error:
        sys.excepthook(type(error), error, None)
        return 1

    if options.trace is not None and not _start_trace(options.trace):
        return 2
    import treadle.compat  # noqa: F401 - makes `import pycuda` work

    if options.stats:
        atexit.register(_print_statistics)
    sys.argv = words
    try:
        program()
    except SystemExit:
        raise
    except BaseException as error:
        # The frames of this file are no part of the user's program.
        trace = error.__traceback__
        while trace is not None and _is_ours(trace):
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0
