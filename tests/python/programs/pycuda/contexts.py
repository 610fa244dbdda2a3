# SPDX-License-Identifier: MIT
"""The context stack by hand: push, pop, detach, primary contexts, limits, and who owns what."""

import gc

import numpy as np
import pycuda.driver as cuda

cuda.init()
device = cuda.Device(0)
first = device.make_context()
assert cuda.Context.get_current() == first and first.get_device() == device
assert hash(cuda.Context.get_current()) == hash(first)
memory = cuda.to_device(np.arange(4))
second = device.make_context(flags=cuda.ctx_flags.SCHED_YIELD)
assert cuda.Context.get_current() == second != first
second.pop()
assert cuda.Context.get_current() == first
cuda.Context.pop()
assert cuda.Context.get_current() is None
for without in [lambda: cuda.mem_alloc(4), cuda.Stream, cuda.Context.pop, cuda.Context.get_device]:
    try:
        without()
    except cuda.LogicError as error:
        print("no context:", str(error).splitlines()[0])
    else:
        raise AssertionError("there was a context")

second.push()
stream, event = cuda.Stream(), cuda.Event()
cuda.Context.set_limit(cuda.limit.STACK_SIZE, 4096)
assert cuda.Context.get_limit(cuda.limit.STACK_SIZE) >= 4096
second.set_cache_config(cuda.func_cache.PREFER_L1)
print("cache", cuda.Context.get_cache_config(), "version", second.get_api_version())
second.pop()
del stream, event
first.push()
assert (cuda.from_device(memory, 4, np.int64) == np.arange(4)).all()
memory.free()
try:
    memory.free()
except cuda.LogicError as error:
    assert "device_allocation::free failed" in str(error)
first.pop()
second.detach()
try:
    second.detach()
except cuda.LogicError as error:
    print(error)

primary = device.retain_primary_context()
assert primary == device.retain_primary_context()
primary.push()
a = cuda.to_device(np.float32([1, 2]))
assert (cuda.from_device_like(a, np.empty(2, np.float32)) == [1, 2]).all()
base, size = cuda.mem_get_address_range(a)
assert base == int(a) and size >= 8
del a
primary.pop()
del primary, first, second
gc.collect()

import pycuda.autoprimaryctx

assert cuda.Context.get_current() == pycuda.autoprimaryctx.context
pycuda.autoprimaryctx.context.synchronize()
