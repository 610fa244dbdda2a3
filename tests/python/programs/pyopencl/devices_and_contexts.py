# SPDX-License-Identifier: MIT
"""Contexts by every road: answers, the environment, devices, types, properties, sub-devices."""

import os

import numpy as np
import pyopencl as cl

platforms = cl.get_platforms()
platform = platforms[0]
device = platform.get_devices()[0]

ctx = cl.create_some_context(answers=["0"]) if len(platform.get_devices()) == 1 else None
print(ctx)
os.environ["PYOPENCL_CTX"] = f"{platform.name.split()[0].lower()}:0"
named = cl.create_some_context()
assert named.devices == [device]
os.environ["PYOPENCL_CTX"] = "0"
assert cl.create_some_context(interactive=False).devices[0].platform == platform
try:
    cl.create_some_context(answers=["no such platform"])
except cl.RuntimeError as error:
    print("refused:", str(error)[:60])

by_type = cl.Context(
    dev_type=cl.device_type.ALL, properties=[(cl.context_properties.PLATFORM, platform)]
)
assert by_type.num_devices == len(platform.get_devices())
assert cl.Context(dev_type=device.type).devices
assert cl.Context().num_devices >= 1
assert cl.Context(devices=[device], properties=[(cl.context_properties.PLATFORM, platform)])
assert platform.get_devices(cl.device_type.CUSTOM) == []
assert platform.get_devices(device_type=device.type)[0] == device
assert hash(device) == hash(platform.get_devices()[0]) and device != platform
assert {device: 1}[platform.get_devices()[0]] == 1
print(repr(platform), repr(device))
assert repr(device).startswith("<pyopencl.Device '") and " on '" in repr(device)
assert device.hashable_model_and_version_identifier[0] == "v1"
assert cl.Device.from_int_ptr(device.int_ptr) == device

if device.max_compute_units >= 2 and device.partition_properties != [0]:
    parts = device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])
    assert len(parts) >= 2 and all(p.parent_device == device for p in parts)
    both = cl.Context(parts[:2])
    queues = [cl.CommandQueue(both, device=d) for d in parts[:2]]
    prg = cl.Program(both, "__kernel void id(__global int *x, int v) { x[get_global_id(0)] = v; }")
    prg.build()
    bufs = [cl.Buffer(both, cl.mem_flags.READ_WRITE, 64) for _ in queues]
    for number, (q, buf) in enumerate(zip(queues, bufs)):
        cl.Kernel(prg, "id")(q, (16,), None, buf, np.int32(number))
    for number, (q, buf) in enumerate(zip(queues, bufs)):
        x = np.empty(16, np.int32)
        cl.enqueue_copy(q, x, buf)
        assert (x == number).all() and q.device == parts[number]
    print(len(prg.binaries), "binaries for", prg.num_devices, "devices")
