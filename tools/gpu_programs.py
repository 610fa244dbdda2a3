# SPDX-License-Identifier: MIT
"""The C++ programs of .gpu-bundle/. Linked, each with the rooms' libraries inside, they would be
most of it. So their objects travel, and each library once, which the machine with the GPU links:
objects compress three times better than programs, too, because their calls have no addresses yet.

    link/commands.json      {program, as group/name: words of the command that links it}
    link/...                objects and libraries, by the paths in those words
    programs/...            libraries that programs open; all programs, if they are linked here
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess

# (group, its folder in a build)
GROUPS = (("tests", "tests/bin"), ("examples", "examples/cpp"), ("benchmarks", "benchmarks"))
# `make test` runs these on any machine, and they use no device.
DEVICE_FREE = (
    "cuda_cpu_nvrtc_api_test",
    "cuda_cpu_runtime_test",
    "treadle_base_test",
    "treadle_process_test",
    "treadle_codegen_test",
    "treadle_fuzz_test",
    "libtreadle_fake_profiler.so",
)
# A program for tools/gpu_bundle.py, which packs it with the package.
PRELUDE_WRITER = "src/cuda_cpu/compiler/treadle_write_preludes"


def programs(build: pathlib.Path, groups: tuple[str, ...]) -> list[tuple[pathlib.Path, str]]:
    """(program or library that one opens, group/name)"""
    found = []
    for group, folder in GROUPS:
        for path in sorted((build / folder).glob("*")):
            if group in groups and path.is_file() and os.access(path, os.X_OK):
                found.append((path, f"{group}/{path.name}"))
    return [(path, name) for path, name in found if path.name not in DEVICE_FREE]


def link_command(build: pathlib.Path, program: pathlib.Path) -> list[str]:
    """How the build linked a program; paths are from the build folder."""
    target = str(program.relative_to(build))
    command = ["ninja", "-C", str(build), "-t", "commands", "-s", target]
    done = subprocess.run(command, text=True, capture_output=True, check=True)
    line = done.stdout.strip().splitlines()[-1]
    return shlex.split(line.split("&&")[1])


def pack(
    build: pathlib.Path, folder: pathlib.Path, groups: tuple[str, ...], linked: bool = False
) -> None:
    """Puts programs/ and link/ of some groups into a folder. linked: for a machine without c++."""
    commands: dict[str, list[str]] = {}
    link = folder / "link"
    for path, name in programs(build, groups):
        if linked or name.endswith(".so"):
            strip(path, folder / "programs" / name)
        else:
            commands[name] = travelling(link_command(build, path), build, link)
    link.mkdir(parents=True, exist_ok=True)
    (link / "commands.json").write_text(json.dumps(commands, indent=0) + "\n")


def travelling(words: list[str], build: pathlib.Path, link: pathlib.Path) -> list[str]:
    """A command with its objects and libraries copied into the folder `link`."""
    result = ["c++"]
    for previous, word in zip(words, words[1:], strict=False):
        names_a_file = previous != "-o" and not word.startswith("-")
        is_input = names_a_file and word.endswith((".o", ".a"))
        if is_input:
            copy = link / word.lstrip("/")
            if not copy.exists():
                strip(build / word, copy, "--strip-unneeded")
        result.append(word.lstrip("/") if is_input else word)
    return result


def strip(path: pathlib.Path, copy: pathlib.Path, how: str = "--strip-all") -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["strip", how, "-o", copy, path], check=True)


def link_all(folder: pathlib.Path) -> str:
    """Links what `pack` left to this machine into programs/; returns what went wrong, or ""."""
    link = folder / "link"
    commands = json.loads((link / "commands.json").read_text())
    if commands and not shutil.which("c++"):
        return f"no c++ here, so {len(commands)} programs are not linked"

    def run(item: tuple[str, list[str]]) -> str:
        name, words = item
        output = folder / "programs" / name
        output.parent.mkdir(parents=True, exist_ok=True)
        words = [*words]
        words[words.index("-o") + 1] = str(output)
        done = subprocess.run(
            words, cwd=link, text=True, errors="replace", check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return f"{name}: {done.stdout}" if done.returncode else ""

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return "\n".join(filter(None, pool.map(run, commands.items())))
