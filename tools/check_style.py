#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what a formatter cannot: sizes, file names, licence lines, TODOs, unsafe loading.

A limit may be exceeded for a reason that is given beside it:
  a file of over 600 lines   one of its first 15 lines says "over 600 lines because ..."
  a function of over 80      a comment within the 5 lines above it says "over 80 lines because ..."
  over 6 parameters          the same: "over 6 parameters because ..."; not needed where others
                             decide: overrides, entry points of drivers, and pytest's
                             tests, whose parameters are the columns of a table
"""

from __future__ import annotations

import ast
import pathlib
import re
import statistics
import sys
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import repository as repo

MAX_CHANGELOG_BYTES = 15_000
MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_PARAMETERS, MAX_FILE_BYTES = 600, 80, 6, 1_000_000
CODE = repo.CPP | repo.DEVICE | {".py"}
COMMENTED = CODE | repo.LISTS | {".cmake", ".sh", ".toml"}
EMPTY_NAMES = re.compile(r"(utils?|helpers?|misc|common|internal|part_?\d+)(_test)?", re.IGNORECASE)
# In pieces, because this file is checked too.
UNFINISHED = re.compile(
    "|".join(
        (
            r"\bTO" + r"DO\b(?!\(#\d+\))",
            r"\bFIX" + r"ME\b",
            r"\bXX" + r"X\b",
            r"not (?:yet )?implemen" + r"ted",
            r"raise NotImplemen" + r"tedError",
            r"in a real implemen" + r"tation",
        )
    ),
    re.IGNORECASE,
)
ONE_MACHINE = re.compile(r"(?<![\w.])/(?:work|farm|root)/")
# P4: no code executes data that it reads; an exception says "P4: <what it executes>".
RUNS_WHAT_IT_READS = re.compile(
    r"\b(?:pickle|marshal|shelve)\b|(?<![\w.])(?:eval|exec)\(|yaml\.load\("
)
CALLED = re.compile(r"\b(\w+)\(")
DEFINES = re.compile(r"\s*(?:const\b\s*)?(?:noexcept\b\s*)?(?:->[^;{}()]*)?(?:\{|:[^:])")
OF_OTHERS = re.compile(r"(?:cu|cl|nvrtc)[A-Z]\w*|test_\w+")  # declared by others
# Arbitrary bytes for a parser, and texts that a generator wrote.
INPUTS = ("tests/fuzz/corpus/", "tests/golden/")
PRODUCT = ("src/", "include/", "python/", "kernels/")


def cpp_functions(lines: list[str]) -> Iterator[tuple[int, int]]:
    """(first line, length) of each function at namespace level, in clang-format's layout."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None:
            opens = line.endswith("{") and line[:1] not in (" ", "}", "#", "/", "")
            opens = opens and "(" in line and not re.search(r"=\s*\{+$", line)
            if opens and not re.match(
                r"(?:namespace|extern \"C\"|class|struct|enum|union|template)\b", line
            ):
                start = number
            elif line.startswith("    ") and line.endswith(") {"):
                start = continued_signature(lines, number)
        elif line == "}":
            yield start, number - start + 1
            start = None


def continued_signature(lines: list[str], number: int) -> int | None:
    """First line of the signature, broken over several, that line `number` ends; else None."""
    for first in range(number - 1, max(0, number - 12), -1):
        line = lines[first - 1]
        if line and line[0] not in (" ", "}", "#", "/"):
            return first if "(" in line and not line.rstrip().endswith((";", "{")) else None
        if not line.startswith("    "):
            return None
    return None


def python_functions(text: str) -> Iterator[tuple[int, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


def count_parameters(inside: str) -> int:
    """The parameters between two parentheses of C++ code."""
    depth, commas = 0, 0
    for character in inside:
        depth += {"(": 1, "<": 1, "{": 1, "[": 1}.get(character, 0)
        depth -= {")": 1, ">": 1, "}": 1, "]": 1}.get(character, 0)
        commas += character == "," and depth == 0
    return commas + 1 if inside.strip() else 0


def cpp_parameters(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, line, number of parameters) of each function that is defined."""
    code = repo.code_of(text)
    for match in CALLED.finditer(code):
        depth, end = 1, match.end()
        while depth and end < len(code):
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        if DEFINES.match(code, end):
            inside = code[match.end() : end - 1]
            yield match[1], code.count("\n", 0, match.start()) + 1, count_parameters(inside)


def python_parameters(text: str) -> Iterator[tuple[str, int, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [
                a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            ]
            yield node.name, node.lineno, len(names) - (names[:1] in (["self"], ["cls"]))


def check_parameters(path: pathlib.PurePosixPath, text: str) -> Iterator[str]:
    lines = text.splitlines()
    for name, line, count in (python_parameters if path.suffix == ".py" else cpp_parameters)(text):
        above = "\n".join(lines[max(0, line - 6) : line])
        has_reason = OF_OTHERS.fullmatch(name) or "over 6 parameters because" in above
        if count > MAX_PARAMETERS and not has_reason:
            yield f"{path}:{line}: {name} has {count} parameters, more than {MAX_PARAMETERS}"


def check_sizes(path: pathlib.PurePosixPath, text: str) -> Iterator[str]:
    lines = text.splitlines()
    if len(lines) > MAX_FILE_LINES and "over 600 lines because" not in "\n".join(lines[:15]):
        yield f"{path}: {len(lines)} lines, more than {MAX_FILE_LINES}"
    functions = python_functions(text) if path.suffix == ".py" else cpp_functions(lines)
    for start, length in functions:
        above = "\n".join(lines[max(0, start - 6) : start])
        if length > MAX_FUNCTION_LINES and "over 80 lines because" not in above:
            yield f"{path}:{start}: a function of {length} lines, more than {MAX_FUNCTION_LINES}"


def check_words(path: pathlib.PurePosixPath, text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if UNFINISHED.search(line):
            yield f"{path}:{number}: unfinished code: {line.strip()}"
        if ONE_MACHINE.search(line):
            yield f"{path}:{number}: a path of one machine: {line.strip()}"
        runs = str(path).startswith(PRODUCT) and path.suffix in CODE
        if runs and RUNS_WHAT_IT_READS.search(line) and "P4: " not in line:
            yield f"{path}:{number}: executes data that it reads (P4): {line.strip()}"


def check_file(path: pathlib.PurePosixPath, text: str) -> Iterator[str]:
    # skcuda.misc is scikit-cuda's name.
    if EMPTY_NAMES.fullmatch(path.stem) and "skcuda" not in path.parts:
        yield f"{path}: a generic file name"
    if path.suffix in COMMENTED or path.name in ("CMakeLists.txt", "Makefile"):
        if text.strip() and "SPDX-License-Identifier: MIT" not in "\n".join(text.splitlines()[:4]):
            yield f"{path}: no SPDX line"
    if path.name == "CHANGELOG.md" and (size := len(text.encode())) > MAX_CHANGELOG_BYTES:
        yield f"{path}: {size} bytes, more than {MAX_CHANGELOG_BYTES}: join what belongs together"
    if path.suffix in CODE:
        yield from check_sizes(path, text)
        yield from check_parameters(path, text)
    if path.suffix in COMMENTED:
        yield from check_words(path, text)


def check(root: pathlib.Path) -> tuple[list[str], list[int]]:
    findings, sizes = [], []
    for path in repo.tracked(root):
        if (root / path).stat().st_size > MAX_FILE_BYTES:
            findings.append(f"{path}: over {MAX_FILE_BYTES} bytes")
            continue
        if str(path).startswith(INPUTS):
            continue
        text = repo.text_of(path, root)
        findings += check_file(path, text)
        if path.suffix in CODE:
            sizes.append(len(text.splitlines()))
    return findings, sizes


def main() -> int:
    root = repo.root_named(sys.argv[1:])
    findings, sizes = check(root)
    if len(sizes) > 1:
        p90 = statistics.quantiles(sizes, n=10)[-1]
        print(
            f"check_style: lines a file: median {statistics.median(sizes):.0f}, p90 {p90:.0f},"
            f" most {max(sizes)}"
        )
    return repo.report("check_style", findings, len(sizes))


if __name__ == "__main__":
    sys.exit(main())
