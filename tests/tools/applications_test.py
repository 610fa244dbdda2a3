# SPDX-License-Identifier: MIT
"""benchmarks/applications.py, without measuring much."""

import importlib
import pathlib
import re

import pytest

import treadle

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/applications.py"


def test_the_rate_of_multiply_adds_is_measured(monkeypatch):
    monkeypatch.syspath_prepend(str(PROGRAM.parent))
    applications = importlib.import_module("applications")
    assert applications.multiply_add_rate(treadle.find_device("cpu")) > 0


@pytest.mark.parametrize("rows", ["filterbank", "neighbours"])
def test_rows_run(rows, run_python, tmp_path):
    words = ["cpu", rows, "--small", "--evaluations", "1", "--store", str(tmp_path / "a.db")]
    done = run_python(str(PROGRAM), *words, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    first = {
        "filterbank": r"^\| 64x64x8 16x5x5x8 \| [\d.]+ \| [\d.]+",
        "neighbours": r"^\| 8bit \|",
    }
    assert re.search(first[rows], done.stdout, re.M)
