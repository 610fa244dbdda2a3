# SPDX-License-Identifier: MIT
"""Packages of others, from PyPI, on Treadle: `make packages`. Those that use PyOpenCL or PyCUDA run
on Treadle's faces, SciPy and scikit-learn with treadle.numpy as the namespace of their arrays.

    tools/run_packages.py                   all of them
    tools/run_packages.py loopy reikna      some
    tools/run_packages.py --peer loopy      on PyOpenCL itself, for what fails

Each is installed with what it needs into a folder of its own in .cache/packages, some GB in all,
and stays there. What runs are its own tests of OpenCL or CUDA, where it is installed with them, or
those of tests/packages. They run on the CPU device and on the first OpenCL device, each package for
a limited time, and a table says what came out.
"""

from __future__ import annotations

import argparse
import ctypes.util
import dataclasses
import importlib.metadata
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".cache" / "packages"
PROGRAMS = ROOT / "tests" / "packages"
INSTALLING_SECONDS = 900


@dataclasses.dataclass(frozen=True)
class Package:
    """One package, and what to run of it."""

    name: str  # on PyPI, unless there is a project
    project: str = ""  # on PyPI
    needs: tuple[str, ...] = ()  # beside itself, as pip takes it
    tests: tuple[str, ...] = ()  # for pytest; none: those of tests/packages
    seconds: int = 300
    building: tuple[tuple[str, str], ...] = ()  # the environment that its setup reads

    @property
    def folder(self) -> Path:
        return FOLDER / self.on_pypi

    @property
    def on_pypi(self) -> str:
        return self.project or self.name

    @property
    def arguments(self) -> tuple[str, ...]:
        module = self.name.lower().replace("-", "_")
        return self.tests or (str(PROGRAMS / f"{module}_test.py"),)


OLD_NUMPY = ("numpy<2",)
SCIPY_ROOMS = (  # with tests of array namespaces
    "cluster", "constants", "differentiate", "fft", "integrate", "interpolate", "linalg", "ndimage",
    "optimize", "signal", "spatial", "special", "stats",
)  # fmt: skip
PACKAGES = (
    Package("loopy"),
    Package("boxtree", needs=OLD_NUMPY),
    Package("reikna"),
    Package("kernel_tuner"),
    Package("katsdpsigproc"),
    Package("xobjects"),
    Package("dtcwt", needs=("numpy<1.24", "scipy<1.11")),
    Package("gputools", needs=OLD_NUMPY),
    # Its part of CUDA takes nvcc many minutes, and is not what runs here.
    Package("pyvkfft", building=(("VKFFT_BACKEND", "opencl"),)),
    Package("pynufft", needs=("reikna<0.10",)),
    Package("sasmodels", needs=OLD_NUMPY),
    # Its plugin of pytest is one of older ones.
    Package("nengo-ocl", needs=(*OLD_NUMPY, "pytest<8")),
    Package(
        "silx", needs=("scipy",), seconds=900,
        tests=("-p", "scipy_pictures", "--pyargs", "silx.opencl.test"),
    ),
    # PoCL takes minutes for the kernels of the two.
    Package(
        "pyFAI", tests=("--pyargs", "pyFAI.opencl.test", "-k", "not medfilt and not sigma"),
        seconds=900,
    ),
    Package("array-api-strict"),
    Package(
        "scipy", needs=("hypothesis",), seconds=3000,
        tests=(
            "-p", "scipy_on_treadle", "-m", "array_api_backends", "--pyargs",
            *(f"scipy.{one}" for one in SCIPY_ROOMS),
        ),
    ),
    Package("scipy_sparse", project="scipy", needs=("hypothesis",), seconds=900),
    Package("scipy_solvers", project="scipy", needs=("hypothesis",), seconds=600),
    Package(
        "scikit-learn", seconds=3000,
        tests=("-p", "sklearn_on_treadle", "-k", "array_api or treadle", "--pyargs", "sklearn"),
    ),
)  # fmt: skip


@dataclasses.dataclass
class Result:
    """A row of the table."""

    package: str
    version: str = ""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0
    note: str = ""

    @property
    def is_good(self) -> bool:
        return self.passed > 0 and not self.failed and not self.note


def linking_opencl() -> dict[str, str]:
    """The environment in which linkers find the OpenCL loader: -lOpenCL looks for a name that only
    the packages for developers install. A script of the linker of that name sends it on."""
    loader = ctypes.util.find_library("OpenCL")
    if loader is None:
        return {}
    folder = FOLDER / "lib"
    folder.mkdir(exist_ok=True)
    (folder / "libOpenCL.so").write_text(f"INPUT(-l:{loader})\n")
    known = os.environ.get("LIBRARY_PATH")
    return {"LIBRARY_PATH": os.pathsep.join((str(folder), known) if known else (str(folder),))}


def installed(package: Package) -> bool:
    """Whether it is in its folder; installs it if it is not."""
    stamp = package.folder / ".installed"
    wanted = " ".join((package.on_pypi, *package.needs))
    if stamp.exists() and stamp.read_text() == wanted:
        return True
    shutil.rmtree(package.folder, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    command += ["--no-compile", "--target", str(package.folder), package.on_pypi, *package.needs]
    try:
        environment = {**os.environ, **linking_opencl(), **dict(package.building)}
        subprocess.run(command, check=True, timeout=INSTALLING_SECONDS, env=environment)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False
    stamp.write_text(wanted)
    return True


def version_of(package: Package) -> str:
    wanted = package.on_pypi.lower().replace("_", "-")
    for one in importlib.metadata.distributions(path=[str(package.folder)]):
        if (one.name or "").lower().replace("_", "-") == wanted:
            return one.version
    return "?"


def read_report(report: Path, result: Result) -> None:
    suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
    counts = {} if suite is None else suite.attrib
    result.failed = int(counts.get("failures", 0)) + int(counts.get("errors", 0))
    result.skipped = int(counts.get("skipped", 0))
    result.passed = int(counts.get("tests", 0)) - result.failed - result.skipped


def run(package: Package, is_peer: bool, show: bool) -> Result:
    """Runs its tests in a process of its own."""
    result = Result(package.name)
    if not installed(package):
        result.note = "not installed"
        return result
    result.version = version_of(package)
    report, log = (FOLDER / f"{package.name}{end}" for end in (".xml", ".log"))
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
    command += [f"--junitxml={report}", f"--rootdir={PROGRAMS}", "-c", os.devnull]
    command += ["-W", "ignore::DeprecationWarning"]
    if not is_peer:
        command += ["-p", "treadle.compat"]
    folders = (str(package.folder), str(PROGRAMS), os.environ.get("PYTHONPATH"))
    begin = time.monotonic()
    with log.open("w") as output:
        try:
            code = subprocess.run(
                [*command, *package.arguments],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, folders)),
                    "TREADLE_DEVICE": "cpu",
                },
                cwd=FOLDER,
                timeout=package.seconds,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            code, result.note = 1, f"not done after {package.seconds} s"
    result.seconds = time.monotonic() - begin
    if report.exists():
        read_report(report, result)
    elif not result.note:
        result.note = f"ended with {code}"
    if show or not result.is_good:
        print(log.read_text()[-4000:] if show else f"{package.name}: {log}")
    return result


def table(results: list[Result]) -> str:
    lines = ["| package | version | passed | failed | skipped | seconds | |", "|" + "---|" * 7]
    lines += [
        f"| {r.package} | {r.version} | {r.passed} | {r.failed} | {r.skipped} | {r.seconds:.0f} "
        f"| {r.note} |"
        for r in results
    ]
    return "\n".join(lines)


def main() -> int:
    known = {package.name: package for package in PACKAGES}
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="package", help=", ".join(known))
    parser.add_argument("--peer", action="store_true", help="on PyOpenCL itself")
    parser.add_argument("--show", action="store_true", help="shows what the tests print")
    given = parser.parse_args()
    unknown = [name for name in given.packages if name not in known]
    if unknown:
        parser.error(f"no such package: {', '.join(unknown)}; there are {', '.join(known)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    results = []
    for name in given.packages or known:
        results.append(run(known[name], given.peer, given.show))
        print(table(results[-1:]).splitlines()[-1], flush=True)
    print("\n" + table(results))
    return 0 if all(result.is_good for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
