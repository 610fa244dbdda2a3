# SPDX-License-Identifier: MIT
"""Programs as PyCUDA's users write them with arrays, against the same in NumPy."""

import sys
from pathlib import Path

import numpy as np
import pycuda.cumath as cumath
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.tools import DeviceMemoryPool

sys.path.insert(0, str(Path(__file__).parent))
from gpuarray_values import floats  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")


def heat(u, steps):
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] = inner + 0.2 * (around - 4 * inner)
    return u


def test_the_heat_equation():
    u = np.zeros((32, 40), np.float32)
    u[10:20, 5:15] = 100
    ours = heat(gpuarray.to_gpu(u), 20)
    np.testing.assert_allclose(ours.get(), heat(u.copy(), 20), rtol=1e-4, atol=1e-5)


def test_mandelbrot_by_arrays():
    real, imag = np.meshgrid(np.linspace(-2, 0.5, 60), np.linspace(-1.2, 1.2, 50))
    c = (real + 1j * imag).astype(np.complex64)
    z, counts = np.zeros_like(c), np.zeros(c.shape, np.int32)
    q = gpuarray.to_gpu(c)
    w, ours = gpuarray.zeros_like(q), gpuarray.zeros(q.shape, np.int32)
    with np.errstate(all="ignore"):
        for _ in range(20):
            z = np.where(abs(z) < 2, z * z + c, z)
            counts += abs(z) < 2
            w = gpuarray.where(abs(w) < 2, w * w + q, w)
            ours += (abs(w) < 2).astype(np.int32)
    assert (ours.get() != counts).mean() < 0.005


def test_pi_by_a_kernel_on_gpudata():
    count = 1 << 16
    hits = gpuarray.zeros(count, np.int32)
    kernel = SourceModule("""
        __global__ void hit(int *hits, unsigned seed) {
          unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = i * 747796405u + seed;
          s = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u; s ^= s >> 22;
          float x = (s & 0xffff) / 65536.f, y = (s >> 16) / 65536.f;
          hits[i] = x * x + y * y < 1;
        }""").get_function("hit")
    kernel(hits.gpudata, np.uint32(7), grid=(count // 256, 1), block=(256, 1, 1))
    assert abs(4 * gpuarray.sum(hits).get() / count - np.pi) < 0.05


def test_jacobi_s_iteration():
    n = 64
    b = np.sin(np.arange(n)).astype(np.float32)
    x = gpuarray.zeros(n, np.float32)
    right = gpuarray.to_gpu(b)
    residual = None
    for _ in range(200):
        new = right / 4
        new[1:] += x[:-1] / 4
        new[:-1] += x[1:] / 4
        residual = float(gpuarray.max(abs(new - x)).get())
        x = new
    matrix = 4 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    np.testing.assert_allclose(x.get(), np.linalg.solve(matrix, b), rtol=1e-3, atol=1e-5)
    assert residual < 1e-5


def test_power_iteration_with_a_reduction_kernel():
    rng = np.random.default_rng(1)
    matrix = rng.random((24, 24)).astype(np.float32)
    matrix += matrix.T
    row_dot = ReductionKernel(
        np.float32, "0", "a+b", "row[i]*x[i]", "const float *row, const float *x"
    )
    a = gpuarray.to_gpu(matrix)
    x = gpuarray.ones(24, np.float32)
    value = 0.0
    for _ in range(12):
        y = gpuarray.empty_like(x)
        for i in range(24):
            row_dot(a[i], x, out=y[i])
        value = float(cumath.sqrt(gpuarray.dot(y, y)).get())
        x = y / value
    assert abs(value - np.linalg.eigvalsh(matrix)[-1]) < 1e-2 * value


def test_grey_of_colours():
    image = (np.arange(20 * 30 * 3) % 256).astype(np.uint8).reshape(20, 30, 3)
    colours = gpuarray.to_gpu(image).astype(np.float32)
    grey = 0.299 * colours[:, :, 0] + 0.587 * colours[:, :, 1] + 0.114 * colours[:, :, 2]
    ours = grey.astype(np.uint8).get()
    theirs = (image @ np.array([0.299, 0.587, 0.114], np.float32)).astype(np.uint8)
    assert abs(ours.astype(int) - theirs).max() <= 1


def test_linear_combination_with_a_pool_and_streams():
    pool, streams = DeviceMemoryPool(), [cuda.Stream() for _ in range(3)]
    combine = ElementwiseKernel(
        "float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]"
    )
    results = []
    for k, stream in enumerate(streams):
        x = gpuarray.to_gpu_async(floats(500, start=k), pool.allocate, stream)
        y = gpuarray.to_gpu_async(floats(500, start=-k), pool.allocate, stream)
        z = gpuarray.empty_like(x)
        combine(2, x, 3, y, z, stream=stream)
        results.append((x, y, z))
    for stream in streams:
        stream.synchronize()
    for k, (_, _, z) in enumerate(results):
        np.testing.assert_array_equal(z.get(), 2 * floats(500, start=k) + 3 * floats(500, start=-k))


def test_complex_filter():
    signal = np.exp(1j * np.arange(200) * 0.1).astype(np.complex64)
    taps = (np.array([0.2, 0.5, 0.3]) * (1 + 0.5j)).astype(np.complex64)
    x = gpuarray.to_gpu(signal)
    y = gpuarray.zeros(198, np.complex64)
    for k, tap in enumerate(taps):
        y += tap * x[2 - k : 200 - k]
    np.testing.assert_allclose(y.get(), np.convolve(signal, taps, "valid"), rtol=1e-4, atol=1e-5)
    energy = gpuarray.sum((y * y.conj()).real).get()
    np.testing.assert_allclose(energy, (abs(y.get()) ** 2).sum(), rtol=1e-5)


def test_bodies_that_attract_each_other():
    rng = np.random.default_rng(2)
    places = rng.random((3, 40)).astype(np.float32)

    def forces(p, inverse_root):
        d = p[:, None, :] - p[:, :, None]
        squares = d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + np.float32(0.01)
        return d * inverse_root(squares) ** 3

    ours = forces(gpuarray.to_gpu(places), lambda s: 1 / cumath.sqrt(s))
    theirs = forces(places, lambda s: 1 / np.sqrt(s))
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(ours.sum(axis=2).get(), theirs.sum(axis=2), rtol=1e-3, atol=2e-1)
