# SPDX-License-Identifier: MIT
"""Sub-processes of a program that uses a device (P10)."""

import pytest

import treadle

# Starts child(connection) of a script in the way its first argument names, and prints what it saw.
RUN_CHILD = """\
    start = multiprocessing.get_context(sys.argv[1])
    here, there = start.Pipe()
    process = start.Process(target=child, args=(there,))
    process.start()
    print("child:", here.recv() if here.poll(60) else "silent")
    process.join()
    print("exit code:", process.exitcode)"""

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
    RUN_CHILD
    LAST
    print("parent goes on")
""".replace("    RUN_CHILD", RUN_CHILD)
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


# The same by other ways to a device: make() uses it and gives a question that needs it.
ANY_API = """
import multiprocessing, sys
import numpy as np
MAKE

def child(connection):
    try:
        connection.send(make()())
    except Exception as error:
        notes = getattr(error, "__notes__", [])
        connection.send(" ".join([type(error).__name__, *str(error).split("\\n"), *notes]))

if __name__ == "__main__":
    ask = make()
    RUN_CHILD
    print("parent:", ask())
""".replace("    RUN_CHILD", RUN_CHILD)
NATIVE = """
import treadle

def make():
    memory = treadle.Buffer(treadle.find_device(sys.argv[2]), np.arange(4))
    def ask():
        back = np.empty(4, np.int64)
        memory.copy_to(back)
        return back.tolist()
    return ask
"""
FACE = """
import treadle.compat, pyopencl as cl

def make():
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 32)
    cl.enqueue_copy(queue, memory, np.arange(4))
    def ask():
        back = np.empty(4, np.int64)
        cl.enqueue_copy(queue, back, memory)
        return back.tolist()
    return ask
"""
DEVICES = [device.id for device in treadle.devices()]
APIS = [pytest.param(NATIVE, device, id=device) for device in DEVICES]
if any(device.startswith("opencl") for device in DEVICES):
    APIS.append(pytest.param(FACE, "", id="pyopencl"))


@pytest.fixture
def report_of(run_python, tmp_path):
    def run(method, make, device):
        script = tmp_path / "script.py"
        script.write_text(ANY_API.replace("MAKE", make))
        result = run_python(str(script), method, device)
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return run


@pytest.mark.parametrize(("make", "device"), APIS)
def test_a_spawned_child_works_by_every_api(report_of, make, device):
    assert report_of("spawn", make, device) == [
        "child: [0, 1, 2, 3]",
        "exit code: 0",
        "parent: [0, 1, 2, 3]",
    ]


@pytest.mark.parametrize(("make", "device"), APIS)
def test_a_forked_child_is_told_to_spawn_by_every_api(report_of, make, device):
    child, code, parent = report_of("fork", make, device)
    assert '"spawn"' in child
    assert child.split()[1] != "works"
    assert (code, parent) == ("exit code: 0", "parent: [0, 1, 2, 3]")


@pytest.mark.parametrize(("make", "device"), APIS)
def test_a_child_forked_before_a_device_is_used_works_by_every_api(
    run_python, tmp_path, make, device
):
    script = tmp_path / "script.py"
    text = ANY_API.replace("MAKE", make)
    script.write_text(text.replace("    ask = make()\n", "").replace(", ask()", ", make()()"))
    result = run_python(str(script), "fork", device)
    assert result.stdout.splitlines() == [
        "child: [0, 1, 2, 3]",
        "exit code: 0",
        "parent: [0, 1, 2, 3]",
    ], result.stderr


INHERITED = """
import os
import numpy as np, treadle
device = treadle.find_device("DEVICE")
memory = treadle.Buffer(device, np.arange(4))
kernel = treadle.Program(device, "#include <treadle/dialect.h>\\n"
                         "TREADLE_KERNEL k(TREADLE_GLOBAL int *a) { a[0] = 1; }").kernel("k")
stream, event = device.make_stream(), device.make_event()
pid = os.fork()
if pid == 0:
    for use in (
        lambda: treadle.Buffer(device, 64),
        lambda: memory.copy_to(np.empty(4, np.int64)),
        lambda: kernel(memory, groups=1, group_size=1),
        stream.synchronize,
        device.make_stream,
    ):
        try:
            use()
            print("nothing", flush=True)
        except treadle.Error as error:
            print(error, *getattr(error, "__notes__", []), flush=True)
    del memory, kernel, stream, event
    os._exit(0)
print("status", os.waitpid(pid, 0)[1])
kernel(memory, groups=1, group_size=1)
device.default_stream().synchronize()
"""


@pytest.mark.parametrize("device", DEVICES)
def test_what_a_forked_child_inherits_is_of_no_use_and_says_so(run_python, device):
    result = run_python("-c", INHERITED.replace("DEVICE", device))
    assert result.returncode == 0, result.stderr
    assert result.stdout.count('with "spawn"') == 5, result.stdout
    assert "nothing" not in result.stdout
    assert "status 0" in result.stdout
