# SPDX-License-Identifier: MIT
"""Ctrl-C ends waits of the native API and the PyOpenCL face, on each device that runs kernels."""

import pytest

import treadle

# Sends itself SIGINT once the wait has begun; the kernel runs for a year or so.
NATIVE = """
import os, signal, sys, threading
import numpy as np, treadle
sys.setswitchinterval(1000)  # the timer gets its turn in the wait, not before it
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
import treadle.numpy as tnp
with device:
    x = tnp.asarray(np.ones(4, np.float32))
    # Compiled now: a GPU's driver may load a kernel only when those that run have ended.
    repr(x), (x + 1).sum().item(), bool((x > 0).all())
spin(np.int64(10**16), out, groups=1, group_size=1)
event = stream.record()
other = device.make_stream()
other.wait(event)
end = other.record()
try:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
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
sys.setswitchinterval(1000)  # the timer gets its turn in the wait, not before it
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
import pyopencl.array as cla
x = cla.to_device(queue, np.ones(4, np.float32))
cla.sum(x + 1).get()  # compiled now: Ctrl-C does not end that
host = np.zeros(1, np.int64)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
out = cl.Buffer(context, flags, hostbuf=host)
svm = None
if context.devices[0].svm_capabilities:
    svm = cl.SVM(cl.svm_empty(context, cl.svm_mem_flags.READ_WRITE, 1, np.int64))
event = spin(queue, (1,), (1,), np.int64(10**16), out)
try:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    WAIT
    print("not interrupted")
except KeyboardInterrupt:
    status = cl.command_execution_status
    print("interrupted", event.command_execution_status == status.COMPLETE)
sys.stdout.flush()
os._exit(0)
"""
# Leaves a copy that waits for `gate`; says whether its host memory is kept, now and afterwards.
LEFT = """
import gc, os, signal, sys, threading, weakref
import numpy as np, treadle.compat, pyopencl as cl
sys.setswitchinterval(1000)  # the timer gets its turn in the wait, not before it
signal.signal(signal.SIGINT, signal.default_int_handler)
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
gate = cl.UserEvent(context)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 8)
host = np.full(8, 7, np.uint8)
kept = weakref.ref(host)
def copy(host):
    try:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        COPY
    except KeyboardInterrupt:
        print("interrupted")
copy(host)
del host
gc.collect()
print(kept() is not None)
gate.set_status(0)
queue.finish()
gc.collect()
print(kept() is not None)
"""


DEVICES = [device.id for device in treadle.devices() if device.traits.runs_kernels]
needs_opencl = pytest.mark.skipif(
    not any(device.language == treadle.Language.opencl_c for device in treadle.devices()),
    reason="needs an OpenCL platform",
)


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
        "device.adopt_event(event.raw).synchronize()",
        "other.synchronize()",
        "device.adopt_stream(other.raw).synchronize()",
        "out.copy_to(host)",
        "out.copy_from(host)",
        "treadle.Buffer(device, host)",
        "x.get()",
        "repr(x)",
        "(x + 1).sum().item()",
        "bool((x > 0).all())",
        "x.set(np.zeros(4, np.float32))",
    ],
)
def test_ctrl_c_ends_a_wait_of_the_native_api(interrupted, wait, device):
    assert interrupted(NATIVE, wait, device) == "interrupted False"


@needs_opencl
@pytest.mark.parametrize(
    "wait",
    [
        "queue.finish()",
        "event.wait()",
        "cl.wait_for_events([event, event])",
        "cl.enqueue_copy(queue, host, out)",
        "cl.enqueue_copy(queue, out, host)",
        "cl.enqueue_copy(queue, host, out, region=(8, 1), buffer_origin=(0, 0),"
        " host_origin=(0, 0))",
        "cl.enqueue_map_buffer(queue, out, cl.map_flags.READ, 0, (1,), np.int64)",
        "svm.map_rw(queue) if svm else event.wait()",
        "cl.enqueue_copy(queue, host, svm) if svm else event.wait()",
        "x.get()",
        "repr(x)",
        "cla.sum(x + 1).get()",
        "x.set(np.zeros(4, np.float32))",
    ],
)
def test_ctrl_c_ends_a_wait_of_the_pyopencl_face(interrupted, wait):
    assert interrupted(FACE, wait) == "interrupted False"


@needs_opencl
@pytest.mark.parametrize(
    "copy",
    [
        "cl.enqueue_copy(queue, host, buffer, wait_for=[gate])",
        "cl.enqueue_copy(queue, buffer, host, wait_for=[gate])",
    ],
)
def test_the_host_memory_of_a_copy_that_was_left_is_kept_until_it_is_over(
    run_python, tmp_path, copy
):
    script = tmp_path / "script.py"
    script.write_text(LEFT.replace("COPY", copy))
    result = run_python(str(script), timeout=60)
    assert result.stdout.split() == ["interrupted", "True", "False"], result.stderr
