# SPDX-License-Identifier: MIT
"""Salt and pepper taken out of a picture: each pixel becomes the median of its neighbours.

median_filter.py [--size N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pyopencl as cl

SOURCE = """
#define SORT(a, b) { uchar low = min(w[a], w[b]); w[b] = max(w[a], w[b]); w[a] = low; }

/* Nine numbers have their median in the middle after 19 exchanges, without a branch. */
kernel void median(global const uchar *from, global uchar *to) {
    int x = get_global_id(0), y = get_global_id(1);
    int width = get_global_size(0), height = get_global_size(1);
    uchar w[9];
    for (int i = 0; i < 9; ++i) {
        int column = clamp(x + i % 3 - 1, 0, width - 1), row = clamp(y + i / 3 - 1, 0, height - 1);
        w[i] = from[row * width + column];
    }
    SORT(1, 2) SORT(4, 5) SORT(7, 8) SORT(0, 1) SORT(3, 4) SORT(6, 7) SORT(1, 2)
    SORT(4, 5) SORT(7, 8) SORT(0, 3) SORT(5, 8) SORT(4, 7) SORT(3, 6) SORT(1, 4)
    SORT(2, 5) SORT(4, 7) SORT(4, 2) SORT(6, 4) SORT(4, 2)
    to[y * width + x] = w[4];
}
"""

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=300)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
n = options.size

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

rng = np.random.default_rng(8)
y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j]
clean = 128 + 90 * np.cos(9 * np.hypot(x, y)) * (abs(x) < 0.8) + 30 * y
noisy = clean.astype(np.uint8)
chance = rng.random((n, n))
noisy[chance < 0.06] = 0
noisy[chance > 0.94] = 255


def error_of(picture):
    return np.sqrt(np.mean((picture - clean) ** 2))


mf = cl.mem_flags
noisy_cl = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=noisy)
result_cl = cl.Buffer(ctx, mf.WRITE_ONLY, noisy.nbytes)
median = cl.Program(ctx, SOURCE).build().median
median(queue, (n, n), None, noisy_cl, result_cl)
result = np.empty_like(noisy)
cl.enqueue_copy(queue, result, result_cl)
print(f"noise: {error_of(noisy):.1f} of 255 before, {error_of(result):.1f} after")

if options.pictures:
    header = f"P5 {n} {n} 255\n".encode()
    (options.pictures / "with_noise.pgm").write_bytes(header + noisy.tobytes())
    (options.pictures / "without_noise.pgm").write_bytes(header + result.tobytes())
windows = np.lib.stride_tricks.sliding_window_view(np.pad(noisy, 1, mode="edge"), (3, 3))
correct = np.array_equal(result, np.median(windows, axis=(2, 3)))
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
