# SPDX-License-Identifier: MIT
"""tools/sanitizer_turns.py: three runs of `make test` sanitize everything once."""

import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import sanitizer_turns as turns

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_each_test_program_has_one_turn():
    # What needs the compiler of the CPU device is not in the sanitized builds.
    calls = [
        call
        for path in (ROOT / "tests").rglob("CMakeLists.txt")
        for call in re.findall(r"^ *treadle_test\(([^()]*)", path.read_text(), re.M)
    ]
    names = sorted(call.split()[0] for call in calls if "NEEDS_COMPILER" not in call)
    assert names == sorted([*turns.FIRST, *turns.SECOND])


def test_each_part_has_a_turn():
    for part in turns.PARTS:
        assert any(turns.programs(turn, part) is not None for turn in (1, 2, 3))
        assert turns.programs(0, part) == ()
    assert turns.programs(1, "races") is None


def test_turns_follow_the_commits_unless_one_is_named(monkeypatch):
    assert [turns.turn_of(commits) for commits in range(4)] == [1, 2, 3, 1]
    assert turns.turn_of(0, "2") == 2
    with pytest.raises(SystemExit, match="TREADLE_SANITIZER_TURN=4; there are 1 to 3"):
        turns.turn_of(0, "4")
    monkeypatch.setenv("TREADLE_SANITIZER_TURN", "3")
    assert turns.current_turn(ROOT) == 3


def test_a_folder_without_git_takes_the_first(monkeypatch, tmp_path):
    monkeypatch.delenv("TREADLE_SANITIZER_TURN", raising=False)
    assert turns.current_turn(tmp_path) == 1


def test_the_summary_tells_what_is_left_out():
    assert turns.remark(1, "sanitize") == f"turn 1 of 3: {len(turns.FIRST)} programs"
    assert turns.remark(2, "fuzz") == "not in turn 2 of 3; make test parts=fuzz"
    assert turns.remark(3, "races") == "turn 3 of 3"
    assert turns.remark(0, "races") == turns.remark(1, "pytest") == ""
