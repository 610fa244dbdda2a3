# SPDX-License-Identifier: MIT
"""A kernel with an argument baked in: `n` becomes a constant of the text when it is known.

One text serves every degree. The general kernel takes the degree as an argument; a specialised one
has a loop whose length the compiler sees.
"""

import numpy as np

import treadle

COUNT, GROUP_SIZE = 1024, 128
TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL polynomial(TREADLE_GLOBAL float *y, TREADLE_GLOBAL const float *x,
                          TREADLE_GLOBAL const float *coefficients, int n)
{
  const int i = treadle_global_id(0);
  float sum = 0;
  for (int k = n - 1; k >= 0; --k) sum = sum * x[i] + coefficients[k];
  y[i] = sum;
}
"""

coefficients = np.array([1, -3, 0, 2], np.float32)  # 1 - 3 x + 2 x^3
x = np.random.default_rng(0).integers(-8, 9, COUNT).astype(np.float32)
expected = np.polynomial.polynomial.polyval(x, coefficients)
degree = len(coefficients)
for device in treadle.devices():
    baked = treadle.specialize(TEXT, language=device.language, n=degree)
    for text, rest in (TEXT, [np.int32(degree)]), (baked, []):
        polynomial = treadle.Program(device, text).kernel("polynomial")
        y = treadle.Buffer(device, x.nbytes)
        inputs = treadle.Buffer(device, x), treadle.Buffer(device, coefficients)
        polynomial(y, *inputs, *rest, groups=COUNT // GROUP_SIZE, group_size=GROUP_SIZE)
        result = np.empty_like(x)
        y.copy_to(result)
        assert np.array_equal(result, expected)
    print(f"{device.id}: a polynomial with an argument, and with a constant")
