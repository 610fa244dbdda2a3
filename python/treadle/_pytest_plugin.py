# SPDX-License-Identifier: MIT
"""A plug-in of pytest. `pytest --treadle-check=race,memory` runs a suite's kernels on the CPU
device with its checks, and prints one line for each fault, at the Python line that launched it.

A fault ends the context, as on a GPU; what comes after it runs in processes of its own.

`pytest --treadle-cov` tells which lines and branches of kernels the suite reached.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from typing import Any

import pytest

from treadle import Error, settings
from treadle._core import coverage_table, read_coverage, write_coverage_report

_ALL = ("memory", "race", "init", "sync")
_CHECKS = (*_ALL, "determinism")
_LOST = "the context is lost"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("treadle", "kernels of CUDA C on the CPU device")
    group.addoption(
        "--treadle-check",
        metavar="CHECKS",
        help="what kernels are checked for: memory, race, init, sync, determinism, separated by "
        "commas; or all, the first four",
    )
    group.addoption(
        "--treadle-cov",
        action="store_true",
        help="which lines and branches of kernels the suite reached, on the CPU device",
    )
    group.addoption(
        "--treadle-cov-report",
        metavar="REPORT",
        action="append",
        default=[],
        help="term (the default), html:FOLDER, lcov:FILE or xml:FILE; may be given several times",
    )
    group.addoption("--treadle-one-test", action="store_true", help=argparse.SUPPRESS)
    parser.addini("treadle_check", "what --treadle-check says, where it is not given", default="")


def _chosen(named: str) -> str:
    """The value of TREADLE_CHECK."""
    checks = _ALL if named == "all" else tuple(filter(None, named.split(",")))
    for check in checks:
        if check not in _CHECKS:
            raise pytest.UsageError(
                f"--treadle-check={named}: {check!r} is none of {', '.join(_CHECKS)} and all"
            )
    return ",".join(checks)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before a conftest.py compiles a kernel: settings are read once."""
    options = early_config.known_args_namespace
    if options.treadle_cov or options.treadle_cov_report:
        _count_lines(early_config, options.treadle_cov_report or ["term"])
    _check_kernels(early_config)


def _count_lines(config: pytest.Config, reports: list[str]) -> None:
    """In a file of this run's; processes that it starts, workers of pytest-xdist too, count into
    the same one."""
    for report in reports:
        if report != "term" and not re.match(r"(html|lcov|xml):.", report):
            raise pytest.UsageError(
                f"--treadle-cov-report={report}: is none of term, html:FOLDER, lcov:FILE, xml:FILE"
            )
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    os.environ.setdefault("TREADLE_DEVICE", "cpu")
    if not (given := os.environ.get("TREADLE_COVERAGE")):
        handle, file = tempfile.mkstemp(prefix="treadle-coverage-")
        os.close(handle)
        os.environ["TREADLE_COVERAGE"] = file
    # Tests change folders, and processes begin in others.
    file = os.environ["TREADLE_COVERAGE"] = os.path.abspath(os.environ["TREADLE_COVERAGE"])
    if os.path.abspath(settings().coverage) != file:
        if not given:
            os.unlink(file)
        raise pytest.UsageError(
            "--treadle-cov: kernels were compiled before pytest began"
            "\ntry: TREADLE_COVERAGE=kernels.cov TREADLE_DEVICE=cpu pytest --treadle-cov"
        )
    run = CountedRun(file, reports, is_kept=bool(given))
    config.pluginmanager.register(run, "treadle-counted-run")


class CountedRun:
    """The report of a run whose kernels count into `file`."""

    def __init__(self, file: str, reports: list[str], is_kept: bool) -> None:
        self.file, self.reports, self.is_kept = file, reports, is_kept

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        texts = read_coverage(self.file)
        terminalreporter.section("coverage of kernels")
        for report in self.reports:
            if report == "term":
                terminalreporter.write(coverage_table(texts))
            else:
                terminalreporter.write_line(f"written: {write_coverage_report(texts, report)}")

    def pytest_unconfigure(self) -> None:
        if not self.is_kept:
            os.unlink(self.file)


def _check_kernels(early_config: pytest.Config) -> None:
    named = early_config.known_args_namespace.treadle_check or early_config.getini("treadle_check")
    if not (checks := _chosen(named)):
        return
    os.environ.update(TREADLE_CHECK=checks, TREADLE_SYNC="1")
    os.environ.setdefault("TREADLE_DEVICE", "cpu")
    if set(settings().checks.split(",")) != set(checks.split(",")):
        raise pytest.UsageError(
            f"--treadle-check={named}: kernels were compiled before pytest began"
            f"\ntry: TREADLE_CHECK={checks} TREADLE_SYNC=1 TREADLE_DEVICE=cpu pytest"
        )
    # An installed Treadle is known to pytest; without that each process has to name the plug-in.
    is_named = early_config.pluginmanager.get_name(sys.modules[__name__]) == __name__
    words = [f"--treadle-check={checks}"] + (["-p", __name__] if is_named else [])
    run = CheckedRun(words, early_config.known_args_namespace.treadle_one_test)
    early_config.pluginmanager.register(run, "treadle-checked-run")


def fault_in(error: BaseException) -> str:
    """What a kernel did wrong; empty where the error is no kernel's."""
    if not isinstance(error, Error | RuntimeError | MemoryError):
        return ""
    found = re.search(r"kernel \w.*?(?=; last launches|; the context is lost|\n|$)", str(error))
    return found[0] if found and _LOST in str(error) else ""


def _launching_line(info: pytest.ExceptionInfo[BaseException], root: str) -> str:
    """The last line of the traceback that is not Treadle's own."""
    own = os.path.dirname(os.path.abspath(__file__)) + os.sep
    lines = [
        (str(entry.path), entry.lineno + 1)
        for entry in info.traceback
        if not str(entry.path).startswith(own)
    ]
    path, line = lines[-1] if lines else ("?", 0)
    shown = os.path.relpath(path, root) if path.startswith(root + os.sep) else path
    return f"{shown}:{line}"


class CheckedRun:
    """The hooks of a run with checks; `words` make another run one, maybe of one test alone."""

    def __init__(self, words: list[str], is_of_one_test: bool) -> None:
        self.words, self.is_of_one_test = words, is_of_one_test
        self.faults: list[str] = []
        self.is_lost = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if call.excinfo is not None and (fault := fault_in(call.excinfo.value)):
            self.is_lost = True
            line = _launching_line(call.excinfo, str(item.config.rootpath))
            self.faults.append(f"{line}: {fault}")
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if not self.is_lost or self.is_of_one_test:
            return None
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        hook.pytest_runtest_logreport(report=self._report_of_child(item))
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _report_of_child(self, item: pytest.Item) -> pytest.TestReport:
        """Of the test, run by a process whose device is whole."""
        config = item.config
        words = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
        words += [*self.words, "--treadle-one-test", f"--rootdir={config.rootpath}", item.nodeid]
        done = subprocess.run(
            words, cwd=config.rootpath, text=True, errors="replace", stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        found = re.findall(r"^treadle fault: (.*)$", done.stdout, re.MULTILINE)
        self.faults += found
        skipped = re.search(r"\b1 skipped\b", done.stdout) is not None
        outcome = "failed" if done.returncode else "skipped" if skipped else "passed"
        longrepr: Any = {
            "passed": None,
            "skipped": (str(item.path), 0, "Skipped: in a process of its own"),
            "failed": done.stdout,
        }[outcome]
        return pytest.TestReport(
            item.nodeid, item.location, {}, outcome, longrepr, "call",  # type: ignore[arg-type]
        )  # fmt: skip

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.faults:
            return
        if self.is_of_one_test:
            for fault in self.faults:
                terminalreporter.write_line(f"treadle fault: {fault}")
            return
        terminalreporter.section("faults of kernels")
        for fault in self.faults:
            terminalreporter.write_line(fault)
