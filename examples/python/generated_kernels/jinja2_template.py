# SPDX-License-Identifier: MIT
"""A kernel that a Jinja2 template writes: vector addition, with the loop of a work-item unrolled.

Each work-item adds `block_size` elements that lie a work-group apart, so that neighbours read
neighbouring elements. The program tries several sizes, as one that looks for the fastest does.
"""

import numpy as np

import treadle
from treadle import templates

COUNT, THREADS = 1 << 14, 64
TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL add(TREADLE_GLOBAL {{ type_name }} *tgt,
                   TREADLE_GLOBAL const {{ type_name }} *op1,
                   TREADLE_GLOBAL const {{ type_name }} *op2)
{
  const int idx = treadle_local_id(0) + {{ thread_block_size * block_size }} * treadle_group_id(0);
  {% for i in range(block_size) %}
  {% set offset = i * thread_block_size %}
  tgt[idx + {{ offset }}] = op1[idx + {{ offset }}] + op2[idx + {{ offset }}];
  {% endfor %}
}
"""

a = np.arange(COUNT, dtype=np.float32)
b = np.full(COUNT, 0.5, np.float32)
for device in treadle.devices():
    for block_size in 1, 4, 16:
        text = templates.render_jinja2(
            TEXT, type_name="float", thread_block_size=THREADS, block_size=block_size
        )
        add = treadle.Program(device, text).kernel("add")
        target = treadle.Buffer(device, a.nbytes)
        operands = treadle.Buffer(device, a), treadle.Buffer(device, b)
        add(target, *operands, groups=COUNT // (THREADS * block_size), group_size=THREADS)
        result = np.empty_like(a)
        target.copy_to(result)
        assert np.array_equal(result, a + b)
        print(f"{device.id}: {block_size} elements a work-item")
