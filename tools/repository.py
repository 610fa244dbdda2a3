# SPDX-License-Identifier: MIT
"""The files that the checks read, and how a check reports."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPP = {".cpp", ".hpp", ".h"}
LISTS = {".def"}
DEVICE = {".cu", ".cuh"}

NO_CODE = re.compile(
    r"""  (?P<quoted>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
    |     //[^\n]*
    |     /\*.*?\*/
    |     ^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*  # a directive, with its continuation lines
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


def root_named(arguments: Sequence[str]) -> pathlib.Path:
    """The tree named by a check's command line; by default this one."""
    return pathlib.Path(arguments[0]).resolve() if arguments else ROOT


def tracked(root: pathlib.Path = ROOT) -> list[pathlib.PurePosixPath]:
    """The tracked files that exist, relative to `root`; every file where there is no git."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True)
    if listing.returncode == 0 and (root / ".git").exists():
        names = [name for name in listing.stdout.split("\0") if name]
    else:
        names = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    return sorted(pathlib.PurePosixPath(name) for name in names if (root / name).is_file())


def text_of(path: pathlib.PurePosixPath, root: pathlib.Path = ROOT) -> str:
    return (root / path).read_text(encoding="utf-8", errors="replace")


def code_of(text: str) -> str:
    """C++ with blanks for comments, directives and literals; offsets and lines stay the same."""

    def blank(match: re.Match[str]) -> str:
        if match["quoted"]:
            return '"' + "_" * (len(match[0]) - 2) + '"'
        return re.sub(r"[^\n]", " ", match[0])

    return NO_CODE.sub(blank, text)


def report(check: str, findings: Iterable[str], looked_at: int) -> int:
    """Prints the findings; the exit status of the check."""
    findings = list(findings)
    for finding in findings:
        print(finding)
    verdict = f"{len(findings)} finding(s)" if findings else "ok"
    print(f"{check}: {verdict}, {looked_at} files", file=sys.stderr if findings else sys.stdout)
    return 1 if findings else 0
