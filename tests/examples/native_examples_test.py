# SPDX-License-Identifier: MIT
"""Examples of the native API: each is run as a user runs it, and checks its own result."""

import pathlib
import re
import subprocess
import sys

import pytest

import treadle

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/python/native"


def run(path, *arguments):
    result = subprocess.run(
        [sys.executable, str(path), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_example_runs(path):
    assert run(path)


def test_blocks_meet_where_they_can():
    output = run(FOLDER / "blocks_that_meet.py")
    for device in treadle.devices():
        if device.id == "cpu":
            assert f"{device.id:12} {device.name}: 10 steps in one launch\n" in output
        elif not device.traits.cooperative_launch:
            assert f"{device.id:12} groups of one launch cannot meet" in output


def test_the_same_lines_run_on_every_device():
    output = run(FOLDER / "every_device.py")
    devices = treadle.devices()
    assert [f"device: {d.id} {d.name}" for d in devices] == output.splitlines()[::2]
    checked = r"kernel: [\d.]+ GB/s, check against NumPy: ok"
    assert all(re.fullmatch(checked, line) for line in output.splitlines()[1::2])
    assert run(FOLDER / "every_device.py", devices[-1].id).count("device:") == 1
