# SPDX-License-Identifier: MIT
"""The driver may wait for work when an object goes, and the work may be a Python function, which
needs the GIL: no destructor holds it, nor does a call that waits so."""

PROGRAM = """
import faulthandler, sys, time
import numpy as np
import treadle
from treadle import cuda
from treadle.pycuda import driver, tools
from treadle.pycuda.compiler import SourceModule

context = cuda.Context.create(cuda.default_device())
context.push()
stream = cuda.Stream()
image = treadle.compile_cuda('extern "C" __global__ void k() {}', cuda.default_device().target)
memory = cuda.DeviceMemory(4096)


def graph():
    made = cuda.Graph()
    made.add_empty()
    return made


def held(pool, *sizes):
    pool.allocate(*sizes)  # and freed: the pool holds it
    return pool


READS = "texture<float, 2> t; __global__ void k(float *o) { o[0] = tex2D(t, 0, 0); }"
reading = SourceModule(READS)
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
    "Function": lambda: cuda.Module(image.image).function("k"),
    "Function of a library": lambda: cuda.Library(image.image).kernel("k").function(),
    "pycuda.Function": lambda: SourceModule(READS).get_function("k"),
    "ManagedAllocation": lambda: driver.managed_empty(16, np.float32),
    "RegisteredHostMemory": lambda: driver.register_host_memory(np.zeros(4096, np.float32)),
    "DeviceMemoryPool": lambda: held(tools.DeviceMemoryPool(), 64),
    "PageLockedMemoryPool": lambda: held(tools.PageLockedMemoryPool(), (4,), np.float32),
}
calls = {
    "unregister": lambda locked: locked.base.unregister(),
    "get_texref": lambda _: reading.get_texref("t"),
}
locked = makers["RegisteredHostMemory"]()
for name in [*makers, *calls]:
    faulthandler.dump_traceback_later(20, exit=True)
    print(name, flush=True)
    thing, called = makers[name]() if name in makers else locked, []
    cuda.call_host(stream, lambda: (time.sleep(0.02), called.append(name)))
    if name in calls:
        calls[name](thing)
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
