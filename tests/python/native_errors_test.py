# SPDX-License-Identifier: MIT
"""An error of the native API that surfaces late names the kernel and the line that launched it."""

import pytest

import treadle

NATIVE = """
import numpy as np, treadle
device = treadle.default_device()
program = treadle.Program(device, '''
extern "C" __global__ void good() {}
extern "C" __global__ void bad(int *a, long long i) { a[i] = 1; }''')
good, bad = program.kernel("good"), program.kernel("bad")
memory, stream = treadle.Buffer(device, 64), device.make_stream()
good(groups=1, group_size=1, stream=stream)
bad(memory, np.int64(1 << 40), groups=2, group_size=(3,), stream=stream)
print([(r.kernel, r.groups, r.group_size, r.line) for r in device.last_launches()])
try:
    WAIT
except treadle.Error as error:
    print(type(error).__name__, error)
"""
BAD = "bad(memory, np.int64(1 << 40), groups=2, group_size=(3,), stream=stream)"


def line_of(script, text):
    return 1 + script.read_text().split("\n").index(text)


@pytest.mark.usefixtures("on_cpu")  # on a GPU the address may be somebody's
@pytest.mark.parametrize("wait", ["stream.synchronize()", "stream.record().synchronize()"])
def test_a_native_kernel_is_named_with_shape_and_line(run_python, tmp_path, wait):
    script = tmp_path / "program.py"
    script.write_text(NATIVE.replace("WAIT", wait))
    result = run_python(str(script))
    assert result.returncode == 0, result.stderr
    first, second = line_of(script, BAD), line_of(script, BAD) - 1
    launches, error = result.stdout.splitlines()[:2]
    assert launches == (
        f"[('bad', Extent(2, 1, 1), Extent(3, 1, 1), {first}), "
        f"('good', Extent(1, 1, 1), Extent(1, 1, 1), {second})]"
    )
    assert error.startswith("LaunchError")
    assert f'"bad", grid 2x1x1, block 3x1x1 ({script}:{first})' in error
    assert f'"good", grid 1x1x1, block 1x1x1 ({script}:{second})' in error
    assert "the context is lost" in error


@pytest.mark.usefixtures("on_cpu")
def test_sync_mode_raises_at_the_guilty_native_launch(run_python, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(NATIVE)
    result = run_python(str(script), TREADLE_SYNC="1")
    assert result.returncode != 0
    assert f'program.py", line {line_of(script, BAD)}' in result.stderr
    assert 'kernel "bad"' in result.stderr
    assert "last launches" not in result.stderr


def test_launches_on_every_device_are_remembered_with_their_line():
    for device in treadle.devices():
        text = "#include <treadle/dialect.h>\nTREADLE_KERNEL k(TREADLE_GLOBAL int *a) { a[0] = 1; }"
        kernel = treadle.Program(device, text).kernel("k")
        assert device.last_launches() == [] or device.last_launches()[0].kernel
        memory = treadle.Buffer(device, 64)
        kernel(memory, groups=2, group_size=4)
        launch = device.last_launches()[0]
        assert (launch.kernel, *launch.groups, *launch.group_size) == ("k", 2, 1, 1, 4, 1, 1)
        assert launch.file == __file__
        assert launch.local_bytes == 0
        device.default_stream().synchronize()
