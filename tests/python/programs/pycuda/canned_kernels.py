# SPDX-License-Identifier: MIT
"""The kernels behind the arrays, called by hand on their grids; memoised for each context."""

import numpy as np
import pycuda.autoinit
import pycuda.elementwise as el
import pycuda.gpuarray as gpuarray
from pycuda.tools import clear_context_caches, context_dependent_memoize

calls = []


@context_dependent_memoize
def power_kernel(dtype, exponent):
    calls.append(exponent)
    return el.get_elwise_kernel(
        [el.VectorArg(dtype, "x"), el.VectorArg(dtype, "y")],
        "y[i] = pow(x[i], (double) %d)" % exponent,
        "power_%d" % exponent,
    )


x = gpuarray.to_gpu(np.linspace(1, 2, 1000))
y = gpuarray.empty_like(x)
for exponent in (2, 3, 2, 3):
    power_kernel(x.dtype, exponent).prepared_async_call(
        x._grid, x._block, None, x.gpudata, y.gpudata, x.mem_size
    )
assert calls == [2, 3]
np.testing.assert_allclose(y.get(), x.get() ** 3)
clear_context_caches()
power_kernel(x.dtype, 2)
assert calls == [2, 3, 2]

f8 = np.dtype(np.float64)
axpby = el.get_axpbyz_kernel(f8, f8, f8)
axpby.prepared_async_call(
    x._grid, x._block, None, 2.0, x.gpudata, -1.0, y.gpudata, y.gpudata, x.mem_size
)
np.testing.assert_allclose(y.get(), 2 * x.get() - x.get() ** 3)
sine = el.get_unary_func_kernel("sin", f8)
sine.prepared_call(x._grid, x._block, x.gpudata, y.gpudata, x.mem_size)
np.testing.assert_allclose(y.get(), np.sin(x.get()))
el.get_fill_kernel(f8).prepared_call(y._grid, y._block, 4.0, y.gpudata, y.mem_size)
assert (y.get() == 4).all()
el.get_reverse_kernel(f8).prepared_call(y._grid, y._block, x.gpudata, y.gpudata, y.mem_size)
assert (y.get() == x.get()[::-1]).all()
module = el.get_elwise_module(
    [el.VectorArg(np.float32, "a"), el.ScalarArg(np.uintp, "n")],
    "a[i] = i + before",
    "count",
    loop_prep="float before = 10",
)
count = module.get_function("count")
a = gpuarray.empty(300, np.float32)
count(a, np.uintp(a.size), block=a._block, grid=a._grid)
assert (a.get() == np.arange(300) + 10).all()
lincomb, _ = el.get_linear_combination_kernel(((False, f8, f8), (False, f8, f8)), f8)
lincomb.prepared_call(x._grid, x._block, 3.0, x.gpudata, 0.5, x.gpudata, y.gpudata, x.mem_size)
np.testing.assert_allclose(y.get(), 3.5 * x.get())
print(pycuda.autoinit.device.name())
