# SPDX-License-Identifier: MIT
"""How every Python test starts another Python."""

import os
import subprocess
import sys

import pytest

# What nanobind writes at exit when a bound object has outlived everything that could free it.
LEAK = "nanobind: leaked"
# Users do not get that report. Before a test imports treadle, for this process and those it starts.
os.environ["TREADLE_TEST_LEAKS"] = "1"


def _run_python(*arguments, timeout=120, cwd=None, **environment):
    """Runs this Python in a process of its own, which must not leak; environment: NAME="value"."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        env={**os.environ, **environment},
        check=False,
    )
    assert LEAK not in done.stderr, done.stderr
    return done


@pytest.fixture(scope="session")
def run_python():
    return _run_python
