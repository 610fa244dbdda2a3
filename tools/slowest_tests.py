#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What took longest in the last run of each part of `make test`: slowest_tests.py [N] [PART ...]

Seconds by the clock, where as many tests ran at a time as there are processors: N (default: 20)
tests, and as many of the files and programs that hold them. CONTRIBUTING.md: `make test`.
"""

from __future__ import annotations

import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable

import run_tests


def read(path: pathlib.Path) -> list[tuple[str, str, float]]:
    """(file or program, test, seconds) of each test that one process, or ctest, ran."""
    source = path.name.split(".")[1]
    found = []
    for case in ElementTree.parse(path).iter("testcase"):
        group, name = case.get("classname", ""), case.get("name", "")
        seconds = float(case.get("time", 0))
        if group.startswith("tests."):  # pytest: the classname is the module, and a class within
            words = group.split(".")
            end = next((i for i, word in enumerate(words) if word.endswith("_test")), len(words))
            file = "/".join(words[1 : end + 1]) + ".py"
            found.append((file, f"{file}::{name}", seconds))
        elif source == "ctest":  # a test of ctest is a suite's case, or a whole program
            found.append((f"ctest {name.split('.')[0].split('/')[-1]}", name, seconds))
        else:
            found.append((source, f"{source} {group}.{name}", seconds))
    return found


def slowest(tests: Iterable[tuple[str, str, float]], count: int) -> list[str]:
    """The lines to print of one part."""
    tests = list(tests)
    files: collections.Counter[str] = collections.Counter()
    for file, _, seconds in tests:
        files[file] += seconds  # type: ignore[assignment]
    lines = [f"  {len(tests)} tests, {sum(files.values()):.0f} s"]
    lines += [f"  {seconds:8.1f} s  {file}" for file, seconds in files.most_common(count)]
    lines.append("")
    single = sorted(tests, key=lambda test: -test[2])[:count]
    return lines + [f"  {seconds:8.1f} s  {name}" for _, name, seconds in single]


def main() -> int:
    words = sys.argv[1:]
    count = next((int(word) for word in words if word.isdigit()), 20)
    chosen = [word for word in words if not word.isdigit()]
    parts: dict[str, list[tuple[str, str, float]]] = {}
    for path in sorted(run_tests.TIMES.glob("*.xml")):
        part = path.name.split(".")[0]
        if not chosen or part in chosen:
            parts.setdefault(part, []).extend(read(path))
    if not parts:
        print(f"no times in {run_tests.TIMES}; make test leaves them there")
        return 1
    for part, tests in parts.items():
        print(f"{part}:", *slowest(tests, count), sep="\n", end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
