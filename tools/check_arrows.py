#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks includes between rooms, include cycles, and where each API may appear (ARCHITECTURE.md).

There is no list of exceptions: a file that breaks an arrow is moved or corrected.
"""

from __future__ import annotations

import pathlib
import posixpath
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import repository as repo

# room -> rooms it may include from; "room:pattern" allows only files whose name matches.
ARROWS: dict[str, set[str]] = {
    "base": set(),
    "process": {"base"},
    "cuda": {"process", "base"},
    "opencl": {"process", "base"},
    "cuda_cpu": {"process", "base"},
    "cuda_cpu/runtime": {
        "cuda_cpu",
        "process",
        "base",
        r"cuda:^symbols\.",
        r"compile:^(disk_cache|compiled)\.",
    },
    "cuda_cpu/compiler": {"cuda_cpu", "process", "base", r"compile:^nvrtc_\w+\."},
    "device": {"process", "base"},
    "memory": {"device", "process", "base"},
    "compile": {"process", "base"},
    "codegen": {"process", "base"},
    "library": {"process", "base", "cuda", "opencl"},
    "loop": {"codegen", "process", "base"},
    "kernel": {"codegen", "loop", "compile", "memory", "device", "process", "base"},
    "array": {"kernel", "codegen", "memory", "device", "process", "base"},
    "linalg": {
        "array",
        "tune",
        "kernel",
        "codegen",
        "library",
        "memory",
        "device",
        "process",
        "base",
    },
    "sparse": {
        "linalg",
        "array",
        "tune",
        "kernel",
        "codegen",
        "library",
        "memory",
        "device",
        "process",
        "base",
    },
    "tune": {"array", "kernel", "codegen", "compile", "memory", "device", "process", "base"},
    "fft": {
        "array",
        "tune",
        "kernel",
        "codegen",
        "compile",
        "library",
        "memory",
        "device",
        "process",
        "base",
    },
    "dist": {"array", "memory", "device", "process", "base"},
}
# src/device/X/ is the one folder that may use the shell X.
SHELL_OF_DEVICE = {"src/device/cuda/": "cuda", "src/device/opencl/": "opencl"}
# May use every public header; tests also what the room they test has and may include.
USERS = ("python/bindings/", "tests/", "examples/", "apps/", "benchmarks/")
# folder of python/bindings -> folders it may include from, beside itself and python/bindings
BINDINGS = "python/bindings/"
BINDING_ARROWS: dict[str, set[str]] = {
    "calls": set(),
    "memory": {"calls"},
    "native": {"calls", "memory"},
    "pycuda": {"calls", "memory"},
    "pyopencl": {"calls", "memory"},
}

# vocabulary -> where in src and include it may appear, comments included (style.md D4)
VOCABULARY = [
    # The libraries' names are no entry points.
    (
        re.compile(r"\bcu(?!(?:BLAS|FFT|SOLVER|SPARSE|RAND))[A-Z]|nvrtc"),
        ("cuda/", "cuda_cpu/", "compile/", "device/cuda/", "fft/vkfft/"),
    ),
    (re.compile(r"\bcl[A-Z]"), ("opencl/", "cuda_cpu/", "device/opencl/", "fft/vkfft/")),
    (re.compile(r"Python\.h|nanobind"), ()),
]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<(treadle/[^>]+)>)', re.MULTILINE)
UMBRELLA = "include/treadle/treadle.hpp"
ELEMENTS = "kernels/elements/"


def room_of(path: str) -> str | None:
    """The room a file of include/ or src/ belongs to; None for the umbrella header and all else.
    The texts of kernels/elements/ are those of codegen, which carries them."""
    if path.startswith(ELEMENTS):
        return "codegen"
    match = re.match(r"(?:include/treadle|src)/(.+)", path)
    if not match or "/" not in match[1]:
        return None
    parts = match[1].split("/")
    if parts[0] == "cuda_cpu" and parts[1] in ("runtime", "compiler"):
        return "/".join(parts[:2])
    return parts[0]


def resolve(name: str, including: str, files: set[str]) -> str | None:
    """The file of this repository that an include means; None if it is of another project."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(including), name))
    candidates = [beside, *(f"{top}{name}" for top in ("include/", "src/", "tests/", BINDINGS))]
    return next((c for c in candidates if c in files), None)


def allowed(room: str, target_room: str, target: str, including: str) -> bool:
    if target_room == room:
        return True
    if any(including.startswith(f) and s == target_room for f, s in SHELL_OF_DEVICE.items()):
        return True
    for arrow in ARROWS[room]:
        to, _, pattern = arrow.partition(":")
        if to == target_room and (not pattern or re.search(pattern, target.rsplit("/", 1)[1])):
            return True
    return False


def user_may_include(path: str, target: str) -> bool:
    """Public headers, the user's own, and for the tests of a room what that room may include."""
    if target.startswith("include/") or target.split("/")[0] == path.split("/")[0]:
        return True
    if not path.startswith("tests/"):
        return False
    path = path.replace("tests/fuzz/", "tests/", 1)  # fuzz targets are tests of their room
    tested, target_room = room_of(path.replace("tests/", "src/", 1)), room_of(target)
    if target.startswith("src/" + path.split("/")[1] + "/"):
        return True
    if tested is None or tested not in ARROWS or target_room is None:
        return False
    return allowed(tested, target_room, target, path)


def check_binding(path: str, target: str) -> str | None:
    """Folders of the bindings: the two faces and the native API stand side by side."""
    folder, to = (name.removeprefix(BINDINGS).split("/") for name in (path, target))
    if len(folder) == 1 or len(to) == 1 or to[0] in {folder[0], *BINDING_ARROWS[folder[0]]}:
        return None
    return f"no arrow {folder[0]} -> {to[0]} in {BINDINGS}"


def check_include(path: str, target: str) -> str | None:
    if path.startswith(BINDINGS) and target.startswith(BINDINGS):
        return check_binding(path, target)
    if path.startswith(USERS):
        return None if user_may_include(path, target) else "may include public headers only"
    room, target_room = room_of(path), room_of(target)
    if room is None:
        return None
    if target == UMBRELLA:
        return "the umbrella header is for users"
    if not target.startswith(("include/", "src/", ELEMENTS)):
        return "product code includes product code only"
    if room not in ARROWS:
        return f"room {room} is not in tools/check_arrows.py"
    if target_room is None or not allowed(room, target_room, target, path):
        return f"no arrow {room} -> {target_room}"
    return None


def cycles(graph: dict[str, list[str]]) -> list[list[str]]:
    """Each include cycle among headers, once, by depth-first search."""
    found, state = [], dict.fromkeys(graph, 0)

    def visit(node: str, trail: list[str]) -> None:
        state[node] = 1
        for following in graph.get(node, []):
            if state.get(following) == 1:
                found.append([*trail[trail.index(following) :], following])
            elif state.get(following) == 0:
                visit(following, [*trail, following])
        state[node] = 2

    for node in graph:
        if state[node] == 0:
            visit(node, [node])
    return found


def check_vocabulary(path: str, text: str) -> list[str]:
    findings = []
    inside = path.removeprefix("include/treadle/").removeprefix("src/")
    for pattern, folders in VOCABULARY:
        if inside.startswith(folders or "\0"):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if pattern.search(line):
                findings.append(
                    f"{path}:{number}: {pattern.pattern} does not belong here: {line.strip()}"
                )
    return findings


def check(root: pathlib.Path) -> tuple[list[str], int]:
    suffixes = repo.CPP | repo.LISTS
    sources = [str(p) for p in repo.tracked(root) if p.suffix in suffixes]
    files, graph, findings = set(sources), {}, []
    for path in sources:
        text = repo.text_of(pathlib.PurePosixPath(path), root)
        names = [first or second for first, second in INCLUDE.findall(text)]
        targets = [t for name in names if (t := resolve(name, path, files))]
        graph[path] = targets
        for target in targets:
            if problem := check_include(path, target):
                findings.append(f"{path}: includes {target}: {problem}")
        if path.startswith(("src/", "include/")):
            findings += check_vocabulary(path, text)
    headers = {path: targets for path, targets in graph.items() if not path.endswith(".cpp")}
    findings += [f"include cycle: {' -> '.join(cycle)}" for cycle in cycles(headers)]
    return findings, len(sources)


def main() -> int:
    root = repo.root_named(sys.argv[1:])
    findings, count = check(root)
    return repo.report("check_arrows", findings, count)


if __name__ == "__main__":
    sys.exit(main())
