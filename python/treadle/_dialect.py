# SPDX-License-Identifier: MIT
"""`python -m treadle dialect FILE`: what of a CUDA C text OpenCL C does not have."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from treadle._core.codegen import cuda_words

Report = dict[str, Any]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("file", nargs="+", help="a text of CUDA C")
    parser.add_argument("--all", action="store_true", help="words that have another, too")
    parser.add_argument("--json", action="store_true", help="machine-readable output: everything")


def examine(options: argparse.Namespace) -> tuple[Report, int]:
    """The words of each file, and the exit status: 1 where one has nothing in its place."""
    files = []
    for name in options.file:
        text = Path(name).read_text(errors="replace")
        words = [
            {"line": line, "word": word, "replacement": replacement or None}
            for line, word, replacement in cuda_words(text)
        ]
        files.append({"file": name, "words": words})
    lacking = any(w["replacement"] is None for entry in files for w in entry["words"])
    return {"files": files, "all": options.all}, 1 if lacking else 0


def as_text(report: Report) -> str:
    """A line for each word, as compilers write them."""
    lines = []
    for entry in report["files"]:
        words = entry["words"]
        lacking = [w for w in words if w["replacement"] is None]
        for w in words if report["all"] else lacking:
            there = w["replacement"] or "nothing in treadle/dialect.h"
            lines.append(f"{entry['file']}:{w['line']}: {w['word']}: {there}")
        lines.append(
            f"{entry['file']}: {len(words) - len(lacking)} words have another in "
            f"treadle/dialect.h, {len(lacking)} have none"
        )
    return "\n".join(lines)
