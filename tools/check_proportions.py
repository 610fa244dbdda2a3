#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the limits of docs/design/checklist.md that apply to the tree as a whole.

  S1, S2  lines of files and functions: the median, the 90th and the 99th percentile
  D3      imports of the package inside functions: few, each with a comment that gives the reason
  H4      the share of lines with comments, of the lines that are not blank
  T1      lines of tests to lines of the product, without blanks and comments; examples and
          apps count as tests, because the tests run them
With --rooms the last two are printed for each room.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import io
import math
import pathlib
import statistics
import sys
import tokenize
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_style
import repository as repo

PRODUCT, TESTS = ("src", "include", "python", "kernels"), ("tests", "examples", "apps")
COUNTED = repo.CPP | repo.DEVICE | {".py"}


@dataclasses.dataclass
class Lines:
    """Lines that are not blank; one may be both code and commented."""

    code: int = 0
    commented: int = 0
    all: int = 0

    def add(self, other: Lines) -> None:
        self.code += other.code
        self.commented += other.commented
        self.all += other.all


def cpp_lines(text: str) -> Lines:
    """In C++: a line carries a comment if blanking comments changes it."""
    lines = Lines()
    without = repo.NO_CODE.sub(
        lambda m: m[0] if m["quoted"] or "#" in m[0][:9] else blank(m[0]), text
    )
    for before, after in zip(text.splitlines(), without.splitlines(), strict=True):
        lines.all += bool(before.strip())
        lines.code += bool(after.strip())
        lines.commented += before != after
    return lines


def blank(text: str) -> str:
    return "\n" * text.count("\n")


def python_lines(text: str) -> Lines:
    """In Python: docstrings are comments, and lines that hold nothing else are no code."""
    commented: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            commented.add(token.start[0])
    lines, alone = text.splitlines(), {n for n in commented if is_comment(text.splitlines()[n - 1])}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            rows = set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
            commented |= rows
            alone |= rows
    full = {n for n, line in enumerate(lines, 1) if line.strip()}
    return Lines(len(full - alone), len(full & commented), len(full))


def is_comment(line: str) -> bool:
    return line.strip().startswith("#")


def room_of(path: pathlib.PurePosixPath) -> str:
    """The folder of a file, down to the level of rooms."""
    parts = path.parts[:-1]
    start = 2 if parts[:2] == ("include", "treadle") else 1
    deep = parts[start : start + 1] in (("cuda_cpu",), ("python",)) or parts[0] == "python"
    return "/".join(parts[: start + 1 + deep])


def late_imports(path: pathlib.PurePosixPath, text: str) -> tuple[int, int, list[str]]:
    """Imports of the package, those within functions, and which of these have no reason."""
    count = late = 0
    lines, findings = text.splitlines(), []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["treadle" if node.level else node.module or ""]
        else:
            continue
        if not any(name.split(".")[0] == "treadle" for name in names):
            continue
        count += 1
        if node.col_offset == 0:
            continue
        late += 1
        beside = lines[node.lineno - 2 : node.end_lineno]
        if not any("#" in line for line in beside):
            findings.append(f"{path}:{node.lineno}: a late import without its reason")
    return count, late, findings


def percentiles(values: list[int]) -> tuple[float, float, float]:
    """The median, the 90th and the 99th percentile."""
    ordered = sorted(values) or [0]
    at = [ordered[math.ceil(share * len(ordered)) - 1] for share in (0.9, 0.99)]
    return statistics.median(ordered), at[0], at[1]


class Tree:
    """The counts of one tree."""

    def __init__(self, root: pathlib.Path) -> None:
        self.rooms: dict[str, Lines] = collections.defaultdict(Lines)
        self.files: list[int] = []
        self.functions: list[int] = []
        self.imports = self.late = 0
        self.findings: list[str] = []
        for path in repo.tracked(root):
            if path.suffix in COUNTED and not str(path).startswith(check_style.INPUTS):
                self.read(path, repo.text_of(path, root))

    def read(self, path: pathlib.PurePosixPath, text: str) -> None:
        is_python = path.suffix == ".py"
        self.files.append(len(text.splitlines()))
        functions = (
            check_style.python_functions(text)
            if is_python
            else check_style.cpp_functions(text.splitlines())
        )
        self.functions += [length for _, length in functions]
        if path.parts[0] in PRODUCT + TESTS:
            self.rooms[room_of(path)].add(python_lines(text) if is_python else cpp_lines(text))
        if path.parts[0] == "python" and is_python:
            count, late, findings = late_imports(path, text)
            self.imports += count
            self.late += late
            self.findings += findings

    def total(self, folders: tuple[str, ...]) -> Lines:
        total = Lines()
        for room, lines in self.rooms.items():
            if room.split("/")[0] in folders:
                total.add(lines)
        return total

    def bars(self) -> Iterator[tuple[str, str, bool]]:
        """Item of the checklist, figure, whether it is met."""
        median, nine, most = percentiles(self.files)
        figure = f"files: median {median:.0f}, p90 {nine:.0f}, p99 {most:.0f} lines"
        yield "S1", figure, median <= 200 and nine <= 450
        median, nine, most = percentiles(self.functions)
        figure = f"functions: median {median:.0f}, p90 {nine:.0f}, p99 {most:.0f} lines"
        yield "S2", figure, nine <= 25 and most <= 60
        share = self.late / max(1, self.imports)
        yield "D3", f"late imports: {self.late} of {self.imports} ({share:.1%})", share <= 0.05
        product, tests = self.total(PRODUCT), self.total(TESTS)
        share = product.commented / max(1, product.all)
        yield "H4", f"comments: {share:.1%} of the product's lines", 0.1 <= share <= 0.2
        ratio = tests.code / max(1, product.code)
        yield "T1", f"tests : product = {tests.code} : {product.code} = {ratio:.2f}", ratio >= 0.7

    def by_room(self) -> Iterator[str]:
        for room, lines in sorted(self.rooms.items()):
            share = lines.commented / max(1, lines.all)
            yield f"{room:28}{lines.code:7} lines of code, {share:6.1%} commented"


def main() -> int:
    arguments = [word for word in sys.argv[1:] if word != "--rooms"]
    tree = Tree(repo.root_named(arguments))
    for line in tree.by_room() if "--rooms" in sys.argv else ():
        print(line)
    findings = tree.findings
    for line, figure, holds in tree.bars():
        print(f"check_proportions: {line} {figure}")
        findings += [] if holds else [f"{line} does not hold: {figure}"]
    return repo.report("check_proportions", findings, len(tree.files))


if __name__ == "__main__":
    sys.exit(main())
