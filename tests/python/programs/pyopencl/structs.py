# SPDX-License-Identifier: MIT
"""Structures of the host in kernels: by value, in arrays, and with a matched layout."""

import numpy as np
import pyopencl as cl
import pyopencl.cltypes
import pyopencl.tools

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
device = queue.device

params_dtype = np.dtype([("scale", np.float32), ("offset", np.int32), ("pad", np.float32, 2)])
by_value = cl.Program(
    ctx,
    """
typedef struct { float scale; int offset; float pad[2]; } params_t;
__kernel void apply(__global float *x, const params_t p) {
    int i = get_global_id(0);
    x[i] = x[i] * p.scale + p.offset + p.pad[1];
}
""",
).build()
params = np.zeros(1, params_dtype)
params["scale"], params["offset"] = 2, 10
params["pad"][0, 1] = 0.5
x = np.arange(16, dtype=np.float32)
x_g = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
by_value.apply(queue, x.shape, None, x_g, params[0])
apply_ = cl.Kernel(by_value, "apply")
apply_(queue, x.shape, None, x_g, params)
y = np.empty_like(x)
cl.enqueue_copy(queue, y, x_g)
assert (y == (x * 2 + 10.5) * 2 + 10.5).all()

pair = np.dtype([("index", np.int32), ("value", np.float64), ("flag", np.int8)])
pair, pair_c = cl.tools.match_dtype_to_c_struct(device, "pair_t", pair)
pair = cl.tools.get_or_register_dtype("pair_t", pair)
assert cl.tools.dtype_to_ctype(pair) == "pair_t"
print(pair_c)
print(pair.itemsize, "bytes")
prg = cl.Program(
    ctx,
    pair_c
    + """
__kernel void fill(__global pair_t *out) {
    int i = get_global_id(0);
    out[i].index = i;
    out[i].value = i * 0.25;
    out[i].flag = -i;
}
""",
).build()
found = np.empty(8, pair)
out = cl.Buffer(ctx, cl.mem_flags.WRITE_ONLY, found.nbytes)
prg.fill(queue, found.shape, None, out)
cl.enqueue_copy(queue, found, out)
i = np.arange(8)
assert (
    (found["index"] == i).all() and (found["value"] == i / 4).all() and (found["flag"] == -i).all()
)

v = cl.cltypes.make_float4(1, 2, 3, 4)
assert v["x"] == 1 and v["w"] == 4 and v.dtype == cl.cltypes.float4
array = np.empty(5, cl.cltypes.int2)
array["s0"], array["y"] = 3, 4
total = (
    cl.Program(
        ctx,
        """
__kernel void dots(__global const int2 *a, float4 v, __global float *out) {
    int i = get_global_id(0);
    out[i] = a[i].x * a[i].y + v.z;
}
""",
    )
    .build()
    .dots
)
res = cl.Buffer(ctx, cl.mem_flags.WRITE_ONLY, 5 * 4)
total(queue, (5,), (1,), cl.Buffer(ctx, 4 | 32, hostbuf=array), v, res)
dots = np.empty(5, np.float32)
cl.enqueue_copy(queue, dots, res)
assert (dots == 15).all()
