# SPDX-License-Identifier: MIT
"""Many small arrays of different lengths in one kernel: their elements in one buffer, end to end.

many_arrays.py [--arrays N]
"""

import argparse
import sys

import numpy as np
import pyopencl as cl

SOURCE = """
/* Work-item i owns the elements from starts[i] up to starts[i + 1], which it sorts. */
kernel void sort_each(global float *elements, global const int *starts, global float *middles) {
    int i = get_global_id(0), count = starts[i + 1] - starts[i];
    global float *mine = elements + starts[i];
    for (int k = 1; k < count; ++k) {
        float moved = mine[k];
        int place = k;
        for (; place > 0 && mine[place - 1] > moved; --place) mine[place] = mine[place - 1];
        mine[place] = moved;
    }
    middles[i] = count ? 0.5f * (mine[(count - 1) / 2] + mine[count / 2]) : NAN;
}
"""

parser = argparse.ArgumentParser()
parser.add_argument("--arrays", type=int, default=20_000)
options = parser.parse_args()

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

rng = np.random.default_rng(9)
lengths = rng.integers(0, 30, options.arrays)
starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
elements = rng.normal(size=starts[-1]).astype(np.float32)
arrays = np.split(elements, starts[1:-1])
print(f"{len(arrays)} arrays, {lengths.min()} to {lengths.max()} elements long")

mf = cl.mem_flags
elements_cl = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=elements)
starts_cl = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=starts)
middles_cl = cl.Buffer(ctx, mf.WRITE_ONLY, 4 * len(arrays))
sort_each = cl.Program(ctx, SOURCE).build().sort_each
sort_each(queue, (len(arrays),), None, elements_cl, starts_cl, middles_cl)

ordered, middles = np.empty_like(elements), np.empty(len(arrays), np.float32)
cl.enqueue_copy(queue, ordered, elements_cl)
cl.enqueue_copy(queue, middles, middles_cl)
correct = all(
    np.array_equal(result, np.sort(array)) and (not array.size or middle == np.median(array))
    for result, array, middle in zip(np.split(ordered, starts[1:-1]), arrays, middles, strict=True)
)
correct = correct and np.array_equal(np.isnan(middles), lengths == 0)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
