# SPDX-License-Identifier: MIT
"""tools/slowest_tests.py reads the times that `make test` leaves."""

import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import run_tests
import slowest_tests


@pytest.fixture
def times(monkeypatch, tmp_path):
    monkeypatch.setattr(run_tests, "TIMES", tmp_path)
    (tmp_path / "ctest.ctest.xml").write_text(
        '<testsuite><testcase name="Suite.Case" classname="Suite.Case" time="2.5"/></testsuite>'
    )
    (tmp_path / "sanitize.treadle_a_test.xml").write_text(
        '<testsuites><testsuite><testcase name="Case" classname="Suite" time="7"/></testsuite>'
        "</testsuites>"
    )
    (tmp_path / "pytest.python.xml").write_text(
        '<testsuites><testsuite><testcase name="test_x[1]" classname="tests.python.a_test"'
        ' time="1"/><testcase name="test_y" classname="tests.python.a_test.TestY" time="3"/>'
        "</testsuite></testsuites>"
    )


def test_the_slowest_come_first(times, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["slowest_tests.py", "1"])
    assert slowest_tests.main() == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines == [
        *("ctest:", "1 tests, 2 s", "2.5 s  ctest Suite", "2.5 s  Suite.Case"),
        *("pytest:", "2 tests, 4 s", "4.0 s  python/a_test.py", "3.0 s  python/a_test.py::test_y"),
        *("sanitize:", "1 tests, 7 s", "7.0 s  treadle_a_test", "7.0 s  treadle_a_test Suite.Case"),
    ]


def test_parts_are_chosen(times, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["slowest_tests.py", "ctest"])
    assert slowest_tests.main() == 0
    assert "pytest" not in capsys.readouterr().out


def test_what_pytest_writes_is_read(times, tmp_path):
    folder = tmp_path / "tests/python"
    folder.mkdir(parents=True)
    (folder / "b_test.py").write_text("import time\ndef test_slow():\n    time.sleep(0.1)\n")
    file = tmp_path / "pytest.new.xml"
    options = ("-q", "-p", "no:cacheprovider", "--import-mode=importlib", f"--junitxml={file}")
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", tmp_path, "tests"]
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    ((name, test, seconds),) = slowest_tests.read(file)
    assert (name, test) == ("python/b_test.py", "python/b_test.py::test_slow") and seconds >= 0.1


def test_without_times_it_says_so(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run_tests, "TIMES", tmp_path)
    monkeypatch.setattr(sys, "argv", ["slowest_tests.py"])
    assert slowest_tests.main() == 1 and "make test leaves them" in capsys.readouterr().out
