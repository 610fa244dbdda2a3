#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs .gpu-bundle/: what a machine with a GPU but no network needs in addition to this tree.

gpu_bundle.py [test|bench] [linked]: for make gpu-test and gpu-sanitize (default), or for gpu-bench
and gpu-arrays; with programs that are linked here, some MB more, where that machine has no c++.

    wheels/mako-*.whl         packages that the machine lacks
    package.tar.xz            the package, with the libraries that the C++ programs use too; without
                              the precompiled preludes, which the machine writes by a program that
                              lies there, too (tools/gpu_package.py)
    programs.tar.xz           link/: what tests and examples, or benchmarks, are linked from there,
                              with GoogleTest; libraries that they open (tools/gpu_programs.py)
    gl/*.deb                  loaders of OpenGL, EGL and Vulkan, for tests without a window
    peers/*.whl               what the benchmarks compare with
    revision.txt              the commit it was made from

tools/gpu_run.py runs it there. What is copied at a time, the tree and files of this folder, is
limited to LIMIT_MB, and shall be less than AIM_MB: programs.tar.xz is not needed for half=1, for
lines, nor for most random tests, and what an earlier call brought is there as long as the machine
is held.
"""

from __future__ import annotations

import concurrent.futures
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import gpu_package
import gpu_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUNDLE, BUILD, VENV = ROOT / ".gpu-bundle", ROOT / "build-gpu", ROOT / ".venv-gpu"
PEERS, GL = ROOT / ".cache/gpu-peers", ROOT / ".cache/gpu-gl"
PYTHON = "3.12"
LIMIT_MB, AIM_MB = 64 * 2**20 / 1e6, 45.0
PROGRAMS_ARCHIVE = "programs.tar.xz"
GROUPS = {"test": ("tests", "examples"), "bench": ("benchmarks",)}
# Objects, and more so programs, are like each other: one dictionary for them all.
SIMILAR = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 2**27}]

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


def fetch_peers(python: pathlib.Path, purpose: str) -> None:
    """Kept between bundles: building PyCUDA takes two minutes. Tests need the first only."""
    PEERS.mkdir(parents=True, exist_ok=True)
    download_peers(python, DOWNLOADED if purpose == "bench" else DOWNLOADED[:1])
    if purpose == "bench":
        build_peer(python)
    for wheel in PEERS.glob("*.whl"):
        if wheel.name.startswith("mako"):
            shutil.copy2(wheel, BUNDLE / "wheels")
        elif purpose == "bench":
            shutil.copy2(wheel, BUNDLE / "peers")


def download_peers(python: pathlib.Path, peers: tuple[str, ...]) -> None:
    here = {path.name.split("-")[0].lower() for path in PEERS.glob("*.whl")}
    platforms = [f"--platform={name}" for name in PLATFORMS]
    for peer in peers:
        if peer.split("==")[0] not in here:
            target = (f"--python-version={PYTHON}", "--implementation=cp", *platforms)
            run(python, "-m", "pip", "download", "-q", *NO_MORE, *target, "-d", PEERS, peer)


def build_peer(python: pathlib.Path) -> None:
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if any(PEERS.glob(f"{BUILT.split('==')[0]}-*.whl")):
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


def pack(wheel: pathlib.Path, purpose: str, linked: bool = False) -> None:
    """Both archives, at the same time: each is compressed by one thread."""
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        programs, package = pathlib.Path(scratch, "programs"), pathlib.Path(scratch, "package")
        gpu_programs.pack(BUILD, programs, GROUPS[purpose], linked)
        gpu_programs.strip(BUILD / gpu_programs.PRELUDE_WRITER, package / "write_preludes")
        archive = BUNDLE / "package.tar.xz"
        jobs = [pool.submit(gpu_package.pack, wheel, package, archive),
                pool.submit(compress, programs, BUNDLE / PROGRAMS_ARCHIVE)]  # fmt: skip
        for job in jobs:
            job.result()


def compress(folder: pathlib.Path, archive: pathlib.Path) -> None:
    with (
        lzma.open(archive, "wb", filters=SIMILAR) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        tar.add(folder, "")


def revision() -> str:
    return subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True,
                          capture_output=True, check=False).stdout.strip()  # fmt: skip


def size_mb(folder: pathlib.Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def tree_mb() -> float:
    """Of the files that git tracks, and of a folder shared/ among them."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, text=True, capture_output=True,
                           check=True).stdout.split("\0")  # fmt: skip
    tracked = sum((ROOT / name).stat().st_size for name in names if name) / 1e6
    return tracked + size_mb(ROOT / "shared")


def print_sizes() -> bool:
    """Whether what travels at a time is within LIMIT_MB; says what is beyond AIM_MB."""
    for path in sorted(path for path in BUNDLE.rglob("*") if path.is_file()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.relative_to(ROOT)}")
    tree, whole = tree_mb(), size_mb(BUNDLE)
    programs = (BUNDLE / PROGRAMS_ARCHIVE).stat().st_size / 1e6
    calls = {
        f"without {PROGRAMS_ARCHIVE}: half=1, lines, random": tree + whole - programs,
        f"with {PROGRAMS_ARCHIVE} alone: half=2 on a machine that is held": tree + programs,
        "with all of .gpu-bundle at once": tree + whole,
    }
    print(f"{tree:8.2f} MB  the tree")
    for words, size in calls.items():
        beyond = f", beyond {AIM_MB:.0f} MB" if size > AIM_MB else ""
        print(f"{size:8.2f} MB  the tree {words}{beyond}")
    if max(calls.values()) > LIMIT_MB:
        print(f"gpu-bundle: more than {LIMIT_MB:.2f} MB do not travel at once")
    return list(calls.values())[0] <= LIMIT_MB


def main() -> int:
    words = set(sys.argv[1:])
    if unknown := words - {*GROUPS, "linked"}:
        raise SystemExit(f"gpu-bundle: {', '.join(unknown)}; there are {', '.join(GROUPS)}, linked")
    purpose = "bench" if "bench" in words else "test"
    python = environment()
    shutil.rmtree(BUNDLE, ignore_errors=True)
    for name in ("wheels", "peers", "gl"):
        (BUNDLE / name).mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        build_wheel(python, pathlib.Path(scratch))
        pack(next(pathlib.Path(scratch).glob("*.whl")), purpose, "linked" in words)
    fetch_peers(python, purpose)
    if purpose == "test":
        fetch_gl()
        for package in GL.glob("*.deb"):
            shutil.copy2(package, BUNDLE / "gl")
    (BUNDLE / "revision.txt").write_text(f"{revision()}\n")
    return 0 if print_sizes() else 1


if __name__ == "__main__":
    sys.exit(main())
