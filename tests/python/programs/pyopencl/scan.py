# SPDX-License-Identifier: MIT
"""Prefix sums and a bitonic sort, from templates of Mako and of str.format."""

import numpy as np
import pyopencl as cl
from mako.template import Template

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
mf = cl.mem_flags

text = Template("""
% for name, op in operators.items():
__kernel void scan_${name}(__global ${ctype} *a, __local ${ctype} *t) {
    const int i = get_local_id(0);
    t[i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < get_local_size(0); d <<= 1) {
        ${ctype} other = i >= d ? t[i - d] : ${op[1]};
        barrier(CLK_LOCAL_MEM_FENCE);
        t[i] = ${op[0]};
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = t[i];
}
% endfor
""").render(ctype="int", operators={"max": ("max(t[i], other)", "INT_MIN")})
prg = cl.Program(ctx, str(text)).build()
n = 128
data = np.random.randint(-50, 50, n).astype(np.int32)
for name, check in [("max", np.maximum.accumulate)]:
    buf = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=data)
    getattr(prg, "scan_" + name)(queue, (n,), (n,), buf, cl.LocalMemory(n * 4))
    result = np.empty_like(data)
    cl.enqueue_copy(queue, result, buf)
    assert (result == check(data)).all()

sorter = cl.Program(
    ctx,
    """
__kernel void bitonic(__global {t} *a, uint stage, uint step) {{
    uint i = get_global_id(0), j = i ^ step;
    if (j > i) {{
        {t} x = a[i], y = a[j];
        if ((x > y) == ((i & stage) == 0)) {{ a[i] = y; a[j] = x; }}
    }}
}}""".format(t="float"),
).build()
bitonic = sorter.bitonic
bitonic.set_scalar_arg_dtypes([None, np.uint32, np.uint32])
values = np.random.rand(256).astype(np.float32)
buf = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=values)
stage = 2
while stage <= values.size:
    step = stage // 2
    while step:
        bitonic(queue, values.shape, None, buf, stage, step)
        step //= 2
    stage *= 2
result = np.empty_like(values)
cl.enqueue_copy(queue, result, buf)
assert (result == np.sort(values)).all()
print("sorted and summed")
