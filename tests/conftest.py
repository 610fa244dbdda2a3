# SPDX-License-Identifier: MIT
"""How every Python test starts another Python, and which are left out where time is short."""

import collections
import importlib.metadata
import os
import re
import subprocess
import sys

import pytest

# What nanobind writes at exit when a bound object has outlived everything that could free it.
LEAK = "nanobind: leaked"
# Users do not get that report. Before a test imports treadle, for this process and those it starts.
os.environ["TREADLE_TEST_LEAKS"] = "1"

_CASE_OF_GENERATED_KERNELS = re.compile(
    r"pyopencl/(array|clmath|clrandom|complex|elementwise|reduction)\w*_test\.py::\w+\["
)


def pytest_collection_modifyitems(config, items):
    """Leaves out cases with TREADLE_SAMPLE_CASES=1, mostly where compiling takes the time."""
    if os.environ.get("TREADLE_SAMPLE_CASES") != "1":
        return
    seen, left_out = collections.Counter(), set()
    for item in items:
        counted, share = _share_of(item)
        if seen[counted] % share != 0:
            left_out.add(item)
        seen[counted] += 1
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def _share_of(item):
    """What `item` is counted with, and which share of that is run: one in so many."""
    test, _, cases = item.nodeid.partition("[")
    # PoCL takes a fifth of a second for a kernel, and the tests in C++ run on it, too.
    if "opencl:" in cases:
        return test.partition("::")[0], 14
    if _CASE_OF_GENERATED_KERNELS.search(item.nodeid):
        return test, 7
    marker = item.get_closest_marker("one_in")
    return test, marker.args[0] if marker else 1


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


@pytest.fixture(scope="session")
def words_of_pytest():
    """Words that run pytest with Treadle's plugin. An installed package has an entry point for the
    plugin, and pytest refuses a plugin that is named twice."""
    plugin = "treadle._pytest_plugin"
    points = importlib.metadata.entry_points(group="pytest11")
    named = [] if any(point.value == plugin for point in points) else ["-p", plugin]
    return ["-m", "pytest", "-q", "-p", "no:cacheprovider", *named]
