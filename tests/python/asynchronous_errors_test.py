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


def test_each_of_the_last_launches_has_its_own_line(run_python, tmp_path):
    # The same two lines again and again, and code that is made and dropped in between: what is
    # remembered of one place is never told of another.
    lines = (
        "for turn in range(300):",
        "    exec(compile('good(block=(1, 1, 1))', f'made{turn}.py', 'exec'))",
        "    good(block=(1, 1, 1))",
        "    good(",
        "        block=(2, 1, 1))",
        "bad(np.intp(64), block=(1, 1, 1))",
    )
    script = tmp_path / "program.py"
    script.write_text(SCRIPT.replace("LAUNCH", "\n".join(lines)))
    first = 1 + script.read_text().split("\n").index(lines[0])
    result = run_python(str(script))
    assert result.returncode == 0, result.stderr
    said = [text.partition(")")[0] for text in result.stdout.split("(")]
    places = [text for text in said if ".py:" in text]
    own = f"{script}:"
    assert places[:4] == [
        f"{own}{first + 5}",
        f"{own}{first + 3}",
        f"{own}{first + 2}",
        "made299.py:1",
    ]
    assert places[4:7] == [f"{own}{first + 3}", f"{own}{first + 2}", "made298.py:1"]
