#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs .gpu-bundle/: what a machine with a GPU but no network needs in addition to this tree.

    wheels/mako-*.whl                packages that the machine lacks
    peers/*.whl                      what the benchmarks compare with
    gl/*.deb                         loaders of OpenGL, EGL and Vulkan, for tests without a window
    built.tar.xz                     programs/tests/*, examples/*, benchmarks/*: stripped, with
                                     GoogleTest inside; wheels/treadle-*-cp312-*.whl: the package,
                                     with the libraries that the C++ programs use too
    revision.txt                     the commit it was made from

tools/gpu_run.py runs it there. What is copied, the tree and this folder, is limited to LIMIT_MB:
programs that have much in common, and the package, are compressed as one, better than a wheel is.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUNDLE, BUILD, VENV = ROOT / ".gpu-bundle", ROOT / "build-gpu", ROOT / ".venv-gpu"
PEERS, GL = ROOT / ".cache/gpu-peers", ROOT / ".cache/gpu-gl"
PYTHON = "3.12"
LIMIT_MB = 64 * 2**20 / 1e6

# Packages that the machine's Python lacks. PyPI has no wheel of PyCUDA; building it needs a CUDA
# toolkit.
DOWNLOADED = (
    "mako==1.4.3",
    "platformdirs==4.14.5",
    "pyopencl==2026.1.4",
    "pytools==2026.1.1",
    "siphash24==1.9",
)
BUILT = "pycuda==2026.1"
NO_MORE = ("--no-deps", "--only-binary=:all:")
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64",
             "manylinux2014_x86_64", "manylinux1_x86_64", "any")  # fmt: skip


# NVIDIA's libraries are on the machine; these find them.
GL_PACKAGES = ("libegl1", "libglvnd0", "libopengl0", "libgl1", "libglx0", "libgles2", "libvulkan1")


def run(*command: object, **options) -> None:
    words = [str(word) for word in command]
    print("$ " + " ".join(words).replace(f"{ROOT}/", ""), flush=True)
    subprocess.run(words, check=True, **options)


def find_python() -> str:
    """An interpreter of the same version as on the machine with the GPU."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    installed = sorted(pyenv.glob(f"versions/{PYTHON}.*/bin/python{PYTHON}"))
    for candidate in [*map(str, installed), f"python{PYTHON}"]:
        if path := shutil.which(candidate):
            return path
    raise SystemExit(f"gpu-bundle: no Python {PYTHON} found (pyenv install {PYTHON})")


def environment() -> pathlib.Path:
    """A Python of that version with the packages that build the wheel."""
    python = VENV / "bin/python"
    if not (VENV / ".ready").exists():
        run(find_python(), "-m", "venv", "--clear", VENV)
        requirements = ("-r", ROOT / "tools/requirements-build.txt", "setuptools", "wheel")
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements)
        (VENV / ".ready").touch()
    return python


def build_wheel(python: pathlib.Path, folder: pathlib.Path) -> None:
    """One build makes the wheel and the programs."""
    settings = {
        "build-dir": BUILD,
        "cmake.define.TREADLE_BUILD_TESTS": "ON",
        "cmake.define.TREADLE_BUILD_BENCHMARKS": "ON",
        "cmake.define.TREADLE_CHECK_HEADERS": "OFF",
        "cmake.define.TREADLE_UNITY": "ON",
    }
    words = [f"--config-settings={key}={value}" for key, value in settings.items()]
    run(
        python,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        *words,
        "-w",
        folder,
        ROOT,
    )


def fetch_peers(python: pathlib.Path) -> None:
    """Kept between bundles, because building PyCUDA takes two minutes."""
    PEERS.mkdir(parents=True, exist_ok=True)
    here = {path.name.split("-")[0].lower() for path in PEERS.glob("*.whl")}
    platforms = [f"--platform={name}" for name in PLATFORMS]
    for peer in DOWNLOADED:
        if peer.split("==")[0] not in here:
            target = (f"--python-version={PYTHON}", "--implementation=cp", *platforms)
            run(python, "-m", "pip", "download", "-q", *NO_MORE, *target, "-d", PEERS, peer)
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if BUILT.split("==")[0] in here:
        return
    if not nvcc:
        print(f"gpu-bundle: no nvcc here, so {BUILT} is left out")
        return
    path = f"{VENV / 'bin'}:{pathlib.Path(nvcc).parent}:{os.environ['PATH']}"
    command = (python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation")
    run(*command, "--no-binary=pycuda", BUILT, "-w", PEERS, env={**os.environ, "PATH": path})


def fetch_gl() -> None:
    """Debian's packages for the machine, whatever is installed here; lists of apt's own folder may
    be old, so that their packages are gone."""
    if all(any(GL.glob(f"{package}_*.deb")) for package in GL_PACKAGES):
        return
    if not shutil.which("apt-get"):
        print("gpu-bundle: no apt-get here, so tests with OpenGL will be skipped")
        return
    lists = GL / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    names = ("APT::Architecture=amd64", "APT::Architectures=amd64", f"Dir::State::Lists={lists}")
    options = [f"-o{name}" for name in names]
    run("apt-get", "-qq", *options, "update")
    run("apt-get", "-qq", *options, "download", *GL_PACKAGES, cwd=GL)


def programs() -> list[tuple[pathlib.Path, str]]:
    """(program, path in the archive)"""
    found = []
    for group, folder in (
        ("tests", "tests/bin"),
        ("examples", "examples/cpp"),
        ("benchmarks", "benchmarks"),
    ):
        for path in sorted((BUILD / folder).glob("*")):
            if path.is_file() and os.access(path, os.X_OK):
                found.append((path, f"{group}/{path.name}"))
    return found


def pack(wheel: pathlib.Path, archive: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory() as scratch, tarfile.open(archive, "w:xz", preset=9) as tar:
        for path, name in programs():
            stripped = pathlib.Path(scratch, path.name)
            subprocess.run(["strip", "-o", stripped, path], check=True)
            tar.add(stripped, f"programs/{name}")
        tar.add(uncompressed(wheel, pathlib.Path(scratch)), f"wheels/{wheel.name}")


def uncompressed(wheel: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    copy = folder / wheel.name
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(copy, "w") as stored:
        for item in source.infolist():
            stored.writestr(item, source.read(item), zipfile.ZIP_STORED)
    return copy


def revision() -> str:
    return subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True,
                          capture_output=True, check=False).stdout.strip()  # fmt: skip


def size_mb(folder: pathlib.Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def tree_mb() -> float:
    """Of the files that git tracks, and of shared/ beside them."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, text=True, capture_output=True,
                           check=True).stdout.split("\0")  # fmt: skip
    tracked = sum((ROOT / name).stat().st_size for name in names if name) / 1e6
    return tracked + size_mb(ROOT.parent / "shared")


def main() -> int:
    python = environment()
    shutil.rmtree(BUNDLE, ignore_errors=True)
    wheels, peers = BUNDLE / "wheels", BUNDLE / "peers"
    for folder in (wheels, peers):
        folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        build_wheel(python, pathlib.Path(scratch))
        pack(next(pathlib.Path(scratch).glob("*.whl")), BUNDLE / "built.tar.xz")
    fetch_peers(python)
    for wheel in PEERS.glob("*.whl"):
        shutil.copy2(wheel, wheels if wheel.name.startswith("mako") else peers)
    fetch_gl()
    (BUNDLE / "gl").mkdir()
    for package in GL.glob("*.deb"):
        shutil.copy2(package, BUNDLE / "gl")
    (BUNDLE / "revision.txt").write_text(f"{revision()}\n")
    for path in sorted(path for path in BUNDLE.rglob("*") if path.is_file()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.relative_to(ROOT)}")
    tree = tree_mb()
    total = size_mb(BUNDLE) + tree
    print(f"{tree:8.2f} MB  the tree\n{total:8.2f} MB  in all, of {LIMIT_MB:.2f} MB")
    return 0 if total <= LIMIT_MB else 1


if __name__ == "__main__":
    sys.exit(main())
