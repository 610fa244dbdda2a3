# SPDX-License-Identifier: MIT
"""Iterations on arrays and their buffers: a linear system, a classifier, clusters of points."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.clmath as clmath

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
prg = cl.Program(
    ctx,
    """
__kernel void laplacian(__global const float *x, __global float *y, int n)
{
    int i = get_global_id(0), r = i / n, c = i % n;
    y[i] = 4 * x[i] - (r ? x[i - n] : 0) - (r < n - 1 ? x[i + n] : 0)
                    - (c ? x[i - 1] : 0) - (c < n - 1 ? x[i + 1] : 0);
}
__kernel void times(__global const float *A, __global const float *x, __global float *y, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int j = 0; j < n; j++) s += A[i * n + j] * x[j];
    y[i] = s;
}
__kernel void nearest(__global const float2 *p, __global const float2 *centres, int k,
                      __global int *label)
{
    int i = get_global_id(0), best = 0;
    for (int j = 1; j < k; j++)
        if (distance(p[i], centres[j]) < distance(p[i], centres[best])) best = j;
    label[i] = best;
}
""",
).build()
laplacian, times, nearest = prg.laplacian, prg.times, prg.nearest
laplacian.set_scalar_arg_dtypes([None, None, np.int32])
times.set_scalar_arg_dtypes([None, None, None, np.int32])
rng = np.random.RandomState(1)

n = 16


def apply(x):
    y = cl_array.empty_like(x)
    laplacian(queue, (n * n,), None, x.data, y.data, n)
    return y


b = cl_array.to_device(queue, rng.rand(n * n).astype(np.float32))
x = cl_array.zeros(queue, n * n, np.float32)
r = b - apply(x)
p, rr = r.copy(), float(cl_array.dot(r, r).get())
iterations = 0
while rr > 1e-8 and iterations < 100:
    Ap = apply(p)
    alpha = np.float32(rr / cl_array.dot(p, Ap).get())
    x += alpha * p
    r -= alpha * Ap
    before, rr = rr, float(cl_array.dot(r, r).get())
    p = r + np.float32(rr / before) * p
    iterations += 1
print("iterations:", iterations)
assert iterations < 100 and float(cl_array.max(abs(apply(x) - b)).get()) < 1e-3

A = rng.randn(200, 8).astype(np.float32)
wanted = (rng.rand(200) > 0.5).astype(np.float32)
A_dev, At_dev = cl_array.to_device(queue, A), cl_array.to_device(queue, A.T.copy())
y, w = cl_array.to_device(queue, wanted), cl_array.zeros(queue, 8, np.float32)
scores, slope = cl_array.empty(queue, 200, np.float32), cl_array.empty_like(w)
on_host = np.zeros(8)
for _ in range(10):
    times(queue, (200,), None, A_dev.data, w.data, scores.data, 8)
    left = 1 / (1 + clmath.exp(-scores)) - y
    times(queue, (8,), None, At_dev.data, left.data, slope.data, 200)
    w -= np.float32(0.01) * slope
    on_host -= 0.01 * (A.T @ (1 / (1 + np.exp(-A @ on_host)) - wanted))
assert np.allclose(w.get(), on_host, rtol=1e-3, atol=1e-5)

points = rng.rand(500, 2).astype(np.float32)
centres = points[:5].copy()
points_dev, label = cl_array.to_device(queue, points), cl_array.empty(queue, 500, np.int32)
for _ in range(5):
    centres_dev = cl_array.to_device(queue, centres)
    nearest(queue, (500,), None, points_dev.data, centres_dev.data, np.int32(5), label.data)
    found = label.get()
    apart = np.linalg.norm(points[:, None] - centres[None], axis=2)
    assert np.allclose(apart[np.arange(500), found], apart.min(1), rtol=1e-5)
    centres = np.array([points[found == j].mean(0) for j in range(5)], np.float32)
