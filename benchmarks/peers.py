# SPDX-License-Identifier: MIT
"""Peers that must be installed before they are measured; each may be absent, with a reason."""

import pathlib
import shutil
import subprocess
import sys

from measure import Unavailable

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"


# Mako: PyOpenCL's reductions need it.
PYTHON_PEERS = ("mako", "numexpr", "numpy", "pyopencl")


def python_of_peers():
    """A Python with PyOpenCL and numexpr, in a virtual environment of its own that is made once."""
    folder = CACHE / "bench-peers"
    python = folder / "bin/python"
    if not (folder / ".ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        run([sys.executable, "-m", "venv", folder], "making an environment for peers")
        run([python, "-m", "pip", "install", "-q", *PYTHON_PEERS], "installing PyOpenCL, numexpr")
        (folder / ".ready").touch()
    return python


def prototype_folder():
    """A built copy of ../shared/prototypes/cuda-cpu; the original is not touched."""
    original = ROOT.parent / "shared/prototypes/cuda-cpu"
    folder = CACHE / "bench-prototype"
    if (folder / "libnatjit19.so").exists():
        return folder
    if not original.exists():
        raise Unavailable("shared/prototypes is not beside this checkout")
    if shutil.which("clang++-19") is None or shutil.which("llvm-config-19") is None:
        raise Unavailable("clang-19 and llvm-19-dev are not installed")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original, folder)
    run(["sh", "build_nj.sh", "19"], "building the prototype", folder)
    build_front_end(folder)
    return folder


def build_front_end(folder):
    """inproc19: clang in process. Without it, only compilation in a child process is measured."""
    options = "clang++-19 -std=c++17 -O2 -fno-rtti inproc19.cpp -o inproc19 "
    options += "$(llvm-config-19 --cppflags --ldflags) -l:libclang-cpp.so.19.1 -lLLVM-19"
    try:
        (folder / "t").mkdir(exist_ok=True)
        run(["sh", "-c", options], "building the prototype's front end", folder)
    except Unavailable as reason:
        print(f"  {reason}")


def run(command, what, folder=None):
    """Runs a step of the installation. If it fails, the peer is unavailable; that is no error."""
    print(f"  {what} ...", flush=True)
    command = [str(part) for part in command]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode:
        told = (result.stderr or result.stdout).strip().splitlines() or ["no output"]
        raise Unavailable(f"{what} failed: {told[-1]}")
