# SPDX-License-Identifier: MIT
"""No call ends the process, whatever object is its self or its argument: one whose __init__() was
never called, or one of another class. TREADLE_RANDOM_CALLS=SEED:COUNT makes all of the calls and
COUNT of random arguments for each callable, in about COUNT + 1 half hours; otherwise one in forty
is made."""

import os
import pathlib

import pytest

import treadle
import treadle.cuda as cu
import treadle.numpy as tnp

PROGRAM = pathlib.Path(__file__).with_name("half_made_objects.py")
IS_COMPLETE = "TREADLE_RANDOM_CALLS" in os.environ
PARTS = 40


def deaths_of(run_python, part):
    first, found = 0, []
    while len(found) < 30:
        result = run_python(str(PROGRAM), str(part), str(PARTS), str(first), timeout=3600)
        lines = result.stdout.splitlines()
        assert lines, result.stderr
        left = [line for line in lines if " raised " in line]  # what no caller expects: SystemExit
        if lines[-1] == "done":
            return found + left
        found += [*left, f"{lines[-1]}: {result.returncode} {result.stderr[-3000:]}"]
        first = int(lines[-1].split()[0]) + 1
    return found


@pytest.mark.parametrize("part", range(PARTS) if IS_COMPLETE else [7])
def test_no_call_with_wrong_objects_ends_the_process(run_python, part):
    if not any(device.id.startswith("opencl") for device in treadle.devices()):
        pytest.skip("the calls are those of all three APIs")
    assert deaths_of(run_python, part) == []


class NeverMade(treadle.Buffer):
    def __init__(self):
        pass


class NeverMadeArray(tnp.ndarray):
    def __init__(self):
        pass


@pytest.mark.parametrize(
    "use",
    [
        lambda: NeverMadeArray() + 1,
        lambda: 1 - NeverMadeArray(),
        lambda: tnp.ones(3) * NeverMadeArray(),
        lambda: NeverMadeArray() == 1,
        lambda: len(NeverMadeArray()),
        lambda: bool(NeverMadeArray()),
        lambda: NeverMadeArray()[0],
        lambda: memoryview(NeverMadeArray()),
        lambda: NeverMadeArray().ravel(),
        lambda: tnp.sqrt(NeverMadeArray()),
        lambda: memoryview(NeverMade()),
        lambda: treadle.default_device().default_stream().copy(NeverMade(), NeverMade()),
        lambda: cu.Stream.__new__(cu.Stream).synchronize(),
        lambda: int(cu.DeviceMemory.__new__(cu.DeviceMemory)),
    ],
)
def test_an_object_that_was_never_made_says_so(use):
    with pytest.raises(TypeError):
        use()
