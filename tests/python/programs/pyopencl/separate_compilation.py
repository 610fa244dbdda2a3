# SPDX-License-Identifier: MIT
"""Programs compiled apart, with a header of their own, and linked."""

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
header = cl.Program(ctx, "float twice(float x);\n")
main = cl.Program(
    ctx,
    """
#include "twice.h"
__kernel void apply(__global float *x) { x[get_global_id(0)] = twice(x[get_global_id(0)]); }
""",
)
part = cl.Program(ctx, "float twice(float x) { return 2 * x + BIAS; }\n")
main.compile(headers=[("twice.h", header)])
assert part.compile(options="-DBIAS=1") is part
linked = cl.link_program(ctx, [main, part])
x = np.arange(10, dtype=np.float32)
buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
linked.apply(queue, x.shape, None, buf)
y = np.empty_like(x)
cl.enqueue_copy(queue, y, buf)
assert (y == 2 * x + 1).all()
try:
    cl.Program(ctx, "this is no C").compile()
except cl.RuntimeError as error:
    assert error.code == cl.status_code.COMPILE_PROGRAM_FAILURE
    print(str(error).splitlines()[0])
print("linked:", linked.kernel_names)
