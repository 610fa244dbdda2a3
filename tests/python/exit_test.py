# SPDX-License-Identifier: MIT
"""The process ends when its program does: with threads at work, and whatever callbacks raise."""

import pytest

# Threads that go in and out of the C++ core for as long as there is an interpreter.
AT_WORK = """
import sys, threading, time
import numpy as np
import treadle, treadle.numpy as tnp
device = treadle.find_device(sys.argv[1])
def work():
    with device:
        x = tnp.arange(1000, dtype=np.float32)
        buffer = treadle.Buffer(device, 4000)
        host = np.empty(1000, np.float32)
        while True:
            (x + 1).sum().get()
            repr(x[:3] * 2)
            buffer.copy_to(host)
            buffer.copy_from(host)
            device.make_stream().synchronize()
            treadle.Buffer(device, 64).free()
            (x > 500).any().item()
threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
for thread in threads:
    thread.start()
time.sleep(float(sys.argv[2]))
print("end", flush=True)
"""


@pytest.mark.parametrize("seconds", ["0.3", "0.5"])
def test_daemon_threads_at_work_do_not_abort_the_process(run_python, tmp_path, seconds, a_device):
    script = tmp_path / "script.py"
    script.write_text(AT_WORK)
    result = run_python(str(script), a_device, seconds, timeout=60, TREADLE_TEST_LEAKS="")
    assert (result.returncode, result.stdout) == (0, "end\n"), result.stderr
    assert "terminate" not in result.stderr


@pytest.fixture(params=["cpu", "opencl"])
def a_device(request):
    import treadle

    if request.param != "cpu" and not any(d.id.startswith("opencl") for d in treadle.devices()):
        pytest.skip("no OpenCL device")
    return request.param


# Registered before the package, so called after its own function at exit.
JOINED = """
import atexit, sys, threading
def join():
    stop.set()
    thread.join()
    print("joined", flush=True)
atexit.register(join)
import treadle, treadle.numpy as tnp
stop = threading.Event()
def work():
    with treadle.find_device(sys.argv[1]):
        x = tnp.arange(1000)
        while not stop.is_set():
            (x + 1).sum().get()
thread = threading.Thread(target=work, daemon=True)
thread.start()
"""


def test_functions_at_exit_may_wait_for_threads_at_work(run_python, tmp_path, a_device):
    script = tmp_path / "script.py"
    script.write_text(JOINED)
    result = run_python(str(script), a_device, timeout=60, TREADLE_TEST_LEAKS="")
    assert (result.returncode, result.stdout) == (0, "joined\n"), result.stderr


# Threads that wait for the interpreter's lock are not there in a child.
FORKED = AT_WORK.replace(
    'print("end", flush=True)',
    """
import os
threading.Thread(target=lambda: [sum(range(10000)) for _ in iter(int, 1)], daemon=True).start()
for _ in range(8):
    if not (child := os.fork()):
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
print("end", flush=True)
""",
)


def test_a_child_of_fork_ends_while_threads_of_its_parent_work(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(FORKED)
    result = run_python(str(script), "cpu", "0.3", timeout=60, TREADLE_TEST_LEAKS="")
    assert (result.returncode, result.stdout) == (0, "end\n"), result.stderr


CALLBACKS = {
    "event": """
import treadle.compat, pyopencl as cl
context = cl.create_some_context(interactive=False)
event = cl.UserEvent(context)
event.set_callback(cl.command_execution_status.COMPLETE, lambda status: call())
event.set_status(0)
called.wait(10)
""",
    "memory": """
import treadle.compat, pyopencl as cl
context = cl.create_some_context(interactive=False)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
buffer.on_destruction(call)
buffer.release()
called.wait(10)
""",
    "native kernel": """
import treadle.compat, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
cl.enqueue_native_kernel(queue, call)
queue.finish()
""",
    "stream": """
import treadle
stream = treadle.find_device("cpu").make_stream()
stream.call_host(call)
stream.synchronize()
called.wait(10)
""",
    "graph": """
import treadle.cuda as cu
current = cu.Context.make_current(cu.default_driver().devices()[0])
current.__enter__()
graph = cu.Graph()
graph.add_host(call)
stream = cu.Stream()
graph.instantiate().launch(stream)
stream.synchronize()
called.wait(10)
""",
}
CALL = """
import sys, threading
called = threading.Event()
def call(*arguments):
    called.set()
    raise {raised}
"""


@pytest.mark.parametrize("raised", ["SystemExit(3)", "KeyboardInterrupt", "ValueError('x')"])
@pytest.mark.parametrize("callback", CALLBACKS)
def test_what_a_callback_raises_ends_there(run_python, callback, raised):
    if callback in ("event", "memory", "native kernel"):
        pytest.importorskip("treadle.pyopencl")
    program = CALL.format(raised=raised) + CALLBACKS[callback] + "print(called.is_set())\n"
    result = run_python("-c", program, timeout=60, TREADLE_DEVICE="", TREADLE_TEST_LEAKS="")
    assert (result.returncode, result.stdout) == (0, "True\n"), result.stderr
    assert raised.split("(")[0] in result.stderr
