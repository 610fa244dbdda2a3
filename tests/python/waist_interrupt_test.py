# SPDX-License-Identifier: MIT
"""Ctrl-C ends waits of the native API and the PyOpenCL face, on each device that runs kernels."""

import pytest

import treadle

# Sends itself SIGINT once the wait has begun; the kernel runs far longer than that.
NATIVE = """
import os, signal, sys, threading
import numpy as np, treadle
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
device = treadle.find_device(sys.argv[1])
program = treadle.Program(device, '''
#include <treadle/dialect.h>
TREADLE_KERNEL spin(long rounds, TREADLE_GLOBAL long *out)
{
    unsigned long s = out[0];
    for (long i = 0; i < rounds; ++i) s = s * 6364136223846793005UL + i;
    out[0] = s;
}''')
spin = program.kernel("spin")
host = np.zeros(1, np.int64)
out, stream = treadle.Buffer(device, host), device.default_stream()
spin(np.int64(20_000_000_000), out, groups=1, group_size=1)
event = stream.record()
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    WAIT
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", event.is_done)
sys.stdout.flush()
os._exit(0)  # the kernel is still running: leaving as usual would wait for it
"""
FACE = """
import os, signal, sys, threading
import numpy as np, treadle.compat, pyopencl as cl
signal.signal(signal.SIGINT, signal.default_int_handler)
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
spin = cl.Program(context, '''
__kernel void spin(long rounds, __global long *out)
{
    ulong s = out[0];
    for (long i = 0; i < rounds; ++i) s = s * 6364136223846793005UL + i;
    out[0] = s;
}''').build().spin
host = np.zeros(1, np.int64)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
out = cl.Buffer(context, flags, hostbuf=host)
event = spin(queue, (1,), (1,), np.int64(20_000_000_000), out)
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    WAIT
    print("not interrupted")
except KeyboardInterrupt:
    status = cl.command_execution_status
    print("interrupted", event.command_execution_status == status.COMPLETE)
sys.stdout.flush()
os._exit(0)
"""


DEVICES = [device.id for device in treadle.devices() if device.runs_kernels]


@pytest.fixture
def interrupted(run_python, tmp_path):
    def run(text, wait, *arguments):
        script = tmp_path / "script.py"
        script.write_text(text.replace("WAIT", wait))
        result = run_python(str(script), *arguments)
        return result.stdout.strip() or result.stderr

    return run


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "wait",
    [
        "stream.synchronize()",
        "event.synchronize()",
        "out.copy_to(host)",
        "out.copy_from(host)",
        "treadle.Buffer(device, host)",
    ],
)
def test_ctrl_c_ends_a_wait_of_the_native_api(interrupted, wait, device):
    assert interrupted(NATIVE, wait, device) == "interrupted False"


@pytest.mark.parametrize(
    "wait", ["queue.finish()", "event.wait()", "cl.wait_for_events([event, event])"]
)
def test_ctrl_c_ends_a_wait_of_the_pyopencl_face(interrupted, wait):
    if not any(d.language == "OpenCL C" for d in treadle.devices()):
        pytest.skip("needs an OpenCL platform")
    assert interrupted(FACE, wait) == "interrupted False"
