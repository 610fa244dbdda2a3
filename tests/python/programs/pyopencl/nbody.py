# SPDX-License-Identifier: MIT
"""Particles that attract each other, in two sets of buffers that change their roles."""

import numpy as np
import pyopencl as cl
import pyopencl.cltypes

n, steps, dt = 256, 5, np.float32(0.01)
platform = cl.get_platforms()[0]
device = platform.get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context, device)

program = cl.Program(context, open(__file__.replace(".py", ".cl")).read())
try:
    program.build(options=["-cl-mad-enable", f"-DCOUNT={n}"])
except cl.RuntimeError:
    print(program.get_build_info(device, cl.program_build_info.LOG))
    raise

rng = np.random.RandomState(1)
position = np.zeros(n, cl.cltypes.float4)
velocity = np.zeros((n, 4), np.float32)
for axis in "xyz":
    position[axis] = rng.rand(n).astype(np.float32)
position["w"] = 1.0 / n

flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
pos = [cl.Buffer(context, flags, hostbuf=position), cl.Buffer(context, flags, hostbuf=position)]
vel = cl.Buffer(context, flags, hostbuf=velocity)

advance = cl.Kernel(program, "advance")
advance.set_scalar_arg_dtypes([None, None, None, np.float32, np.float32])
for i in range(steps):
    event = advance(queue, (n,), (32,), pos[i % 2], pos[(i + 1) % 2], vel, 0.01, 1e-3)
event.wait()
result = np.empty_like(position)
cl.enqueue_copy(queue, result, pos[steps % 2])

p = position.view(np.float32).reshape(n, 4)[:, :3].astype(np.float64)
v = np.zeros_like(p)
for _ in range(steps):
    d = p[None, :, :] - p[:, None, :]
    r2 = (d**2).sum(2) + 1e-3
    v += 0.01 * (d / (r2**1.5)[:, :, None]).sum(1) / n
    p = p + 0.01 * v
found = result.view(np.float32).reshape(n, 4)[:, :3]
print("largest difference", np.abs(found - p).max())
assert np.allclose(found, p, atol=1e-4)
assert (result["w"] == position["w"]).all()
