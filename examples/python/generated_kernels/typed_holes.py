# SPDX-License-Identifier: MIT
"""A kernel with typed holes: what fills them must be a dtype, a constant or an unroll count.

A dtype is written as the device's language calls it, a constant so that the compiler reads the same
number again. Anything else in a hole is refused before a compiler sees it.
"""

import numpy as np

import treadle
from treadle import templates

COUNT, GROUP_SIZE = 1024, 64
TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL scale(TREADLE_GLOBAL %(T)s *x)
{
  const int first = treadle_global_id(0) * %(steps)s;
  #pragma unroll
  for (int i = 0; i < %(steps)s; ++i) x[first + i] *= %(factor)s;
}
"""
HOLES = {"T": "dtype", "steps": "unroll", "factor": "constant"}

for device in treadle.devices():
    for name, number, steps in ("float32", 0.1, 4), ("uint8", 3, 1), ("int64", -(2**40), 8):
        dtype = np.dtype(name)
        values, factor = np.arange(COUNT).astype(dtype), dtype.type(number)
        text = templates.substitute(
            TEXT, T=dtype, steps=steps, factor=factor, language=device.language, holes=HOLES
        )
        scale = treadle.Program(device, text).kernel("scale")
        x = treadle.Buffer(device, values)
        scale(x, groups=COUNT // (GROUP_SIZE * steps), group_size=GROUP_SIZE)
        result = np.empty_like(values)
        x.copy_to(result)
        assert np.array_equal(result, values * factor)
    print(f"{device.id}: three dtypes, three lengths")

try:
    templates.substitute(TEXT, T="float", steps=0, factor=2, language="CUDA C", holes=HOLES)
except treadle.InvalidArgument as error:
    print(error)
