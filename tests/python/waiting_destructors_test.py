# SPDX-License-Identifier: MIT
"""The driver may wait for work when an object goes, and the work may be a Python function, which
needs the GIL: no destructor holds it."""

PROGRAM = """
import faulthandler, sys, time
import numpy as np
import treadle
from treadle import cuda

context = cuda.Context.create(cuda.default_device())
context.push()
stream = cuda.Stream()
image = treadle.compile_cuda('extern "C" __global__ void k() {}', cuda.default_device().target)
memory = cuda.DeviceMemory(4096)


def graph():
    made = cuda.Graph()
    made.add_empty()
    return made


makers = {
    "DeviceMemory": lambda: cuda.DeviceMemory(64),
    "HostMemory": lambda: cuda.HostMemory(64),
    "ManagedMemory": lambda: cuda.ManagedMemory(64),
    "Module": lambda: cuda.Module(image.image),
    "Library": lambda: cuda.Library(image.image),
    "Graph": graph,
    "GraphExec": lambda: graph().instantiate(),
    "Array": lambda: cuda.Array(8),
    "MipmappedArray": lambda: cuda.MipmappedArray(8, levels=2),
    "Texture": lambda: cuda.Texture(cuda.Array(8)),
    "Surface": lambda: cuda.Surface(cuda.Array(8, flags=cuda.ArrayFlags.surface_load_store)),
    "Stream": lambda: cuda.Stream(),
    "Event": lambda: cuda.Event(),
    "MemoryPool": lambda: cuda.MemoryPool(),
    "Buffer": lambda: treadle.Buffer(treadle.default_device(), 64),
    "Context": lambda: cuda.Context.create(cuda.default_device()),
}
for name, make in makers.items():
    faulthandler.dump_traceback_later(20, exit=True)
    print(name, flush=True)
    thing, called = make(), []
    cuda.call_host(stream, lambda: (time.sleep(0.02), called.append(name)))
    del thing
    stream.synchronize()
    assert called == [name]
    faulthandler.cancel_dump_traceback_later()
print("all gone")
"""


def test_no_destructor_waits_with_the_gil(run_python):
    result = run_python("-c", PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == "all gone"


def test_what_lives_until_the_exit_lets_its_objects_go_there(run_python):
    program = """
from treadle import cuda

cuda.Context.create(cuda.default_device()).push()
memory = cuda.DeviceMemory(1024)
row = cuda.Texture(cuda.TextureMemory(memory, 256, format=cuda.ArrayFormat.int32))
"""
    result = run_python("-c", program)  # which refuses what has leaked
    assert result.returncode == 0, result.stdout + result.stderr
