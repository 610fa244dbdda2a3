# SPDX-License-Identifier: MIT
"""Memory and events that two processes share, in pycuda.driver and in treadle.cuda."""

import numpy as np
import pycuda.driver as cuda
import pytest

import treadle.cuda

EVENT_FLAGS = cuda.event_flags.INTERPROCESS | cuda.event_flags.DISABLE_TIMING
# Doubles what it opens, on a stream that waits for the event first and records it then.
OTHER = """
import sys
import numpy as np
import treadle.compat
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

memory = cuda.IPCMemoryHandle(bytearray.fromhex(sys.argv[1]))
event = cuda.Event.from_ipc_handle(bytearray.fromhex(sys.argv[2]))
module = SourceModule("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }")
double = module.get_function("twice")
stream = cuda.Stream()
stream.wait_for_event(event)
double(np.uintp(memory), block=(8, 1, 1), stream=stream)
event.record(stream)
stream.synchronize()
memory.close()
try:
    memory.close()
except cuda.LogicError:
    print("closed")
"""
NATIVE = """
import sys
import treadle.cuda as cuda
from treadle import compile_cuda

with cuda.Context.make_current(cuda.default_device()):
    memory = cuda.IpcMemory(bytes.fromhex(sys.argv[1]))
    event = cuda.open_ipc_event(bytes.fromhex(sys.argv[2]))
    event.synchronize()
    text = 'extern "C" __global__ void fill(float *a) { a[threadIdx.x] = 2; }'
    module = cuda.Module(compile_cuda(text, cuda.default_device().target).image)
    module.function("fill")(memory, grid=(1,), block=(8,))
    cuda.Context.current().synchronize()
    memory.close()
    print("closed" if memory.is_closed else "open")
"""


@pytest.mark.parametrize(("program", "factor"), [(OTHER, 2), (NATIVE, None)])
def test_another_process_works_on_the_same_memory(context, run_python, program, factor):
    a = np.arange(8, dtype=np.float32)
    memory = cuda.to_device(a)
    event = cuda.Event(EVENT_FLAGS)
    event.record()
    handle, event_handle = cuda.mem_get_ipc_handle(memory), event.ipc_handle()
    assert type(handle) is bytearray and len(handle) == len(event_handle) == 64
    result = run_python("-c", program, handle.hex(), event_handle.hex())
    assert (result.returncode, result.stdout) == (0, "closed\n"), result.stderr
    event.synchronize()
    wanted = factor * a if factor else np.full(8, 2.0)
    np.testing.assert_array_equal(cuda.from_device_like(memory, a), wanted)


REFUSED = {
    "no handle": lambda: cuda.IPCMemoryHandle(bytearray(64)),
    "bytes": lambda: cuda.IPCMemoryHandle(bytes(64)),
    "too short": lambda: cuda.IPCMemoryHandle(bytearray(63)),
    "an event's, of bytes": lambda: cuda.Event.from_ipc_handle(bytes(64)),
    "an event's, none": lambda: cuda.Event.from_ipc_handle(bytearray(64)),
    "an ordinary event": lambda: cuda.Event().ipc_handle(),
    "no flags": lambda: cuda.IPCMemoryHandle(bytearray(64), flags=0),
    "no address": lambda: cuda.mem_get_ipc_handle(4096),
    "timing": lambda: cuda.Event(cuda.event_flags.INTERPROCESS),
    "this process": lambda: cuda.IPCMemoryHandle(cuda.mem_get_ipc_handle(cuda.mem_alloc(64))),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_handle_is_a_logic_error(context, what):
    with pytest.raises(cuda.LogicError):
        REFUSED[what]()


def test_native_refusals_name_the_argument(context):
    with pytest.raises(treadle.InvalidArgument, match="handle has 3 bytes, and 64 were expected"):
        treadle.cuda.IpcMemory(b"abc")
    with pytest.raises(TypeError, match="memory"):
        treadle.cuda.ipc_handle("memory")
