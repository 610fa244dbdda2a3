# SPDX-License-Identifier: MIT
"""Memory that arrays have given up goes to whoever fails to get some, and back when told so.
TREADLE_RANDOM_CASES=N draws more programs, TREADLE_RANDOM_SEED=n others."""

import os

import pytest

LIMIT = {"TREADLE_DEVICE": "cpu", "TREADLE_CPU_MEMORY_BYTES": str(256 << 20)}
HELD = {**LIMIT, "TREADLE_POOL_SECONDS": "0", "TREADLE_POOL_PERCENT": "100"}
# Each program makes an array of more than half of the device, deletes it, and asks for as much in
# another way, which must be had.
START = """
import gc, sys
import numpy as np
import treadle
import treadle.compat, pycuda.autoinit, pycuda.driver as drv
from pycuda import gpuarray, tools
device = treadle.Device.of(drv.Context.get_current())
size = 150 << 20
def leave_some_held():
    array = gpuarray.zeros(size, np.uint8)
    array.get()
    del array
    assert device.pool.held_bytes >= size, device.pool
leave_some_held()
"""
REQUESTS = {
    "mem_alloc": "kept = drv.mem_alloc(size)",
    "mem_alloc_pitch": "kept = drv.mem_alloc_pitch(size >> 10, 1 << 10, 4)",
    "managed": "kept = drv.managed_empty(size, np.uint8, mem_flags=drv.mem_attach_flags.GLOBAL)",
    "array": "kept = drv.ArrayDescriptor(); kept.width, kept.height, kept.num_channels, "
    "kept.format = 1 << 14, size >> 16, 1, drv.array_format.FLOAT; kept = drv.Array(kept)",
    "user_pool": "pool = tools.DeviceMemoryPool(); kept = pool.allocate(size)",
    "other_context": "other = drv.Device(0).make_context(); kept = drv.mem_alloc(size); "
    "kept.free(); other.pop()",
    "shell": "kept = treadle.cuda.DeviceMemory(size)",
    "another_size": "kept = gpuarray.zeros(size + (32 << 20), np.uint8); kept.get()",
    "native_buffer": "kept = treadle.Buffer(device, size)",
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_an_allocation_gets_what_a_pool_holds(run_python, request_):
    program = START + request_ + "\nassert device.pool.held_bytes < size, device.pool\nprint('had')"
    result = run_python("-c", program, **HELD)
    assert result.stdout == "had\n", result.stderr


def test_what_the_pools_hold_is_named_where_it_does_not_suffice(run_python):
    program = (
        START
        + """
kept = gpuarray.zeros(200 << 20, np.uint8); kept.get()
for ask in (lambda: drv.mem_alloc(100 << 20), lambda: treadle.Buffer(device, 100 << 20)):
    try:
        ask()
    except (MemoryError, drv.MemoryError) as error:
        print(error)
"""
    )
    result = run_python("-c", program, **HELD)
    lines = result.stdout.splitlines()
    assert len(lines) == 2, result.stderr
    for line in lines:
        assert "the pools of this process hold 0 bytes that nobody uses and have 200.00 MiB" in line


def test_memory_is_given_back_when_told(run_python):
    program = (
        START
        + """
assert device.pool.trim() >= size
assert device.pool.held_bytes == 0 and device.pool.active_bytes == 0, device.pool
leave_some_held()
pool = tools.DeviceMemoryPool()
block = pool.allocate(1 << 20)
block.free()
assert pool.held_blocks == 1
assert treadle.trim_memory() >= size + (1 << 20)
assert pool.held_blocks == 0
assert device.pool.held_blocks == 0
assert treadle.trim_memory() == 0
print(repr(device.pool))
"""
    )
    result = run_python("-c", program, **HELD)
    assert result.stdout.startswith("<DevicePool of cpu: 0 bytes in use, 0 held"), result.stderr


def test_what_a_program_has_not_used_for_a_while_is_given_back(run_python):
    program = """
import time
import numpy as np, treadle, treadle.numpy as tnp
with treadle.find_device("cpu") as device:
    for size in range(1, 40):  # several sizes in turn: no more than a quarter of the device
        tnp.zeros(size << 18, np.float32).get()
        assert device.pool.held_bytes <= 64 << 20, device.pool
    assert device.pool.held_bytes > 32 << 20
    time.sleep(1.2)
    small = tnp.ones(10)
    small.get()
    assert device.pool.held_bytes < 1 << 20, device.pool
print("done")
"""
    result = run_python("-c", program, **LIMIT)
    assert result.stdout == "done\n", result.stderr


def test_the_settings_are_obeyed(run_python):
    program = """
import time
import numpy as np, treadle, treadle.numpy as tnp
with treadle.find_device("cpu") as device:
    for size in (100, 50, 60):
        tnp.zeros(size << 18, np.float32).get()
    held = device.pool.held_bytes
    time.sleep(1.2)
    tnp.ones(10).get()
    print(held >= 200 << 20, device.pool.held_bytes >= 200 << 20)
"""
    assert run_python("-c", program, **HELD).stdout == "True True\n"


# What is alive stays below two thirds of the device, so that everything can be had: no request may
# fail, whatever the pools hold, and no array may lose its values.
DRAWN = """
import random, sys
import numpy as np
import treadle
import treadle.numpy as tnp
import treadle.compat, pycuda.autoinit, pycuda.driver as drv
from pycuda import gpuarray, tools
device = treadle.Device.of(drv.Context.get_current())
pool = tools.DeviceMemoryPool()
most = 160 << 20
def of_pool(size):
    return gpuarray.zeros(size, np.uint8, allocator=pool.allocate)
makers = [lambda size: gpuarray.zeros(size, np.uint8), of_pool,
          lambda size: tnp.zeros(size, np.uint8), drv.mem_alloc,
          lambda size: treadle.Buffer(device, size)]
first, cases = map(int, sys.argv[1:])
for seed in range(first, first + cases):
    draw, alive = random.Random(seed), []
    print(seed, flush=True)
    for step in range(40):
        size = int(2 ** draw.uniform(12, 26.5))
        while alive and sum(s for s, _, _ in alive) + size > most:
            alive.pop(draw.randrange(len(alive)))
        made = draw.choice(makers)(size)
        mark = draw.randrange(256)
        if hasattr(made, "fill"):
            made.fill(mark)
        alive.append((size, made, mark))
        if draw.random() < 0.05:
            treadle.trim_memory()
        _, made, mark = draw.choice(alive)
        if hasattr(made, "fill"):
            host = made.get()
            assert host[0] == host[-1] == mark, seed
    made = None
    alive.clear()
assert treadle.trim_memory() >= 0 and device.pool.active_bytes == 0, device.pool
print("had")
"""


@pytest.mark.parametrize("settings", [LIMIT, HELD], ids=["trimmed", "held"])
def test_drawn_programs_get_their_memory(run_python, settings):
    seed, cases = (os.environ.get(f"TREADLE_RANDOM_{n}", "2") for n in ("SEED", "CASES"))
    result = run_python("-c", DRAWN, seed, cases, **settings)
    assert result.stdout.endswith("had\n"), result.stdout[-40:] + result.stderr


ON_OPENCL = """
import resource
import numpy as np, treadle, treadle.compat, pyopencl as cl
import treadle.numpy as tnp
device = treadle.find_device("opencl")
other = cl.create_some_context(interactive=False)
size = 128 << 20
cl.Buffer(other, cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR, 64)
with device:
    arrays = [tnp.zeros(size, np.uint8) for _ in range(3)]
    for array in arrays:
        array[:4].get()
    del array, arrays
held = device.pool.held_bytes
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + size // 2, resource.RLIM_INFINITY))
# PoCL allocates other buffers when they are first used, and then aborts where there is no memory.
kept = cl.Buffer(other, cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR, size)
print(held >= 2 * size, device.pool.held_bytes < held)
"""


def test_another_opencl_context_gets_what_a_pool_holds(run_python):
    import treadle

    if "opencl" not in {device.id.split(":")[0] for device in treadle.devices()}:
        pytest.skip("no OpenCL device")
    if treadle.find_device("opencl").kind == "gpu":
        pytest.skip("the memory of the process is not that of the device")
    result = run_python("-c", ON_OPENCL, **{**HELD, "TREADLE_DEVICE": ""})
    assert result.stdout == "True True\n", result.stderr
