# SPDX-License-Identifier: MIT
"""The same kernel source on every device of the machine: GPUs and processors, CUDA and OpenCL.

every_device.py [ID ...]: only the devices of these ids, as `treadle info` lists them."""

import sys

import numpy as np

import treadle

TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL twice(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *in, int n)
{
  int i = treadle_global_id(0);
  if (i < n) out[i] = 2 * in[i];
}
"""
N, GROUP_SIZE, REPEATS = 1 << 22, 256, 5

values = np.random.default_rng(0).random(N, np.float32)
result = np.empty_like(values)
correct = True
for device in map(treadle.find_device, sys.argv[1:]) if sys.argv[1:] else treadle.devices():
    print("device:", device.id, device.name)
    twice = treadle.Program(device, TEXT).kernel("twice")
    source, target = treadle.Buffer(device, values), treadle.Buffer(device, values.nbytes)
    stream = device.make_stream()
    seconds = []
    for _ in range(REPEATS):
        start = stream.record()
        twice(
            target,
            source,
            np.int32(N),
            groups=N // GROUP_SIZE,
            group_size=GROUP_SIZE,
            stream=stream,
        )
        end = stream.record()
        stream.synchronize()
        seconds.append(end.seconds_since(start))
    target.copy_to(result)
    right = bool((result == 2 * values).all())
    correct = correct and right
    rate = 2e-9 * values.nbytes / min(seconds)
    print(f"kernel: {rate:.1f} GB/s, check against NumPy: {'ok' if right else 'WRONG'}")
sys.exit(0 if correct else 1)
