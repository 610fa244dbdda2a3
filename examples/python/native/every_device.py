# SPDX-License-Identifier: MIT
"""One kernel text on every device of the machine: GPUs and processors, on CUDA and on OpenCL."""

import numpy as np

import treadle

TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL twice(TREADLE_GLOBAL float *a, int n)
{
  int i = treadle_global_id(0);
  if (i < n) a[i] *= 2;
}
"""

for device in treadle.devices():
    twice = treadle.Program(device, TEXT).kernel("twice")
    a = np.full(1000, 21, np.float32)
    buffer = treadle.Buffer(device, a)
    twice(buffer, np.int32(1000), groups=16, group_size=64)
    buffer.copy_to(a)
    assert (a == 42).all()
    print(f"{device.id:12} {device.name}: 2 * 21 = {a[-1]:g}")
