# SPDX-License-Identifier: MIT
"""The wheel, made from the build folder, installed where there is nothing else, runs a kernel."""

import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

pytestmark = pytest.mark.packaging

# Libraries every Linux of the last years has; all else is inside the wheel, statically.
ON_EVERY_SYSTEM = re.compile(
    r"linux-vdso|/ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z|zstd)\.so"
)

PROGRAM = """
import numpy as np
import treadle.compat
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

kernel = SourceModule("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }")
a = np.arange(4, dtype=np.float32)
kernel.get_function("twice")(cuda.InOut(a), block=(4, 1, 1))
print(a.tolist())
"""

ENTRY_POINT = """
import importlib.metadata
import sys

(script,) = importlib.metadata.entry_points(group="console_scripts", name="treadle")
sys.argv = ["treadle", "info"]
sys.exit(script.load()())
"""


@pytest.fixture(scope="session")
def wheel(source, build, tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    # The same compiler output as the build folder's: nothing is compiled again.
    command += [f"--config-settings=build-dir={build}", "-w", folder, source]
    subprocess.run(list(map(str, command)), check=True)
    return next(folder.glob("treadle-*.whl"))


def names(wheel) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_wheel_holds_the_package_its_libraries_and_the_licence(wheel):
    held = names(wheel)
    assert "treadle/__init__.py" in held
    assert any(re.fullmatch(r"treadle/_core\..*\.so", name) for name in held)
    assert "treadle/lib/libtreadle_cpu.so" in held
    assert "treadle/lib/libtreadle_clang.so" in held
    stubs = {"_core/opencl.pyi", "_core/driver.pyi", "pyopencl/_cl.pyi", "pyopencl/_constants.pyi"}
    marks = {"py.typed", "pyopencl/py.typed", "pycuda/py.typed"}
    assert {f"treadle/{name}" for name in stubs | marks} <= set(held)
    assert any(name.endswith("licenses/LICENSE") for name in held)
    assert not [name for name in held if "__pycache__" in name or name.endswith((".a", ".hpp"))]


def test_wheel_needs_no_library_that_a_system_may_lack(wheel, tmp_path, run):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    for library in tmp_path.rglob("*.so"):
        foreign = [
            line.strip()
            for line in run("ldd", library).splitlines()
            if not ON_EVERY_SYSTEM.search(line)
        ]
        assert not foreign, f"{library.name}: {foreign}"
        assert ".debug_info" not in run("readelf", "-S", library), f"{library.name} is not stripped"


def test_wheel_runs_a_kernel_from_an_empty_folder(wheel, tmp_path, run, clean_environment):
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip()
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, wheel)
    numpy = run(sys.executable, "-c", "import numpy; print(numpy.__path__[0])").strip()
    for entry in pathlib.Path(numpy).parent.glob("numpy*"):
        (pathlib.Path(site) / entry.name).symlink_to(entry)
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {**clean_environment, "TREADLE_DEVICE": "cpu"}
    out = run(python, "-c", PROGRAM, cwd=empty, env=environment)
    # The script that pip installs, by its entry point: pip made it for another Python than this.
    assert "Devices\n* cpu " in run(python, "-c", ENTRY_POINT, cwd=empty, env=environment)
    assert out.strip().splitlines()[-1] == "[0.0, 2.0, 4.0, 6.0]"
    assert not list(empty.iterdir())


def test_extras_bring_the_compiler_for_nvidia_gpus(wheel):
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(next(n for n in archive.namelist() if n.endswith("/METADATA")))
    wanted = re.findall(r"^Requires-Dist: ([\w-]+)\S*; extra == .(\w+).$", metadata.decode(), re.M)
    # The compiler, and the headers that it needs to take what the CPU device takes.
    packages = {
        "cuda": ("nvidia-cuda-cccl", "nvidia-cuda-crt", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime"),
        "linalg": ("nvidia-cublas", "nvidia-cusolver", "scipy-openblas64"),
        "tune": ("scikit-learn",),
        "cuda12": tuple(
            f"nvidia-cuda-{part}-cu12" for part in ("cccl", "nvcc", "nvrtc", "runtime")
        ),
    }
    pairs = sorted((name, extra) for extra, names in packages.items() for name in names)
    assert sorted(wanted) == pairs


def test_version_is_the_same_everywhere(wheel, source):
    declared = re.search(
        r"project\(treadle VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text()
    )
    assert wheel.name.split("-")[1] == declared[1]
    import treadle

    assert treadle.__version__ == declared[1]
