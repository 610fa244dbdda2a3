# SPDX-License-Identifier: MIT
"""The counts that `make test` closes with are those of the programs it ran."""

import pathlib
import sys

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import run_tests

    runner = run_tests.Runner(1)
    runner.module = run_tests
    yield runner
    del sys.modules["run_tests"]


def counts(runner):
    result = runner.result
    return (result.ok, result.passed, result.failed, result.skipped)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("555 passed, 4 skipped, 6 deselected in 100.26s (0:01:40)", (True, 555, 0, 4)),
        ("==== 2 failed, 3 passed, 1 error in 1.20s ====", (True, 3, 3, 0)),
    ],
)
def test_pytest_is_counted_by_its_closing_line(runner, line, expected):
    runner.count_pytest(f"9 passed in a test's own output\n{line}\n")
    assert counts(runner) == expected


def test_objects_left_behind_after_the_closing_line_fail_the_part(runner):
    runner.count_pytest("3 passed in 0.10s\nnanobind: leaked 1 instances!\n - leaked instance\n")
    assert counts(runner) == (False, 3, 1, 0)


def test_ctest_is_counted_by_its_closing_line(runner):
    text = "1/4 Test #1: a ...***Skipped  0.01 sec\n75% tests passed, 1 tests failed out of 4\n"
    runner.count_ctest(text)
    assert counts(runner) == (True, 2, 1, 1)


def test_of_programs_that_ctest_runs_the_cases_are_counted(runner):
    runner.count_ctest(
        "1: [  PASSED  ] 12 tests.\n1: [  SKIPPED ] 3 tests.\n1/3 Test #1: a ...   Passed\n"
        "2: [  PASSED  ] 1 test.\n2: [  FAILED  ] 2 tests, listed below:\n"
        "2: [  FAILED  ] Suite.Case\n2/3 Test #2: b ...***Failed\n3/3 Test #3: c ...   Passed\n"
        "67% tests passed, 1 tests failed out of 3\n"
    )
    assert counts(runner) == (True, 13, 2, 3)


def test_a_test_program_is_counted_by_its_closing_lines(runner):
    runner.count_gtest(
        "[==========] 1 test from 1 test suite ran. (1 ms total)\n[  PASSED  ] 1 test.\n"
        "[==========] 7 tests from 2 test suites ran. (20 ms total)\n"
        "[  PASSED  ] 4 tests.\n[  SKIPPED ] 1 test.\n\n  YOU HAVE 1 DISABLED TEST\n"
    )
    assert counts(runner) == (True, 4, 2, 1)


PYTEST = """\
    def test_it():
>       assert 1 == 2
E       assert 1 == 2

=== short test summary info ===
SKIPPED [1] a_test.py:3: no GPU
FAILED tests/a_test.py::test_it[1] - assert 1 == 2
ERROR tests/b_test.py - SyntaxError: invalid syntax
2 failed, 3 passed in 1.20s
"""
CTEST = """\
1/3 Test #1: Good.Case ....   Passed    0.02 sec
a_test.cpp:12: Failure
Expected equality of these values:
  1
  2
2/3 Test #2: Bad.Case .....***Failed    0.02 sec

The following tests did not run:
\t  3 - Gone.Case (Skipped)
\t  5 - Child.Case (Disabled)

The following tests FAILED:
\t  2 - Bad.Case (Failed)
\t  4 - Slow.Case (Timeout)
"""


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (PYTEST, ["E       assert 1 == 2",
                  "FAILED tests/a_test.py::test_it[1] - assert 1 == 2",
                  "ERROR tests/b_test.py - SyntaxError: invalid syntax"]),
        (CTEST, ["a_test.cpp:12: Failure", "Expected equality of these values:", "  1", "  2",
                 "2/3 Test #2: Bad.Case .....***Failed    0.02 sec",
                 "\t  2 - Bad.Case (Failed)", "\t  4 - Slow.Case (Timeout)"]),
        ("a.py:83: error: no type\na.py:84: note: why\n", ["a.py:83: error: no type"]),
        ("a.cpp:2:1: fatal error: no file\n1 error.\n", ["a.cpp:2:1: fatal error: no file"]),
        ("7: a.cpp:3: Failure\n7: [  FAILED  ] Suite.Case\n",
         ["7: a.cpp:3: Failure", "7: [  FAILED  ] Suite.Case"]),
        ("[  FAILED  ] Suite.Case (3 ms)\n[  FAILED  ] Suite.Case\n", ["[  FAILED  ] Suite.Case"]),
    ],
)  # fmt: skip
def test_failing_tests_are_named_where_the_counts_are(runner, capsys, output, expected):
    runner.run(sys.executable, "-c", f"print({output!r}); raise SystemExit(1)")
    assert runner.result.failures == expected
    capsys.readouterr()
    assert runner.module.summarise([runner.result], 1.0) == 1
    assert capsys.readouterr().out.startswith("".join(f": {line}\n" for line in expected))


def test_commands_at_once_fail_as_one_does(runner, capsys):
    text = "a.py:83: error: no type"
    failing = (sys.executable, "-c", f"print({text!r}); raise SystemExit(3)")
    runner.jobs = 2
    runner.run_at_once(failing, (sys.executable, "-c", "print('fine')"))
    assert not runner.result.ok and runner.result.failures == [text]
    out = capsys.readouterr().out
    assert out.index("failed with status 3") < out.index("\nfine\n")


def test_what_passes_names_nothing(runner):
    runner.run(sys.executable, "-c", f"print({PYTEST!r})")
    assert runner.result.failures == []


def test_every_python_test_is_in_one_group(runner):
    root = TOOLS.parent
    for path in (root / "tests").rglob("*_test.py"):
        if path.parent.name == "packages":  # make packages
            continue
        holding = []
        for name, arguments in runner.module.pytest_groups.GROUPS.items():
            ignored = [word.removeprefix("--ignore=") for word in arguments if word[0] == "-"]
            taken = [word for word in arguments if word[0] != "-"]
            if any(path.is_relative_to(root / word) for word in taken):
                if not any(path.is_relative_to(root / word) for word in ignored):
                    holding.append(name)
        assert len(holding) == 1, f"{path}: {holding}"


def test_groups_of_tests_are_run_at_once_and_counted(runner, monkeypatch, tmp_path):
    """Each group waits for the other's file: one after another they would not end."""
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}_test.py").write_text(
            "import pathlib, time\nhere = pathlib.Path(__file__).parent\n"
            f"def test_{name}():\n    (here / '{name}').touch()\n"
            f"    end = time.monotonic() + 60\n"
            f"    while not (here / '{other}').exists() and time.monotonic() < end:\n"
            f"        time.sleep(0.01)\n"
            f"    assert (here / '{other}').exists() and '{name}' != 'b'\n"
        )
    groups = {name: (str(tmp_path / f"{name}_test.py"),) for name in "ab"}
    monkeypatch.setattr(runner.module.pytest_groups, "GROUPS", groups)
    monkeypatch.setattr(runner.module, "TIMES", tmp_path / "times")
    runner.jobs = 2
    runner.result.part = "pytest"
    runner.pytest()
    assert sorted(p.name for p in (tmp_path / "times").iterdir()) == [
        "pytest.a.xml",
        "pytest.b.xml",
    ]
    assert counts(runner) == (False, 1, 1, 0)
    assert any(line.startswith("FAILED ") for line in runner.result.failures)


def test_a_part_of_the_sanitizers_waits_for_its_turn(runner, monkeypatch, capsys):
    module = runner.module
    for name in ("configure", "compile", "build_threads", "whole_programs"):
        monkeypatch.setattr(module.Runner, name, lambda *_: print("ran"))
    results = module.run_parts(["races"], 1, turn=1)
    assert results[0].ok and "ran" not in capsys.readouterr().out
    module.summarise(results, 1.0)
    assert "not in turn 1 of 3; make test parts=races" in capsys.readouterr().out
    for turn in (0, 3):
        assert module.run_parts(["races"], 1, turn)[0].ok
        assert "ran" in capsys.readouterr().out


def test_a_turn_builds_and_runs_its_own_programs(runner, monkeypatch):
    turns = runner.module.sanitizer_turns
    built = []
    monkeypatch.setattr(runner, "configure", lambda *_: None)
    monkeypatch.setattr(runner, "compile", lambda _, *names: built.append(names))
    monkeypatch.setattr(runner, "whole_programs", lambda _, names: built.append(names))
    for runner.turn in (1, 2, 3, 0):
        runner.sanitize()
    assert built == [turns.FIRST] * 2 + [turns.SECOND] * 2 + [()] * 2


def test_headers_are_checked_in_one_turn_of_three(runner, monkeypatch, tmp_path):
    options = []
    monkeypatch.setattr(runner.module, "BUILD", tmp_path)
    monkeypatch.setattr(runner, "configure", lambda _, *words: options.extend(words))
    for runner.turn in (1, 2, 3, 0):
        runner.configure_build()
    checks = [word for word in options if "CHECK_HEADERS" in word]
    assert [word.endswith("=ON") for word in checks] == [False, False, True, True]


def test_child_that_leaves_an_object_behind_fails_its_test(run_python):
    program = (
        "import ctypes, treadle.cuda\n"
        "device = treadle.cuda.Device(0)\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(device))\n"
    )
    with pytest.raises(AssertionError, match="leaked 1 instances"):
        run_python("-c", program)
