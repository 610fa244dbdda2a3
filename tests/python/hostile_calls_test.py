# SPDX-License-Identifier: MIT
"""Whatever public functions are called with, they succeed or raise an error that a caller can use,
and the process goes on. TREADLE_RANDOM_CALLS=FIRST:COUNT draws COUNT calls of each API from seed
FIRST, about 200 a second."""

import json
import os
import pathlib

import pytest

import treadle

PROGRAM = pathlib.Path(__file__).with_name("hostile_calls.py")
FIRST, COUNT = os.environ.get("TREADLE_RANDOM_CALLS", "1:400").split(":")


@pytest.mark.parametrize("api", ["native", "pycuda", "pyopencl"])
def test_odd_values_are_refused_by_errors_that_tell_of_them(run_python, api, tmp_path):
    if api == "pyopencl" and not any(d.id.startswith("opencl") for d in treadle.devices()):
        pytest.skip("needs an OpenCL platform")
    limit_s = 120 + int(COUNT) / 10  # twenty times what they take alone
    result = run_python(str(PROGRAM), FIRST, COUNT, api, cwd=tmp_path, timeout=limit_s)
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    last = next((line["about"] for line in reversed(lines) if "about" in line), None)
    assert lines and lines[-1] == {"done": True}, (
        f"{result.returncode} in {last}: {result.stderr[-2000:]}"
    )
    assert [line for line in lines if "fault" in line] == []
