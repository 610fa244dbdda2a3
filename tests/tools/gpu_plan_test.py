# SPDX-License-Identifier: MIT
"""tools/gpu_plan.py: halves of the GPU run that take the same time, by recorded times."""

import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import gpu_plan


def test_halves_are_balanced_where_they_run():
    draw = random.Random(1)
    for _ in range(50):
        names = [f"python/{i}_test.py" for i in range(draw.randrange(2, 99))]
        names += [f"compiler/{i}_test.py" for i in range(draw.randrange(2, 99))]
        times = {name: draw.uniform(0.1, 60) for name in names}
        halves = gpu_plan.halves(names, times)
        assert sorted([*halves[0], *halves[1]]) == sorted(names)
        for kind in (True, False):
            first, second = (
                sum(times[name] for name in half if gpu_plan.needs_gpu(name) == kind)
                for half in halves
            )
            assert abs(first - second) <= max(times.values())
        assert all(half == gpu_plan.longest_first(half, times) for half in halves)


def test_the_first_half_runs_where_no_program_is():
    times = {"tests/a 1/2": 9, "examples/e": 1, "python/b_test.py": 8, "python/c_test.py": 4}
    first, second = gpu_plan.halves(times, times)
    assert first == ["python/b_test.py", "python/c_test.py"]
    assert second == ["tests/a 1/2", "examples/e"]
    assert gpu_plan.halves(first, times) == (first, [])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tests/a 1/2", 5),
        ("tests/a 2/4", 6),
        ("tests/a", 24),
        ("tests/b 1/3", 4),
        ("x", gpu_plan.UNKNOWN_S),
        ("x 1/2", gpu_plan.UNKNOWN_SHARE_S),
    ],
)
def test_a_part_takes_its_share_of_what_was_recorded(name, expected):
    times = {"tests/a 1/2": 5, "tests/a 2/2": 19, "tests/b": 12}
    assert gpu_plan.expected_seconds(name, times) == expected


def test_of_files_that_never_ran_the_larger_goes_first():
    sizes = {name: path.stat().st_size for name, path in gpu_plan.python_parts().items()}
    first, *_, last = gpu_plan.longest_first(sizes, {})
    assert sizes[first] == max(sizes.values()) and sizes[last] == min(sizes.values())


def test_what_is_planned_is_when_the_last_part_ends(monkeypatch):
    monkeypatch.setattr(gpu_plan, "GPU_PROCESSES", 2)
    times = {"python/a": 5, "python/b": 4, "python/c": 3, "compiler/d": 6}
    assert gpu_plan.planned_seconds(list(times), times, 3) == 7
    assert gpu_plan.planned_seconds(["compiler/d"], times, 1) == 6
    assert gpu_plan.planned_seconds([], times, 3) == 0


def test_a_run_replaces_what_it_measured():
    old = {"tests/a 1/2": 1, "tests/a 2/2": 2, "tests/b 1/2": 3, "tests/b 2/2": 3, "p/c_test.py": 4,
           "p/gone_test.py": 5, "p/d_test.py": 6}  # fmt: skip
    run = {
        "passed": {"tests/a 1/2": 10, "tests/b 1/3": 20},
        "failed": {"p/c_test.py": 1, "p/d_test.py": 60, "p/new_test.py": 7},
    }
    files = ["p/c_test.py", "p/d_test.py", "p/new_test.py"]
    assert gpu_plan.merge(old, run, files) == {
        "tests/a 1/2": 10, "tests/a 2/2": 2, "tests/b 1/3": 20, "p/c_test.py": 4,
        "p/d_test.py": 60, "p/new_test.py": 7,
    }  # fmt: skip


def test_the_recorded_halves_fit_into_nine_minutes():
    times = gpu_plan.read_times()
    names = {*times, *gpu_plan.python_parts()}
    for half in gpu_plan.halves(names, times):
        assert gpu_plan.planned_seconds(half, times, 16) < 500


def test_times_are_written_one_to_a_line(tmp_path):
    times = {"b": 1.26, "a": 2.0}
    gpu_plan.write_times(times, tmp_path / "t.json")
    assert gpu_plan.read_times(tmp_path / "t.json") == {"a": 2.0, "b": 1.3}
    assert (tmp_path / "t.json").read_text().splitlines() == ["{", '"a": 2.0,', '"b": 1.3', "}"]
    assert gpu_plan.read_times(tmp_path / "absent.json") == {}
