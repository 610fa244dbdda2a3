# SPDX-License-Identifier: MIT
"""`python -m treadle tune KERNEL --space FILE`, and arrays, report, ls, export, import, merge."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import treadle
from treadle import tune
from treadle._core import tune as _tune
from treadle._tune_file import TuneFile
from treadle._tuned_kernel import store_of

INTERRUPTED = 130


def _named_value(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", help="a store's file; default: the user's", default=None)


def _add_file(parser: argparse.ArgumentParser, needs_space: bool) -> None:
    parser.add_argument(
        "--space", type=pathlib.Path, required=needs_space, help="JSON: space, launch, arguments"
    )
    parser.add_argument("--device", default="", help="its id; default: the file's, or the first")
    parser.add_argument(
        "--let", type=_named_value, action="append", default=[], metavar="NAME=VALUE",
        help="another value of a name of the file; any number of times",
    )  # fmt: skip


def _kernel_parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{program} tune",
        description="Finds the variant of a kernel that takes least.",
        epilog="Exit status: 0, 1 if no variant is right, 2 for files that cannot be used, "
        f"{INTERRUPTED} after Ctrl-C, which keeps what was measured.",
    )
    parser.add_argument("kernel", type=pathlib.Path, help="the file of the kernel's text")
    _add_file(parser, needs_space=True)
    parser.add_argument("--strategy", help="automatic, exhaustive, random, hill_climbing, ...")
    parser.add_argument("--seconds", type=float, help="that it may take")
    parser.add_argument("--evaluations", type=int, help="configurations that are tried")
    parser.add_argument("--seed", type=int, help="draws other configurations")
    parser.add_argument("--isolate", action="store_true", help="measures in another process")
    _add_store(parser)
    parser.add_argument("--no-store", action="store_true", help="neither reads nor keeps anything")
    parser.add_argument("--report", type=pathlib.Path, metavar="PAGE", help="writes a page, too")
    parser.add_argument("--quiet", action="store_true", help="shows no progress")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    return parser


class _Progress:
    """Lines, or one line that changes, on stderr."""

    def __init__(self, total: int | None, seconds: float | None):
        self._total, self._seconds = total, seconds
        self._is_terminal = sys.stderr.isatty()
        self._shown_at, self._best = 0.0, None

    def text(self, now: dict[str, Any]) -> str:
        of = f" of {self._total}" if self._total else ""
        made = f"{now['tried']}{of} tried, {now['failed']} failed"
        if now["best"] is not None:
            best = now["best"]
            values = ", ".join(f"{k}={v}" for k, v in best.configuration.items())
            made += f"; best {_tune.duration_text(best.measured.seconds)} by {values}"
        left = self.left(now)
        return made if left is None else f"{made}; {left:.0f} s left"

    def left(self, now: dict[str, Any]) -> float | None:
        """Seconds until it is over, at most; None: nobody knows."""
        bounds = []
        if self._seconds is not None:
            bounds.append(max(0.0, self._seconds - now["seconds"]))
        if self._total:
            each = now["seconds"] / now["tried"]
            bounds.append(each * max(0, self._total - now["tried"]))
        return min(bounds, default=None)

    def __call__(self, now: dict[str, Any]) -> None:
        best = now["best"] and now["best"].measured.seconds
        waits = 0.1 if self._is_terminal else 5.0
        is_over = now["tried"] == self._total
        if best == self._best and time.monotonic() - self._shown_at < waits and not is_over:
            return
        self._best, self._shown_at = best, time.monotonic()
        if self._is_terminal:
            sys.stderr.write(f"\r\x1b[K{self.text(now)[:200]}")
        else:
            sys.stderr.write(f"{self.text(now)}\n")
        sys.stderr.flush()

    def close(self) -> None:
        if self._is_terminal and self._shown_at:
            sys.stderr.write("\n")


def _total(space: tune.Space, search: dict[str, Any]) -> int | None:
    """How many configurations will be tried, if that is known."""
    if "evaluations" in search:
        return min(search["evaluations"], len(space))
    if search.get("strategy", "automatic") == "exhaustive":
        return len(space)
    has_budget = any(name in search for name in ("seconds", "probability"))
    return None if has_budget else len(space)


def _tuned(options: argparse.Namespace) -> int:
    file = TuneFile(options.kernel, options.space, dict(options.let), options.device)
    search = file.search()
    for name in ("strategy", "seconds", "evaluations", "seed"):
        if getattr(options, name) is not None:
            search[name] = getattr(options, name)
    search["isolate"] = search["isolate"] or options.isolate
    store = tune.Store() if options.no_store else store_of(options.store)
    progress = (
        None if options.quiet else _Progress(_total(file.space, search), search.get("seconds"))
    )
    try:
        tuned = tune.tune_kernel(
            file.text, file.kernel, file.space, file.arguments(), device=file.device,
            store=store, problem=file.names, progress=progress, **file.options(), **search,
        )  # fmt: skip
    finally:
        if progress is not None:
            progress.close()
    if options.report:
        page = tune.report_page(store, file.key().kernel)
        options.report.write_text(page, encoding="utf-8")
    report = {
        "kernel": file.kernel,
        "key": file.key().kernel,
        "device": file.device.id,
        "problem": file.names,
        "configuration": dict(tuned.configuration),
        "seconds": tuned.seconds,
        "attempts": len(tuned.attempts),
        "failed": sum(not a.measured.is_right for a in tuned.attempts),
        "known": tuned.known,
        "ending": tuned.ending,
        "wall_seconds": tuned.wall_seconds,
        "store": None if options.no_store else str(store.file or ""),
    }
    print(json.dumps(report, indent=2) if options.json else _as_text(report))
    return INTERRUPTED if tuned.ending == "stopped" else 0


def _as_text(report: dict[str, Any]) -> str:
    lines = [f"{name} = {value}" for name, value in report["configuration"].items()]
    known = f", {report['known']} known before" if report["known"] else ""
    return "\n".join(
        [
            *lines,
            f"{_tune.duration_text(report['seconds'])} on {report['device']}: the best of "
            f"{report['attempts']} ({report['failed']} failed{known}) in "
            f"{report['wall_seconds']:.1f} s; {report['ending']}",
        ]
    )


def _arrays(options: argparse.Namespace) -> int:
    device = treadle.find_device(options.device) if options.device else treadle.default_device()
    shows = sys.stderr.isatty() and not options.quiet

    def progress(now: dict[str, Any]) -> None:
        if shows:
            left = max(0.0, options.seconds - now["seconds"])
            said = (
                f"{now['family']}: {now['tried']} tried, best {now['best']:.3f} of the time before"
            )
            sys.stderr.write(f"\r\x1b[K{said}; {left:.0f} s left")
            sys.stderr.flush()

    store = store_of(options.store)
    tuned = tune.tune_arrays(
        device,
        families=options.families,
        seconds=options.seconds,
        size=options.size,
        seed=options.seed,
        store=store,
        progress=progress,
    )
    is_cut = len(tuned) < len(options.families or tune.array_families())
    if shows:
        sys.stderr.write("\r\x1b[K")
    rows: list[dict[str, Any]] = [
        {
            "family": t.family,
            "numbers": dict(t.numbers),
            "ratio": t.ratio,
            "attempts": t.attempts,
            "ratios": t.ratios,
        }
        for t in tuned
    ]
    if options.json:
        print(json.dumps({"device": device.id, "families": rows}, indent=2))
    else:
        for row in rows:
            values = " ".join(f"{k}={v}" for k, v in row["numbers"].items())
            took = f"{row['ratio']:.3f} of the time by {values}" if values else "as it was"
            print(f"{row['family']}: {took}; {row['attempts']} attempts")
    return INTERRUPTED if is_cut else 0


def _report(options: argparse.Namespace) -> int:
    store = store_of(options.store)
    page = tune.report_page(store, options.kernel)
    options.page.write_text(page, encoding="utf-8")
    kernels = len(store.keys(options.kernel))
    print(f"{options.page}: {kernels} tuned problem{'' if kernels == 1 else 's'}")
    return 0 if kernels else 1


def _ls(options: argparse.Namespace) -> int:
    store = store_of(options.store)
    rows = []
    for key in store.keys(options.kernel):
        attempts = store.attempts(key)
        best = attempts[0] if attempts[0].measured.is_right else None
        rows.append(
            {
                "kernel": key.kernel,
                "problem": key.problem,
                "device": key.environment.device,
                "attempts": len(attempts),
                "configuration": best and best.values,
                "seconds": best and best.measured.seconds,
            }
        )
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    for row in rows:
        problem = "".join(f" {k}={v}" for k, v in row["problem"].items())
        took = "nothing is right"
        if row["configuration"] is not None:
            values = " ".join(f"{k}={v}" for k, v in row["configuration"].items())
            took = f"{_tune.duration_text(row['seconds'])} by {values}"
        where = row["device"] or "a device without a name"
        print(f"{row['kernel']}{problem}, {where}: {took}; {row['attempts']} attempts")
    if not rows:
        print("nothing was tuned yet")
    return 0


def _export(options: argparse.Namespace) -> int:
    lines = store_of(options.store).export_lines(options.kernel)
    if options.file is None:
        sys.stdout.write(lines)
    else:
        options.file.write_text(lines, encoding="utf-8")
    return 0


def _added(options: argparse.Namespace, store: Any, count: int) -> int:
    if options.store is None:  # numbers of arrays in the user's store are those in force
        _tune.write_tilings(store)
    print(f"{count} attempts")
    return 0


def _import(options: argparse.Namespace) -> int:
    names: dict[str, Any] = {}
    if options.kernel is not None:
        if options.space is None:
            raise treadle.InvalidArgument("--for needs --space: both say which kernel it is")
        file = TuneFile(options.kernel, options.space, dict(options.let), options.device)
        names = {"kernel": file.key().kernel, "problem": file.names, "device": file.device}
    store, count = store_of(options.store), 0
    for path in options.files:
        text = path.read_text(encoding="utf-8")
        count += store.import_lines(tune.foreign_wisdom(text, **names))
    return _added(options, store, count)


def _merge(options: argparse.Namespace) -> int:
    store = store_of(options.store)
    count = sum(store.merge(path) for path in options.files)
    return _added(options, store, count)


def _array_options(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(tune.array_families())
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of {names}; default: all")
    parser.add_argument("--device", default="", help="its id; default: the first")
    parser.add_argument("--seconds", type=float, default=60, help="that it may take")
    parser.add_argument("--size", type=float, default=1, help="of the arrays; default: 1")
    parser.add_argument("--seed", type=int, default=0, help="draws other configurations")
    _add_store(parser)
    parser.add_argument("--quiet", action="store_true", help="shows no progress")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def _of_kernel(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kernel", default="", help="its name, or its key; default: all")
    _add_store(parser)


def _page_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("page", type=pathlib.Path, help="the file that is written")
    _of_kernel(parser)


def _ls_options(parser: argparse.ArgumentParser) -> None:
    _of_kernel(parser)
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def _export_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=pathlib.Path, nargs="?", help="default: the standard output")
    _of_kernel(parser)


def _import_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    parser.add_argument(
        "--for", dest="kernel", type=pathlib.Path, metavar="KERNEL",
        help="of another tuner: as if they were attempts of this kernel",
    )  # fmt: skip
    _add_file(parser, needs_space=False)
    _add_store(parser)


def _merge_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", type=pathlib.Path, nargs="+", help="other stores' files")
    _add_store(parser)


_Action = tuple[Callable[[argparse.Namespace], int], Callable[[argparse.ArgumentParser], None], str]
# Name: what it does, its options, and its help.
ACTIONS: dict[str, _Action] = {
    "arrays": (_arrays, _array_options, "the numbers of Treadle's own kernels, for this device"),
    "report": (_report, _page_options, "what was tuned, as one page of HTML"),
    "ls": (_ls, _ls_options, "what was tuned, and the best of each"),
    "export": (_export, _export_options, "all attempts as JSON, one a line: wisdom"),
    "import": (_import, _import_options, "adds wisdom, or what another tuner has written"),
    "merge": (_merge, _merge_options, "adds what another store has"),
}


def _parsed(words: list[str], program: str) -> tuple[Any, argparse.Namespace]:
    if words[:1] and words[0] in ACTIONS:
        run, add_options, text = ACTIONS[words[0]]
        parser = argparse.ArgumentParser(prog=f"{program} tune {words[0]}", description=text)
        add_options(parser)
        return run, parser.parse_args(words[1:])
    parser = _kernel_parser(program)
    lines = [f"  {name:8} {text}" for name, (_, _, text) in ACTIONS.items()]
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "\n".join(
        [str(parser.description), "", "In the place of a kernel:", *lines]
    )
    return _tuned, parser.parse_args(words)


def main(words: list[str], program: str) -> int:
    """The exit status: 0; 1 where nothing was found; 2 for bad usage and files; 130: Ctrl-C."""
    run, options = _parsed(words, program)
    try:
        return run(options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        problem = f"{error.strerror}: {error.filename!r}" if error.strerror else str(error)
        print(f"{program} tune: {problem}", file=sys.stderr)
        return 2
    except treadle.InvalidState as error:
        print(f"{program} tune: {error}", file=sys.stderr)
        return 1
    except (treadle.Error, ValueError, TypeError) as error:
        print(f"{program} tune: {error}", file=sys.stderr)
        return 2
