# SPDX-License-Identifier: MIT
"""A program's machine code, saved to a file and loaded again."""

import os
import tempfile

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
device = ctx.devices[0]
queue = cl.CommandQueue(ctx)
src = """
__kernel void scale(__global float *x, const float by) { x[get_global_id(0)] *= by; }
__kernel void shift(__global float *x, const float by) { x[get_global_id(0)] += by; }
"""
built = cl.Program(ctx, src).build()
assert built.num_devices == 1 and built.devices == [device]
assert built.source == src or built.source.startswith(src.rstrip()[:20])
binary = built.get_info(cl.program_info.BINARIES)[0]
assert isinstance(binary, bytes) and [len(binary)] == built.binary_sizes

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "program.bin")
    with open(path, "wb") as f:
        f.write(binary)
    with open(path, "rb") as f:
        loaded = cl.Program(ctx, [device], [f.read()]).build()

status = loaded.get_build_info(device, cl.program_build_info.STATUS)
print("status", status, "names", sorted(loaded.kernel_names.split(";")))
assert loaded.get_build_info(device, cl.program_build_info.BINARY_TYPE) == (
    cl.program_binary_type.EXECUTABLE
)
assert {k.function_name for k in loaded.all_kernels()} == {"scale", "shift"}
assert loaded.num_kernels == 2

x = np.ones(100, np.float32)
g = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
loaded.scale(queue, x.shape, None, g, np.float32(4))
loaded.shift(queue, x.shape, None, g, np.float32(-1))
cl.enqueue_copy(queue, x, g)
assert (x == 3).all()

try:
    cl.Program(ctx, [device], [b"this is no machine code"]).build()
except cl.Error as error:
    print("refused:", error.code, type(error).__name__)
else:
    raise AssertionError("nonsense was built")
try:
    cl.Program(ctx, [device], [binary, binary])
except cl.LogicError:
    print("two binaries for one device are refused")
