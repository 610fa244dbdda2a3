# SPDX-License-Identifier: MIT
"""A kernel with keys in it: the size of a matrix is written into the text as a number.

The compiler sees a loop of 12 steps and unrolls it; with a parameter in the place of the number it
could not know how many there are.
"""

import numpy as np

import treadle
from treadle import templates

N = 12
TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL product(TREADLE_GLOBAL float *c, TREADLE_GLOBAL const float *a,
                       TREADLE_GLOBAL const float *b)
{
  const int row = treadle_local_id(1), column = treadle_local_id(0);
  float sum = 0;
  for (int k = 0; k < %(N)s; ++k)
    sum += a[row * %(N)s + k] * b[k * %(N)s + column];
  c[row * %(N)s + column] = sum;
}
"""

a, b = np.random.default_rng(0).integers(-9, 9, (2, N, N)).astype(np.float32)
c = np.empty_like(a)
for device in treadle.devices():
    product = treadle.Program(device, templates.substitute(TEXT, N=N)).kernel("product")
    result = treadle.Buffer(device, c.nbytes)
    arrays = result, treadle.Buffer(device, a), treadle.Buffer(device, b)
    product(*arrays, groups=1, group_size=(N, N))
    result.copy_to(c)
    assert np.array_equal(c, a @ b)
    print(f"{device.id}: a product of {N} x {N} matrices")

# A key without a value, and a value without a key, are errors that name the line.
try:
    templates.substitute(TEXT, n=N, begin=("TEXT", 1))
except treadle.InvalidArgument as error:
    print(error)
