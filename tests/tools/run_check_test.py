# SPDX-License-Identifier: MIT
"""`make check` runs the tests that a change touches, and ends in time."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def tool(monkeypatch):
    """tools/run_check.py, loaded as `make check` loads it: with its folder on the path."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import run_check

    yield run_check
    for name in ("run_check", "run_tests"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("path", "programs", "pytests"),
    [
        ("src/memory/pool.cpp", {"treadle_memory_test"},
         {"tests/python/pycuda/memory_pool_test.py"}),
        ("include/treadle/opencl/queue.hpp", {"treadle_opencl_test"}, {"tests/python/pyopencl"}),
        ("tests/base/error_test.cpp", {"treadle_base_test"}, set()),
        ("tests/fuzz/compile/entry_fuzz.cpp", {"treadle_fuzz_test"}, set()),
        ("src/cuda_cpu/runtime/stream.cpp", {"cuda_cpu_runtime_test"},
         {"tests/python/kernel_faults_test.py"}),
        ("src/cuda_cpu/compiler/passes/guards.cpp", {"cuda_cpu_passes_test"},
         {"tests/cuda_cpu/compiler/guards_test.py"}),
        ("src/cuda_cpu/module_abi.h", {"cuda_cpu_runtime_test", "cuda_cpu_passes_test"},
         {"tests/cuda_cpu/compiler/semantics_test.py"}),
        ("kernels/dialect/treadle/dialect.h", {"treadle_codegen_test", "treadle_kernel_test"},
         {"tests/python/native_test.py"}),
        ("python/bindings/pyopencl/event.cpp", set(), {"tests/python/pyopencl"}),
        ("python/treadle/_cache_command.py", set(), {"tests/python/command_line_test.py"}),
        ("tests/python/pycuda/enums_test.py", set(), {"tests/python/pycuda/enums_test.py"}),
        ("tests/python/curand_programs.py", set(), {"tests/python/curand_test.py"}),
        ("tests/cuda_cpu/compiler/machines.py", {"cuda_cpu_passes_test"},
         {"tests/cuda_cpu/compiler/semantics_test.py"}),
        ("docs/cache.md", set(), {"tests/docs"}),
        ("tools/run_check.py", set(), {"tests/tools"}),
        ("LICENSE", set(), set()),
    ],
)  # fmt: skip
def test_a_file_touches_its_room(tool, path, programs, pytests):
    plan = tool.choose([path])
    assert programs <= set(plan.programs)
    assert set(tool.files_of(pytests, ROOT)) <= set(plan.pytests)
    assert bool(programs) == bool(plan.programs)
    assert bool(pytests) == bool(plan.pytests)
    assert not pytests or plan.extension


def test_what_was_changed_itself_is_tested_first(tool):
    plan = tool.choose(
        ["python/treadle/pycuda/driver.py", "tests/python/pycuda/pvt_struct_test.py"]
    )
    assert plan.pytests[0] == "tests/python/pycuda/pvt_struct_test.py"


def test_a_file_of_a_folder_that_is_tested_is_not_tested_twice(tool):
    plan = tool.choose(["python/treadle/pyopencl/tools.py", "tests/python/pyopencl/pool_test.py"])
    assert len(plan.pytests) == len(set(plan.pytests))
    assert "tests/python/pyopencl/pool_test.py" in plan.pytests[:2]
    assert "tests/python/pyopencl/errors_test.py" in plan.pytests


def test_examples_in_cpp_are_built_and_run(tool):
    plan = tool.choose(["examples/cpp/hello_kernel.cpp", "examples/cpp/CMakeLists.txt"])
    assert plan.examples == ["example_hello_kernel"]


def test_a_file_that_is_gone_is_not_linted(tool):
    assert tool.choose(["src/memory/no_such.cpp"]).sources == []
    assert tool.choose(["src/memory/device_pool.cpp"]).sources == ["src/memory/device_pool.cpp"]


def test_every_room_has_tests_and_every_test_named_is_there(tool):
    rooms = {path.name for path in (ROOT / "include/treadle").iterdir() if path.is_dir()}
    assert rooms == {name for name in tool.ROOM_TESTS if "/" not in name}
    for room, tests in tool.ROOM_TESTS.items():
        assert tool.programs_of(f"tests/{room}"), room
        assert all((ROOT / test).exists() for test in tests), room
    for prefix, tests in tool.FOLDER_TESTS.items():
        assert (ROOT / prefix).exists(), prefix
        assert all((ROOT / test).exists() for test in tests), prefix
    for prefix, folder in tool.FOLDER_PROGRAMS.items():
        assert (ROOT / prefix).exists() and tool.programs_of(folder), prefix


@pytest.fixture
def repository(tool, tmp_path, monkeypatch):
    """A repository with one commit on main, which the tool takes for its own; returns git()."""

    def git(*arguments):
        options = (
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "-c",
            "init.defaultBranch=main",
        )
        subprocess.run(["git", *options, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for name in ("first", "second"):
        (tmp_path / name).write_text("")
        git("add", name)
        git("commit", "-m", name)
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    return git


def changed(tool):
    return tool.changed_files(tool.base_commit())


def test_on_main_the_last_commit_is_the_change(tool, repository):
    assert changed(tool) == ["second"]


def test_what_is_not_committed_is_the_change(tool, repository, tmp_path):
    (tmp_path / "first").write_text("other")
    (tmp_path / "new").write_text("")
    assert changed(tool) == ["first", "new"]


def test_on_a_branch_the_change_begins_where_it_left_main(tool, repository, tmp_path):
    repository("checkout", "-b", "branch")
    (tmp_path / "third").write_text("")
    repository("add", "third")
    repository("commit", "-m", "third")
    (tmp_path / "new").write_text("")
    assert changed(tool) == ["new", "third"]


def test_no_step_goes_on_past_the_limit(tool):
    check = tool.Check(limit_s=0.5, jobs=1)
    assert not check.execute("slow", sys.executable, "-c", "import time; time.sleep(600)")
    assert not check.execute("never", sys.executable, "-c", "")
    assert (check.left, check.results) == (["slow", "never"], [])


def test_a_check_that_did_not_do_everything_fails(tool, monkeypatch, capsys):
    monkeypatch.setattr(tool, "changed_files", lambda base: ["docs/cache.md"])
    monkeypatch.setattr(sys, "argv", ["run_check.py", "--base", "HEAD", "--limit", "0"])
    assert tool.main() == 2
    assert "tests/docs/documents_test.py" in capsys.readouterr().out.splitlines()[-1]


def test_a_failing_step_is_counted_and_shown(tool, capsys):
    check = tool.Check(limit_s=60, jobs=1)
    assert check.execute("good", sys.executable, "-c", "")
    assert not check.execute("bad", sys.executable, "-c", "print('reason'); raise SystemExit(3)")
    assert [(r.part, r.ok) for r in check.results] == [("good", True), ("bad", False)]
    assert "reason" in capsys.readouterr().out
