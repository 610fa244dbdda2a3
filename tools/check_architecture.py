#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the documents name files that exist, and count the waist's functions right, and that
each public header has its test.
"""

from __future__ import annotations

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import repository as repo

DOCUMENTS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md")
# Names in code marks that contain a '/': `src/cuda/{module,function}.cpp`, `tests/cuda/`.
NAMED = re.compile(r"`([\w.{},*-]+(?:/[\w.{},*-]*)+)(?::\d+)?`")
# Headers of the waist whose classes a run-time system implements.
WAIST = ("driver", "device", "stream", "event", "module", "kernel")
ROOTS = (
    "include/",
    "src/",
    "python/",
    "kernels/",
    "tests/",
    "examples/",
    "benchmarks/",
    "tools/",
    "docs/",
    "cmake/",
    "apps/",
    ".ci/",
)


def spelled_out(name: str) -> list[str]:
    """`a/{b,c}.cpp` -> `a/b.cpp`, `a/c.cpp`."""
    match = re.search(r"\{([^{}]*)\}", name)
    if not match:
        return [name]
    return [
        path
        for choice in match[1].split(",")
        for path in spelled_out(name[: match.start()] + choice + name[match.end() :])
    ]


def missing_names(root: pathlib.Path, document: str) -> list[str]:
    findings = []
    for number, line in enumerate((root / document).read_text().splitlines(), 1):
        for name in NAMED.findall(line):
            for path in spelled_out(name):
                if path.startswith(ROOTS) and not any(root.glob(path.rstrip("/"))):
                    findings.append(f"{document}:{number}: {path} does not exist")
    return findings


def headers_without_test(root: pathlib.Path) -> list[str]:
    """include/treadle/X/name.hpp <-> tests/X/name_test.cpp; the umbrella header has users."""
    headers = [root / p for p in repo.tracked(root) if p.match("include/treadle/*/*.hpp")]
    expected = {h: root / "tests" / h.parent.name / f"{h.stem}_test.cpp" for h in headers}
    return [
        f"{header.relative_to(root)}: no {test.relative_to(root)}"
        for header, test in expected.items()
        if not test.exists()
    ]


def wrong_counts(root: pathlib.Path) -> list[str]:
    """The virtual functions of the waist, destructors counted, as the pages have them."""
    headers = [root / f"include/treadle/device/{name}.hpp" for name in WAIST]
    texts = [header.read_text() for header in headers if header.exists()]
    counts = [len(re.findall(r"^ *virtual ", text, re.MULTILINE)) for text in texts]
    count, most = sum(counts), max(counts, default=0)
    sentences = {
        "ARCHITECTURE.md": f"{count} virtual functions of six interfaces",
        "docs/internals/device.md": f"There are {count} in all, at most {most} in a class",
        "docs/design/checklist.md": f"at most {count} virtuals over {len(WAIST)} interfaces",
    }
    pages = [page for page in sentences if counts and (root / page).exists()]
    said = {page: " ".join((root / page).read_text().split()) for page in pages}
    return [
        f'{page}: it does not say "{sentences[page]}", which is how many there are'
        for page in pages
        if sentences[page] not in said[page]
    ]


def main() -> int:
    root = repo.root_named(sys.argv[1:])
    documents = [name for name in DOCUMENTS if (root / name).exists()]
    findings = [finding for name in documents for finding in missing_names(root, name)]
    findings += headers_without_test(root) + wrong_counts(root)
    return repo.report("check_architecture", findings, len(documents))


if __name__ == "__main__":
    sys.exit(main())
