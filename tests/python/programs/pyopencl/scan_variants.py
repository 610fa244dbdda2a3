# SPDX-License-Identifier: MIT
"""What programs make of one scan: sums, a selection, sums of segments, runs, and of what is left."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.scan import GenericScanKernel

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
rng = np.random.RandomState(2)
n = 5003
x = rng.randint(0, 10, n).astype(np.int32)
x_dev = cl_array.to_device(queue, x)


def scan(arguments, input_expr, output_statement, **more):
    return GenericScanKernel(
        ctx, np.int32, arguments=arguments, input_expr=input_expr, neutral="0",
        scan_expr=more.pop("scan_expr", "a+b"), output_statement=output_statement, **more
    )  # fmt: skip


out = cl_array.zeros(queue, n + 1, np.int32)
scan("__global int *ary, __global int *out", "ary[i]", "out[i+1] = item;")(x_dev, out)
assert (out.get() == np.concatenate([[0], np.cumsum(x)])).all()

count = cl_array.zeros(queue, 1, np.int32)
select = scan(
    "__global int *ary, int limit, __global int *out, __global int *count",
    "(ary[i] > limit) ? 1 : 0",
    "if (prev_item != item) out[item-1] = ary[i]; if (i+1 == N) *count = item;",
)
select(x_dev, 6, out, count)
assert count.get()[0] == (x > 6).sum()
assert (out.get()[: count.get()[0]] == x[x > 6]).all()

starts = (rng.rand(n) < 0.01).astype(np.int8)
segments = scan(
    "__global int *ary, __global char *starts, __global int *out",
    "ary[i]",
    "out[i] = item",
    scan_expr="across_seg_boundary ? b : (a+b)",
    is_segment_start_expr="starts[i]",
)
segments(x_dev, cl_array.to_device(queue, starts), out)
wanted, sum_so_far = [], 0
for value, starts_here in zip(x, starts):
    sum_so_far = value if starts_here else sum_so_far + value
    wanted.append(sum_so_far)
assert out.get()[:n].tolist() == wanted

runs = scan(
    "__global int *ary, __global int *out",
    "(i == 0 || before != here) ? 1 : 0",
    "out[i] = item",
    input_fetch_exprs=[("here", "ary", 0), ("before", "ary", -1)],
)
runs(x_dev, out)
assert (out.get()[:n] == 1 + np.cumsum(np.concatenate([[0], x[1:] != x[:-1]]))).all()

rest = scan("int add, __global const int *ary, __global int *out", "ary[i] + add",
            "out[i] = last_item - item;")  # fmt: skip
for size in (n, 100):
    rest(1, x_dev, out, size=size)
    sums = np.cumsum(x[:size] + 1)
    assert (out.get()[:size] == sums[-1] - sums).all()
