#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs .gpu-bundle/: what a machine with a GPU but no network needs in addition to this tree.

gpu_bundle.py [test|bench] [linked]: for make gpu-test and gpu-sanitize (default), or for gpu-bench
and gpu-arrays; with programs that are linked here, some MB more, where that machine has no c++.

    wheels/mako-*.whl         packages that the machine lacks
    package.tar.xz            wheels/treadle-*-cp312-*.whl: the package, with the libraries that the
                              C++ programs use too; without the precompiled preludes, which the
                              machine writes
    programs.tar.xz           link/: what tests and examples, or benchmarks, are linked from there,
                              with GoogleTest; libraries that they open (tools/gpu_programs.py)
    gl/*.deb                  loaders of OpenGL, EGL and Vulkan, for tests without a window
    peers/*.whl               what the benchmarks compare with
    revision.txt              the commit it was made from

tools/gpu_run.py runs it there. What is copied, the tree and this folder, is limited to LIMIT_MB.
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
import zipfile

import gpu_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUNDLE, BUILD, VENV = ROOT / ".gpu-bundle", ROOT / "build-gpu", ROOT / ".venv-gpu"
PEERS, GL = ROOT / ".cache/gpu-peers", ROOT / ".cache/gpu-gl"
PYTHON = "3.12"
LIMIT_MB = 64 * 2**20 / 1e6
GROUPS = {"test": ("tests", "examples"), "bench": ("benchmarks",)}
# Objects, and more so programs, are like each other: one dictionary for them all.
SIMILAR = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 2**27}]
PROCESSOR_CODE = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9}]

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
        programs, wheels = pathlib.Path(scratch, "programs"), pathlib.Path(scratch, "wheels")
        wheels.mkdir()
        gpu_programs.pack(BUILD, programs, GROUPS[purpose], linked)
        uncompressed(wheel, wheels)
        list(pool.map(compress, (
            (programs, "", BUNDLE / "programs.tar.xz", SIMILAR),
            (wheels, "wheels", BUNDLE / "package.tar.xz", PROCESSOR_CODE),
        )))  # fmt: skip


def compress(job: tuple[pathlib.Path, str, pathlib.Path, list[dict[str, int]]]) -> None:
    folder, name, archive, filters = job
    with (
        lzma.open(archive, "wb", filters=filters) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        tar.add(folder, name)


def uncompressed(wheel: pathlib.Path, folder: pathlib.Path) -> None:
    """A copy that compresses better, without the precompiled preludes."""
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(folder / wheel.name, "w") as stored:
        for item in source.infolist():
            data = source.read(item)
            if item.filename.endswith(".dist-info/RECORD"):
                data = b"".join(line for line in data.splitlines(True) if b".pch," not in line)
            if not item.filename.endswith(".pch"):
                stored.writestr(item, data, zipfile.ZIP_STORED)


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
    for path in sorted(path for path in BUNDLE.rglob("*") if path.is_file()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.relative_to(ROOT)}")
    tree = tree_mb()
    total = size_mb(BUNDLE) + tree
    print(f"{tree:8.2f} MB  the tree\n{total:8.2f} MB  in all, of {LIMIT_MB:.2f} MB")
    return 0 if total <= LIMIT_MB else 1


if __name__ == "__main__":
    sys.exit(main())
