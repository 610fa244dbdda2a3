# SPDX-License-Identifier: MIT
"""Kernel Tuner: kernels that are run in many shapes, by pyopencl and by pycuda."""

import kernel_tuner
import numpy as np
import pytest

CUDA = """
__global__ void add(float *c, const float *a, const float *b, int n)
{
    int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
"""
OPENCL = """
__kernel void add(__global float *c, __global const float *a, __global const float *b, int n)
{
    int i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}
"""
LANGUAGES = pytest.mark.parametrize("language", ["CUDA", "OpenCL"])


def arguments(rng):
    a, b = rng.random((2, 10000)).astype(np.float32)
    return [np.zeros_like(a), a, b, np.int32(a.size)]


@LANGUAGES
def test_run_kernel(rng, language):
    given = arguments(rng)
    text = CUDA if language == "CUDA" else OPENCL
    results = kernel_tuner.run_kernel(
        "add", text, given[0].size, given, {"block_size_x": 64}, lang=language
    )
    np.testing.assert_array_equal(results[0], given[1] + given[2])


@LANGUAGES
def test_tune_kernel(rng, language, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = arguments(rng)
    text = CUDA if language == "CUDA" else OPENCL
    results, environment = kernel_tuner.tune_kernel(
        "add", text, given[0].size, given, {"block_size_x": [32, 64, 128]}, lang=language,
        answer=[given[1] + given[2], None, None, None], iterations=2,
    )  # fmt: skip
    assert [one["block_size_x"] for one in results] == [32, 64, 128]
    assert all(one["time"] > 0 for one in results)
    assert environment
