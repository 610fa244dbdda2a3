# SPDX-License-Identifier: MIT
"""Waits let other threads run, and Ctrl-C ends them without ending the work."""

import threading

import pytest

import treadle

SPIN = """
__global__ void spin(long long rounds, long long *out)
{
    long long s = 0;
    for (long long i = 0; i < rounds; ++i) s = s * 6364136223846793005LL + i;
    *out = s;
}
"""

# Sends itself SIGINT once the wait has begun; the kernel runs for a year or so.
SCRIPT = f"""
import os, signal, sys, threading, time
import numpy as np
import treadle.compat, pycuda.autoinit, pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule
sys.setswitchinterval(1000)  # the timer gets its turn in the wait, not before it
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
spin = SourceModule('''{SPIN}''').get_function("spin")
out = cuda.mem_alloc(8)
event, stream = cuda.Event(), cuda.Stream()
x = gpuarray.to_gpu(np.ones(4, np.float32))
descriptor = cuda.ArrayDescriptor()
descriptor.width, descriptor.height, descriptor.num_channels = 4, 4, 1
descriptor.format = cuda.array_format.FLOAT
array, locked = cuda.Array(descriptor), cuda.pagelocked_empty(4, np.float32)
registered = cuda.register_host_memory(np.zeros(4, np.float32))
# Compiled now: a GPU's driver may load a kernel only when those that run have ended.
repr(x), gpuarray.sum(x).get(), bool((x > 0).all()), (x + 1).get()
h = np.zeros(1, np.int64)
spin(np.int64(10**16), out, block=(1, 1, 1), stream=stream)
event.record(stream)
try:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    WAIT
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", event.query())
sys.stdout.flush()
os._exit(0)  # the kernel is still running: leaving as usual would wait for it
"""


@pytest.mark.parametrize(
    "wait",
    [
        "cuda.Context.synchronize()",
        "stream.synchronize()",
        "event.synchronize()",
        "cuda.memcpy_dtoh(np.empty(1, np.int64), out)",
        "cuda.memcpy_htod(out, np.empty(1, np.int64))",
        "cuda.memset_d32(out, 1, 2); cuda.Context.synchronize()",
        "out.free(); cuda.Context.synchronize()",
        "array.free(); cuda.Context.synchronize()",
        "locked.base.free(); cuda.Context.synchronize()",
        "del out; cuda.Context.synchronize()",
        "del locked; cuda.Context.synchronize()",
        "del array; cuda.Context.synchronize()",
        "del registered; cuda.Context.synchronize()",
        "del spin; cuda.Context.synchronize()",  # and with it its module
        "pycuda.autoinit.context.detach()",
        "cuda.memcpy_peer(out, x.gpudata, 8, pycuda.autoinit.context); cuda.Context.synchronize()",
        "x.get()",
        "repr(x)",
        "gpuarray.sum(x).get()",
        "bool((x > 0).all())",
        "x.set(np.zeros(4, np.float32))",
        "gpuarray.to_gpu(np.zeros(4, np.float32))",
        "(x + 1).get()",
        "x.get_async()",
        "x.get_async(ary=np.empty(4, np.float32))",
        "cuda.memcpy_dtod(out, x.gpudata, 8); cuda.Context.synchronize()",
        "cuda.to_device(h)",  # its memory ends while the exception passes
        "spin(np.int64(1), cuda.In(h), block=(1, 1, 1)); cuda.Context.synchronize()",
        "spin(np.int64(1), cuda.InOut(h), block=(1, 1, 1))",
        "other = cuda.pagelocked_empty(4, np.float32); x.get(ary=other)",
    ],
)
def test_ctrl_c_ends_a_wait(run_python, tmp_path, wait):
    ends = any(word in wait for word in ("free", "del ", "detach"))
    if ends and any(d.id.startswith("cuda") for d in treadle.devices()):
        pytest.skip("NVIDIA's driver waits in cuMemFree and its like, deaf")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("WAIT", wait))
    result = run_python(str(script))
    assert result.stdout.strip() == "interrupted False", result.stdout + result.stderr


# The kernel ends in a year or so. Each wait is sent a SIGINT.
ENDLESS = f"""
import os, signal, sys, threading
import numpy as np
import treadle.compat, pycuda.driver as cuda
from pycuda.compiler import SourceModule
sys.setswitchinterval(1000)  # the timer gets its turn in the wait, not before it
signal.signal(signal.SIGINT, signal.default_int_handler)
cuda.init()
context = cuda.Device(0).make_context()
spin = SourceModule('''{SPIN}''').get_function("spin")
out = cuda.mem_alloc(8)
end = cuda.Event()
spin(np.int64(10**16), out, block=(1, 1, 1))
end.record()
def interrupted(wait):
    try:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        wait()
    except KeyboardInterrupt:
        return True
"""
# On the CPU device a thread that waits runs short kernels itself: was it short, is it so again?
SHORT_BEFORE = ENDLESS.replace(
    "spin(np.int64(10**16), out, block=(1, 1, 1))\n",
    """
def run(rounds):
    spin(np.int64(rounds), out, block=(1, 1, 1))
    cuda.Context.synchronize()
for _ in range(100):
    run(1)
""",
)
# A second Ctrl-C ends the kernel; then another context works.
TWICE = """
print("first:", interrupted(cuda.Context.synchronize), end.query())
print("second:", interrupted(end.synchronize))
try:
    cuda.Context.synchronize()
except cuda.Error as error:
    print(type(error).__name__)
context.detach()
context = cuda.Device(0).make_context()
data = np.arange(4)
print((cuda.from_device_like(cuda.to_device(data), data) == data).all())
context.pop()
"""


@pytest.mark.usefixtures("on_cpu")
def test_a_second_ctrl_c_ends_an_endless_kernel(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(ENDLESS + TWICE)
    result = run_python(str(script), timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "first: True False",
        "second: True",
        "LaunchError",
        "True",
    ]


def test_ctrl_c_ends_a_long_wait_for_a_kernel_that_was_short_before(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        SHORT_BEFORE + "print(interrupted(lambda: run(10**16)), flush=True)\nos._exit(0)\n"
    )
    result = run_python(str(script), timeout=60)
    assert result.stdout == "True\n", result.stderr


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("end", ["context.pop()", "context.pop(); context.detach()", "pass"])
def test_a_program_ends_although_its_kernel_does_not(run_python, tmp_path, end):
    script = tmp_path / "script.py"
    script.write_text(ENDLESS + f"print(interrupted(cuda.Context.synchronize))\n{end}\n")
    result = run_python(str(script), timeout=60)
    assert (result.returncode, result.stdout) == (0, "True\n"), result.stderr


def test_other_threads_run_while_one_waits(build):
    import numpy as np
    import pycuda.driver as cuda

    spin = build(SPIN).get_function("spin")
    out = cuda.mem_alloc(8)
    end = cuda.Event()
    # Long enough for the other thread to be seen, whatever the device's speed.
    spin(np.int64(300_000_000), out, block=(1, 1, 1))
    end.record()
    counted = []

    def count():
        while not finished.is_set():
            counted.append(end.query())

    finished = threading.Event()
    thread = threading.Thread(target=count)
    thread.start()
    cuda.Context.synchronize()
    finished.set()
    thread.join()
    assert False in counted


def test_a_kernel_s_fault_is_an_error_and_the_process_goes_on(run_python):
    result = run_python(
        "-c",
        "import numpy as np, treadle.compat, pycuda.driver as cuda\n"
        "from pycuda.compiler import SourceModule\n"
        "cuda.init()\n"
        "context = cuda.Device(0).make_context()\n"
        "k = SourceModule('__global__ void k(int *a) { a[0] = 1; }').get_function('k')\n"
        "k(np.intp(64), block=(1, 1, 1))\n"
        "try: cuda.Context.synchronize()\n"
        "except cuda.Error as error: print(type(error).__name__, error.code)\n"
        "context.detach()\n"
        "print('goes on')\n",
    )
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[-1] == "goes on"
    assert lines[0].split()[0] in ("LogicError", "LaunchError")


def test_a_forked_child_is_told_to_spawn(run_python):
    result = run_python(
        "-c",
        "import os, sys, treadle.compat, pycuda.driver as cuda\n"
        "cuda.init()\n"
        "context = cuda.Device(0).make_context()\n"
        "memory = cuda.mem_alloc(64)\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    try: cuda.mem_alloc(64)\n"
        "    except cuda.Error as error:\n"
        "        print('child:', error, getattr(error, '__notes__', ''), flush=True)\n"
        "    os._exit(0)\n"
        "os.waitpid(pid, 0)\n"
        "cuda.memset_d8(memory, 1, 64)\n"
        "context.pop()\n"
        "print('parent goes on')\n",
    )
    assert result.returncode == 0, result.stderr
    child, parent = result.stdout.splitlines()
    assert "spawn" in child
    assert parent == "parent goes on"
