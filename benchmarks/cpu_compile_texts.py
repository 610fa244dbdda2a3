# SPDX-License-Identifier: MIT
"""Processor time of compiling the texts of kernels/compile for the CPU device, beside nvcc's.

usage: cpu_compile_texts.py [LIBRARY] [TEXT ...]     (default: build/lib/libtreadle_clang.so, all)

Each compile is a process of its own, its threads and children included; the best of three counts,
so that other work on the machine matters little. "all kernels" has those of texts with many
compiled, too, which are otherwise compiled when a program asks for them. Without nvcc its column
stays empty.
"""

import ctypes
import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TEXTS = ROOT / "benchmarks" / "kernels" / "compile"
REPEATS = 3


def seconds_of(work):
    """Processor time of `work` in a process of its own; NaN if it fails."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(work())
        finally:
            os._exit(1)
    _, status, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime if status == 0 else float("nan")


def treadle(library, text, *options):
    nvrtc, program = ctypes.CDLL(str(library)), ctypes.c_void_p()
    arguments = [option.encode() for option in options]
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), text.read_bytes(), text.name.encode(), 0, None, None
    )
    array = (ctypes.c_char_p * len(arguments))(*arguments)
    return nvrtc.nvrtcCompileProgram(program, len(arguments), array)


def nvcc(text):
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    command = [NVCC, "-arch=sm_90", "-cubin", "-o", os.devnull, str(text)]
    return os.spawnv(os.P_WAIT, NVCC, command) if pathlib.Path(NVCC).exists() else 1


NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def main():
    library = pathlib.Path(
        sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/lib/libtreadle_clang.so"
    )
    chosen = sys.argv[2:] or sorted(path.stem for path in TEXTS.glob("*.cu"))
    print("| text | Treadle | all kernels | nvcc | Treadle / nvcc |\n|---|---|---|---|---|")
    for name in chosen:
        text = TEXTS / f"{name}.cu"
        works = (
            lambda text=text: treadle(library, text),
            lambda text=text: treadle(library, text, "--treadle-disable=kernels-on-demand"),
            lambda text=text: nvcc(text),
        )
        ours, every, theirs = (min(seconds_of(work) for _ in range(REPEATS)) for work in works)
        print(
            f"| {name} | {ours:.2f} s | {every:.2f} s | {theirs:.2f} s | {ours / theirs:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
