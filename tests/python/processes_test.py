# SPDX-License-Identifier: MIT
"""Sub-processes of a program that uses a device (P10)."""

import pytest

# The parent has a context; a child is started in one of three ways. Printed is what the child saw.
SCRIPT = """
import multiprocessing, sys
import numpy as np, treadle.compat, pycuda.driver as cuda

def child(connection):
    try:
        cuda.init()
        context = cuda.Device(0).make_context()
        cuda.mem_alloc(64).free()
        context.pop()
        context.detach()
        connection.send("works")
    except Exception as error:
        notes = getattr(error, "__notes__", [])
        connection.send(" ".join([type(error).__name__, str(error), *notes]))

if __name__ == "__main__":
    FIRST
    start = multiprocessing.get_context(sys.argv[1])
    here, there = start.Pipe()
    process = start.Process(target=child, args=(there,))
    process.start()
    print("child:", here.recv() if here.poll(60) else "silent")
    process.join()
    print("exit code:", process.exitcode)
    LAST
    print("parent goes on")
"""
OURS = (
    "cuda.init(); context = cuda.Device(0).make_context(); memory = cuda.mem_alloc(64)",
    "cuda.memset_d8(memory, 1, 64); cuda.Context.synchronize(); context.pop()",
)
# Another library loads the driver by itself and initializes it; we have done nothing yet.
OTHERS = (
    "import ctypes; library = ctypes.CDLL(str(treadle.cuda.default_driver().library));"
    " assert library.cuInit(0) == 0",
    "cuda.init(); context = cuda.Device(0).make_context(); cuda.mem_alloc(64); context.pop()",
)


@pytest.fixture
def report(run_python, tmp_path):
    def run(method, first, last):
        script = tmp_path / "script.py"
        script.write_text(SCRIPT.replace("FIRST", first).replace("LAST", last))
        result = run_python(str(script), method)
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return run


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize(("first", "last"), [OURS, OTHERS], ids=["ours", "others"])
def test_a_process_of_its_own_works(report, method, first, last):
    assert report(method, first, last) == ["child: works", "exit code: 0", "parent goes on"]


@pytest.mark.parametrize(("first", "last"), [OURS, OTHERS], ids=["ours", "others"])
def test_a_forked_child_is_told_to_spawn_and_ends_as_usual(report, first, last):
    child, code, parent = report("fork", first, last)
    assert "spawn" in child
    assert "Error" in child.split()[1]
    assert (code, parent) == ("exit code: 0", "parent goes on")


def test_a_child_forked_before_the_driver_is_used_works(report):
    assert report("fork", "pass", "pass") == ["child: works", "exit code: 0", "parent goes on"]
