#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/cuda-entry-points.md from tools/entry_points.txt and the sources, or checks it.

generate_entry_points.py [CUDA_H]           writes the page
generate_entry_points.py --check [CUDA_H]   exits 1 and says what does not hold

Refused: an entry point without a way or with two, a way whose function the headers or the stubs
do not have, a way whose entry point the shell does not call, a family to come of which the shell
calls some already, and, if cuda.h is there, a call named deprecated that is not.
"""

from __future__ import annotations

import abc
import dataclasses
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WAYS = "tools/entry_points.txt"
PAGE = "docs/cuda-entry-points.md"
NONE = "-"


@dataclasses.dataclass
class Row:
    """A line of the list: `kind` is "", "=", "+" or "~"."""

    kind: str
    patterns: list[str]
    cpp: str = NONE  # of "+" and "~": the family, the reason
    face: str = NONE


def rows_of(text: str) -> list[Row]:
    """The list's lines, comments left out."""
    rows = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        kind = line[0] if line[0] in "=+~" else ""
        fields = [field.strip() for field in line.removeprefix(kind).split("|")]
        if kind in ("+", "~"):
            rows.append(Row(kind, fields[1].split(), fields[0]))
        else:
            rows.append(Row(kind, [fields[0]], fields[1], fields[2]))
    return rows


def sources(root: pathlib.Path, *patterns: str) -> str:
    """The texts of files, without comments and strings."""
    paths = [path for pattern in patterns for path in sorted(root.glob(pattern))]
    # What records calls for a trace is no way to them.
    texts = [path.read_text() for path in paths if path.stem not in ("trace", "tracer")]
    return re.sub(r'"[^"\n]*"|//.*', "", "\n".join(texts))


def words_of(text: str) -> set[str]:
    """Its names."""
    return set(re.findall(r"\w+", text))


def entry_points(root: pathlib.Path) -> list[str]:
    """In the header's order."""
    text = (root / "include/treadle/cuda/symbols.def").read_text()
    return re.findall(r"^TREADLE_SYMBOL\((\w+)", text, re.M)


def on_cpu(root: pathlib.Path) -> set[str]:
    """What the CPU device has."""
    text = sources(root, "src/cuda_cpu/runtime/*.cpp")
    return set(re.findall(r"^(?:TREADLE_CPU_EXPORT )?CUresult (cu[A-Z]\w*)\(", text, re.M))


def has_name(words: set[str], name: str) -> bool:
    """Whether each part of Class::member or Class.member is among the words."""
    return words.issuperset(re.split(r"::|\.", name))


def deprecated(header: str) -> set[str]:
    """What cuda.h marks so."""
    return set(re.findall(r"__CUDA_DEPRECATED CUresult CUDAAPI\s+(cu\w+)", header))


class Ways(abc.ABC):
    """Entry points of a run-time, ways, and what the sources say of them."""

    list_path = WAYS
    page_path = PAGE
    room = "cuda"  # of the headers and sources
    header = "cuda.h"  # as texts name it
    face_name = "pycuda.driver"

    is_complete = False  # whether no family is to come any more

    rows: list[Row]
    names: list[str]  # in the header's order
    headers: set[str]  # words of the public headers
    shell: set[str]  # and of the sources
    face: set[str]  # of the face's stubs and modules
    deprecated: set[str] | None  # None where there is no header to read

    def read(self, root: pathlib.Path) -> None:
        """The list and the shell's words."""
        self.rows = rows_of((root / self.list_path).read_text())
        self.headers = words_of(sources(root, f"include/treadle/{self.room}/*.hpp"))
        self.shell = words_of(sources(root, f"src/{self.room}/*.?pp")) | self.headers

    def rows_for(self, name: str) -> list[Row]:
        """Those that name an entry point."""
        return [
            row
            for row in self.rows
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in row.patterns)
        ]

    def is_called(self, name: str) -> bool:
        """Whether the shell calls the entry point."""
        return name in self.shell

    def problems(self) -> list[str]:
        """What does not hold, a line each."""
        found = []
        for name in self.names:
            rows = self.rows_for(name)
            if len(rows) != 1:
                found.append(f"{name} has {len(rows)} ways in {self.list_path}, and 1 is wanted")
            else:
                found += self.problems_of(name, rows[0])
        for row in self.rows:
            for pattern in row.patterns:
                if not fnmatch.filter(self.names, pattern):
                    found.append(f"{pattern} of {self.list_path} is no entry point")
        return found

    def problems_of(self, name: str, row: Row) -> list[str]:
        """What does not hold of one entry point."""
        found = []
        if row.kind in ("", "=") and not has_name(self.headers, row.cpp):
            found.append(f"{name}: no header of treadle/{self.room}/ has {row.cpp}")
        if row.face != NONE and not has_name(self.face, row.face):
            found.append(f"{name}: {self.face_name} has no {row.face}")
        if row.kind == "" and not self.is_called(name):
            found.append(f"{name}: the shell does not call it; write '= {name}' if another does")
        if row.kind == "+" and self.is_called(name):
            found.append(f"{name}: the shell calls it now; write its way in {self.list_path}")
        if row.kind == "+" and self.is_complete:
            found.append(f"{name}: no family is to come; write its way in {self.list_path}")
        if row.kind == "~" and row.cpp == "deprecated" and self.deprecated is not None:
            if name not in self.deprecated:
                found.append(f"{name}: {self.header} does not mark it deprecated")
        return found

    def page(self) -> str:
        """The page's text."""
        lines = [self.heading()]
        counts = {"": 0, "=": 0, "+": 0, "~": 0}
        for name in self.names:
            row = self.rows_for(name)[0]
            counts[row.kind] += 1
            way, face = f"`{row.cpp}`", f"`{row.face}`" if row.face != NONE else ""
            if row.kind in ("+", "~"):
                way, face = f"`Table`: {row.cpp}", ""
            lines.append(self.line(name, way, face))
        lines.append("")
        lines.append(
            f"{counts['']} are called, {counts['=']} are done by a newer call, {counts['+']} are "
            f"to come, {counts['~']} stay with `Table`."
        )
        return "\n".join(lines) + "\n"

    @abc.abstractmethod
    def heading(self) -> str:
        """What the page begins with, up to the table's rows."""

    @abc.abstractmethod
    def line(self, name: str, way: str, face: str) -> str:
        """A row of the page's table."""

    def write_or_check(self, check: bool) -> int:
        """Writes the page, or checks it; prints what does not hold. The exit status."""
        problems = self.problems()
        page = ROOT / self.page_path
        if not problems and not check:
            page.write_text(self.page())
        elif not problems and (not page.exists() or page.read_text() != self.page()):
            problems = [f"{self.page_path} is out of date: run {sys.argv[0]}"]
        for problem in problems:
            print(problem)
        return 1 if problems else 0


class Table(Ways):
    """Those of CUDA's driver."""

    is_complete = True

    def __init__(self, root: pathlib.Path, header: str | None) -> None:
        self.read(root)
        self.names = entry_points(root)
        # Functions are written by hand: their methods are names in strings.
        legacy = (root / "python/bindings/calls/function_legacy.cpp").read_text()
        stubs = ("python/treadle/_core/driver.pyi", "python/treadle/pycuda/*.py")
        self.face = words_of(sources(root, *stubs) + legacy)
        self.cpu = on_cpu(root)
        self.deprecated = None if header is None else deprecated(header)

    def heading(self) -> str:
        return HEADING

    def line(self, name: str, way: str, face: str) -> str:
        return f"| `{name}` | {way} | {face} | {'yes' if name in self.cpu else ''} |"


HEADING = """# Every entry point of CUDA's driver

Generated by `tools/generate_entry_points.py` from `tools/entry_points.txt`; lint compares the two.
An entry point is reached by a class or function of `treadle::cuda` and of `pycuda.driver`, on the
CPU device, too, where the last column says so. The others are slots of `treadle::cuda::Table`: the
families whose header is named come with it, deprecated calls and those of other interfaces stay
there.

| entry point | C++ | PyCUDA | CPU device |
|---|---|---|---|"""


def main() -> int:
    words = sys.argv[1:]
    check = words[:1] == ["--check"]
    header = pathlib.Path(words[check]) if len(words) > check else None
    text = header.read_text() if header is not None and header.exists() else None
    return Table(ROOT, text).write_or_check(check)


if __name__ == "__main__":
    sys.exit(main())
