# SPDX-License-Identifier: MIT
"""An error that surfaces late names the kernel and the line of the program that launched it."""

import pytest

SCRIPT = """
import numpy as np, treadle.compat, pycuda.driver as cuda
from pycuda.compiler import SourceModule
cuda.init()
context = cuda.Device(0).make_context()
module = SourceModule("__global__ void good() {} __global__ void bad(int *a) { a[0] = 1; }")
good, bad = module.get_function("good"), module.get_function("bad")
prepared = module.get_function("bad").prepare("P")
good(block=(1, 1, 1))
LAUNCH
try:
    cuda.Context.synchronize()
except cuda.Error as error:
    print(error)
context.detach()
"""
LAUNCHES = {
    "plain": "bad(np.intp(64), block=(1, 1, 1))",
    "prepared": "prepared.prepared_call((1, 1), (1, 1, 1), 64)",
    "asynchronous": "prepared.prepared_async_call((1, 1), (1, 1, 1), cuda.Stream(), 64)",
}


@pytest.mark.parametrize("how", LAUNCHES)
def test_the_line_of_the_launch_is_named(run_python, tmp_path, how):
    script = tmp_path / "program.py"
    script.write_text(SCRIPT.replace("LAUNCH", LAUNCHES[how]))
    line = 1 + script.read_text().split("\n").index(LAUNCHES[how])
    result = run_python(str(script))
    assert result.returncode == 0, result.stderr
    assert f"program.py:{line}" in result.stdout
    assert '"bad"' in result.stdout


def test_sync_mode_raises_at_the_guilty_launch(run_python, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(SCRIPT.replace("LAUNCH", LAUNCHES["plain"]))
    line = 1 + script.read_text().split("\n").index(LAUNCHES["plain"])
    result = run_python(str(script), TREADLE_SYNC="1")
    assert result.returncode != 0
    assert f'program.py", line {line}' in result.stderr
