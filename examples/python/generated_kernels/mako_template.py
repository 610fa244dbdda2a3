# SPDX-License-Identifier: MIT
"""A kernel that a Mako template writes: it adds as many vectors as the program has.

The number of vectors decides how many parameters the kernel has, which no keyword could say.
"""

import numpy as np

import treadle
from treadle import templates

COUNT, GROUP_SIZE = 1024, 128
TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL add(TREADLE_GLOBAL float *sum
% for name in names:
    , TREADLE_GLOBAL const float *${name}
% endfor
)
{
  const int i = treadle_global_id(0);
  sum[i] = ${" + ".join(f"{name}[i]" for name in names)};
}
"""

generator = np.random.default_rng(0)
for device in treadle.devices():
    for number in 2, 5:
        names = [f"x{i}" for i in range(number)]
        add = treadle.Program(device, templates.render_mako(TEXT, names=names)).kernel("add")
        vectors = generator.integers(0, 9, (number, COUNT)).astype(np.float32)
        sum_of_all = treadle.Buffer(device, vectors[0].nbytes)
        buffers = [treadle.Buffer(device, vector) for vector in vectors]
        add(sum_of_all, *buffers, groups=COUNT // GROUP_SIZE, group_size=GROUP_SIZE)
        result = np.empty(COUNT, np.float32)
        sum_of_all.copy_to(result)
        assert np.array_equal(result, vectors.sum(axis=0))
        print(f"{device.id}: a sum of {number} vectors")
