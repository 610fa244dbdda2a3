# SPDX-License-Identifier: MIT
"""Rearranging arrays: take, multi_take_put, multi_put, subsets, selection by a criterion."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.gpuarray as gpuarray

rng = np.random.RandomState(8)
n = 3000
keys = rng.randint(0, 1000, n).astype(np.int32)
values = rng.uniform(-1, 1, n).astype(np.float32)
order = np.argsort(keys, kind="stable").astype(np.uint32)

keys_gpu, values_gpu, order_gpu = (gpuarray.to_gpu(a) for a in (keys, values, order))
sorted_values = gpuarray.take(values_gpu, order_gpu)
assert (sorted_values.get() == values[order]).all()
pair = gpuarray.multi_take([values_gpu, 2 * values_gpu], order_gpu)
assert (pair[1].get() == 2 * values[order]).all()

# Back to where they came from.
(back,) = gpuarray.multi_put([sorted_values], order_gpu, dest_shape=values.shape)
assert (back.get() == values).all()
half = (order[: n // 2]).copy()
target = [gpuarray.zeros(n, np.float32)]
gpuarray.multi_take_put(
    [values_gpu],
    gpuarray.to_gpu(np.arange(n // 2, dtype=np.uint32)),
    gpuarray.to_gpu(half),
    out=target,
)
assert (target[0].get()[: n // 2] == values[half]).all() and not target[0].get()[n // 2 :].any()

chosen = np.nonzero(values > 0.5)[0].astype(np.uint32)
chosen_gpu = gpuarray.to_gpu(chosen)
np.testing.assert_allclose(
    gpuarray.subset_sum(chosen_gpu, values_gpu).get(), values[chosen].sum(), rtol=1e-5
)
np.testing.assert_allclose(
    gpuarray.subset_dot(chosen_gpu, values_gpu, values_gpu).get(),
    (values[chosen] ** 2).sum(),
    rtol=1e-5,
)
assert gpuarray.subset_min(chosen_gpu, values_gpu).get() == values[chosen].min()
assert gpuarray.subset_max(chosen_gpu, keys_gpu).get() == keys[chosen].max()

clipped = gpuarray.minimum(gpuarray.maximum(values_gpu, -0.25), 0.25)
assert (clipped.get() == values.clip(-0.25, 0.25)).all()
rectified = gpuarray.if_positive(values_gpu, values_gpu, gpuarray.zeros_like(values_gpu))
assert (rectified.get() == np.maximum(values, 0)).all()
same = gpuarray.where(values_gpu > 0, values_gpu, -values_gpu)
assert (same.get() == abs(values)).all()
table = gpuarray.concatenate([values_gpu[:1000], values_gpu[2000:]])
assert (table.get() == np.concatenate([values[:1000], values[2000:]])).all()
assert (gpuarray.stack([keys_gpu, keys_gpu], axis=-1).get() == np.stack([keys, keys], -1)).all()
print("highest of the chosen:", gpuarray.subset_max(chosen_gpu, values_gpu).get())
