# SPDX-License-Identifier: MIT
"""tools/gpu_run.py: what its programs are started with, and what is put into the machine."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import gpu_bundle
import gpu_plan
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


def test_what_an_earlier_run_installed_is_not_installed_again(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu_run, "BUNDLE", tmp_path)
    installed = []

    def install(archive: pathlib.Path) -> list[gpu_run.Part]:
        installed.append(archive.read_text())
        return [gpu_run.Part("x", archive.read_text() != "broken", 1.0)]

    assert gpu_run.if_new("programs", install) == [] and not installed
    for text in ("old", "old", "broken", "broken", "new", "new"):
        (tmp_path / "programs.tar.xz").write_text(text)
        assert gpu_run.if_new("programs", install)
    assert installed == ["old", "broken", "broken", "new"]


@pytest.mark.parametrize(
    ("programs_mb", "status", "said"),
    [(6, True, ["", "", ""]), (20, True, ["", "", ", beyond 45 MB"]), (90, True, None)],
)
def test_what_travels_at_a_time_is_told(monkeypatch, tmp_path, capsys, programs_mb, status, said):
    monkeypatch.setattr(gpu_bundle, "ROOT", tmp_path)
    monkeypatch.setattr(gpu_bundle, "BUNDLE", tmp_path)
    monkeypatch.setattr(gpu_bundle, "tree_mb", lambda: 20.0)
    for name, size in (("package.tar.xz", 18), (gpu_bundle.PROGRAMS_ARCHIVE, programs_mb)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size * 10**6)
    assert gpu_bundle.print_sizes() == status
    lines = capsys.readouterr().out.splitlines()
    if said:
        assert [line.partition(", beyond")[1:] for line in lines[-3:]] == [
            text.partition(", beyond")[1:] for text in said
        ]
    else:
        assert lines[-1].endswith("do not travel at once")


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
    assert any(not gpu_plan.needs_gpu(name) for name in names) and names[-1] == "demo"


@pytest.fixture
def jobs(monkeypatch, tmp_path):
    """Four parts of known times; the names of those that run."""
    ran = []

    def job(name: str) -> gpu_run.Job:
        def run(limit_s: float) -> gpu_run.Part:
            assert 0 < limit_s <= gpu_run.LIMITS_S["tests"]
            ran.append(name)
            return gpu_run.Part(name, name != "python/d_test.py", 2.0)

        return name, run

    times = {"python/a_test.py": 10, "python/b_test.py": 40, "tests/c 1/2": 30, "tests/c 2/2": 20}
    monkeypatch.setattr(gpu_run, "test_jobs", lambda: [*map(job, times), job("python/d_test.py")])
    monkeypatch.setattr(gpu_plan, "read_times", lambda: times)
    monkeypatch.setattr(gpu_plan, "GPU_PROCESSES", 1)
    monkeypatch.setattr(gpu_run, "OUT", tmp_path)
    return ran


def run_with(monkeypatch, *words: str) -> list[gpu_run.Part]:
    monkeypatch.setattr(sys, "argv", ["gpu_run.py", "test", *words])
    return gpu_run.run_tests()


def test_the_longest_parts_are_begun_first(monkeypatch, jobs):
    run_with(monkeypatch)
    assert jobs[:3] == ["python/b_test.py", "tests/c 1/2", "tests/c 2/2"] and len(jobs) == 5


def test_two_halves_are_the_whole_once(monkeypatch, jobs):
    run_with(monkeypatch, "half=1")
    first = len(jobs)
    run_with(monkeypatch, "half=2")
    assert 0 < first < 5 and len(jobs) == len(set(jobs)) == 5
    with pytest.raises(SystemExit, match="half=3"):
        run_with(monkeypatch, "half=3")


def test_words_choose_parts(monkeypatch, jobs):
    run_with(monkeypatch, "tests/c", "b_test")
    assert jobs == ["python/b_test.py", "tests/c 1/2", "tests/c 2/2"]


def test_what_the_time_does_not_allow_is_named(monkeypatch, jobs, capsys):
    monkeypatch.setattr(gpu_run, "STARTED", gpu_run.STARTED - gpu_run.LIMITS_S["tests"] - 1e6)
    parts = run_with(monkeypatch, "tests/c")
    assert [(p.ok, p.remark) for p in parts] == [(False, "not begun")] * 2 and not jobs
    assert gpu_run.summarise(parts, 1.0) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == 'not begun: make gpu-test words="tests/c"'
    assert lines[-1].startswith("===== 2 of 2 parts failed")


def test_times_of_a_run_plan_the_next(monkeypatch, jobs, tmp_path):
    parts = run_with(monkeypatch)
    record = json.loads((tmp_path / "gpu_times.json").read_text())
    assert record["failed"] == {"python/d_test.py": 2.0}
    assert set(record["passed"]) == {part.name for part in parts if part.ok}


def test_a_part_over_its_limit_ends_with_what_it_started(tmp_path):
    program = "import subprocess, sys; print(1, flush=True); subprocess.run(['sleep', '60'])"
    command = [sys.executable, "-c", program]
    ok, output, seconds = gpu_run.execute(command, tmp_path / "log", 1.0)
    assert not ok and "ended after its 1 s" in output and output[0] == "1" and seconds < 30


def test_random_runs_take_their_time_and_processes(monkeypatch, tmp_path):
    commands = []

    def note(command, log, limit_s):
        commands.append([str(word) for word in command])
        assert limit_s > 500
        return True, "", 1.0

    monkeypatch.setattr(gpu_run, "execute", note)
    monkeypatch.setattr(gpu_run, "OUT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["gpu_run.py", "random", "seconds=510", "jobs=24", "sums"])
    assert [part.ok for part in gpu_run.run_random()] == [True]
    assert commands[0][2:] == ["--minutes", "8.500", "--jobs", "24", "--out", str(tmp_path), "sums"]
    monkeypatch.setattr(sys, "argv", ["gpu_run.py", "random", "minutes=1"])
    with pytest.raises(SystemExit, match="minutes"):
        gpu_run.run_random()
