# SPDX-License-Identifier: MIT
"""tools/gpu_run.py: what its programs are started with, and what is put into the machine."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import gpu_bundle
import gpu_run


def test_multicast_is_tested_on_request_only(monkeypatch):
    program = pathlib.Path("programs/tests/treadle_cuda_test")
    monkeypatch.delenv("TREADLE_TEST_MULTICAST", raising=False)
    assert "--gtest_filter=-*Multicast*" in gpu_run.program_command(program)
    assert gpu_run.program_command(pathlib.Path("programs/examples/a")) == [
        pathlib.Path("programs/examples/a")
    ]
    monkeypatch.setenv("TREADLE_TEST_MULTICAST", "1")
    assert gpu_run.program_command(program) == [program, "--gtest_color=no"]


def test_sanitizers_leave_out_what_they_cannot_run(monkeypatch, tmp_path):
    (tmp_path / "tests").mkdir()
    program = tmp_path / "tests/treadle_array_test"
    program.touch()
    monkeypatch.setattr(gpu_run, "PROGRAMS", tmp_path)
    monkeypatch.delenv("TREADLE_TEST_MULTICAST", raising=False)
    (command,) = gpu_run.sanitized_commands("racecheck", ("tests/treadle_array_test", "*/cuda_*"))
    chosen, _, excluded = command[-1].partition("-*")
    assert command[:2] == [program, "--gtest_color=no"]
    assert chosen == "--gtest_filter=*/cuda_*"
    assert {"Multicast*", "*Threads*", "*EventsAreRecordedByTheLaunch*"} <= set(excluded.split(":"))
    (command,) = gpu_run.sanitized_commands("memcheck", ("tests/treadle_array_test",))
    _, _, excluded = command[-1].partition("=-")
    assert set(excluded.split(":")) == {"*Multicast*", *gpu_run.NOT_SANITIZED}
    assert gpu_run.sanitized_commands("memcheck", ("python", "a.py")) == [[sys.executable, "a.py"]]
    (tmp_path / "examples").mkdir()
    for name in ("example_peers", "example_arrays"):
        (tmp_path / "examples" / name).touch()
    for tool, count in (("initcheck", 1), ("memcheck", 2)):
        assert len(gpu_run.sanitized_commands(tool, ("examples/example_*",))) == count


@pytest.mark.parametrize("exists", [False, True])
def test_egl_is_told_where_nvidias_is(monkeypatch, tmp_path, exists):
    vendor = tmp_path / "10_nvidia.json"
    if exists:
        vendor.touch()
    monkeypatch.setattr(gpu_run, "EGL_VENDOR", vendor)
    monkeypatch.delenv("__EGL_VENDOR_LIBRARY_FILENAMES", raising=False)
    told = gpu_run.environment().get("__EGL_VENDOR_LIBRARY_FILENAMES")
    assert told == (str(vendor) if exists else None)


@pytest.mark.parametrize("listed", ["", "\tlibEGL.so.1 (libc6,x86-64) => /usr/lib/libEGL.so.1"])
def test_loaders_are_unpacked_where_there_are_none(monkeypatch, tmp_path, listed):
    (tmp_path / "gl").mkdir()
    for package in gpu_bundle.GL_PACKAGES:
        (tmp_path / "gl" / f"{package}_1_amd64.deb").touch()
    commands = []

    def note(command, log, limit_s):
        commands.append(command[0] if command[0] == "ldconfig" else command[-2].name)
        return True, listed, 0.0

    monkeypatch.setattr(gpu_run, "BUNDLE", tmp_path)
    monkeypatch.setattr(gpu_run, "execute", note)
    monkeypatch.setattr(gpu_run.os, "geteuid", lambda: 0)
    monkeypatch.setattr(gpu_run.shutil, "which", lambda name: name)
    gpu_run.unpack_gl()
    packages = sorted(f"{package}_1_amd64.deb" for package in gpu_bundle.GL_PACKAGES)
    assert commands == (["ldconfig"] if listed else ["ldconfig", *packages, "ldconfig"])


def test_each_file_is_a_job_and_some_programs_are_several(monkeypatch, tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/treadle_kernel_test").touch()
    monkeypatch.setattr(gpu_run, "PROGRAMS", tmp_path)
    names = [name for name, _ in gpu_run.test_jobs()]
    shares = gpu_run.TEST_SHARDS["treadle_kernel_test"]
    assert names[:shares] == [f"tests/treadle_kernel_test {i + 1}/{shares}" for i in range(shares)]
    assert "python/array_test.py" in names and "pyopencl/array_test.py" in names
    assert not any(name.startswith("packaging/") for name in names)
    assert any(name.startswith(gpu_run.WITHOUT_GPU) for name in names)


def test_what_the_time_does_not_allow_is_named(monkeypatch, tmp_path, capsys):
    limits = []

    def run(limit: float) -> gpu_run.Part:
        limits.append(limit)
        return gpu_run.Part("first", True, 1)

    jobs = [("first", run), ("other", run)]
    monkeypatch.setattr(gpu_run, "test_jobs", lambda: jobs)
    monkeypatch.setattr(sys, "argv", ["gpu_run.py", "test", "fir"])
    (part,) = gpu_run.run_tests()
    assert part.ok and 0 < limits[0] <= gpu_run.LIMITS_S["tests"]
    monkeypatch.setattr(gpu_run, "STARTED", gpu_run.STARTED - gpu_run.LIMITS_S["tests"] - 1e6)
    (part,) = gpu_run.run_tests()
    assert (part.ok, part.remark, len(limits)) == (False, "not begun", 1)
    assert "FAILED first" in capsys.readouterr().out
