# SPDX-License-Identifier: MIT
"""Loops that the threads of a block run in step: which elements a thread comes to must not depend
on how their indices are kept. All in one source, so that it is compiled once."""

import numpy as np
import pytest

SOURCE = """
extern "C" __global__ void strided(int* o, const int* p, int n, int stride) {
  int t = threadIdx.x + blockDim.x * threadIdx.y, sum = 0;
  for (int i = t; i < n; i += stride) sum = 3 * sum + p[i];
  o[t] = sum; __syncthreads(); o[t] += o[0] & 0;
}
extern "C" __global__ void backwards(int* o, const int* p, int n, int stride) {
  int t = threadIdx.x + blockDim.x * threadIdx.y, sum = 0;
  for (int i = n - 1 - t; i >= 0; i -= stride) sum = 3 * sum + p[i];
  o[t] = sum; __syncthreads(); o[t] += o[0] & 0;
}
extern "C" __global__ void anywhere(int* o, const int* p, int n, int stride) {
  int t = threadIdx.x + blockDim.x * threadIdx.y, sum = 0;
  for (int i = p[t]; i < n; i += stride) sum = 3 * sum + p[i];
  o[t] = sum; __syncthreads(); o[t] += o[0] & 0;
}
extern "C" __global__ void wrapping(int* o, const int* p, int n, int stride) {
  int t = threadIdx.x + blockDim.x * threadIdx.y, sum = 0;
  unsigned i = 0xffffffffu - 20 + t;
  for (int k = 0; k < n - t; k++, i += stride) sum = 3 * sum + p[i % 512u];
  o[t] = sum; __syncthreads(); o[t] += o[0] & 0;
}
extern "C" __global__ void followed(int* o, const int* p, int n, int stride) {
  int t = threadIdx.x + blockDim.x * threadIdx.y, sum = 0;
  for (long long i = t; i < n; i = i + p[i] % 7 + stride) sum = 3 * sum + p[i];
  o[t] = sum; __syncthreads(); o[t] += o[0] & 0;
}
"""


def visits(name, p, t, n, stride):
    """The indices that thread t of a kernel comes to, in their order."""
    if name == "strided":
        return range(t, n, stride)
    if name == "backwards":
        return range(n - 1 - t, -1, -stride)
    if name == "anywhere":
        return range(p[t], n, stride)
    if name == "wrapping":
        start = 0xFFFFFFFF - 20 + t
        return [((start + k * stride) % 2**32) % 512 for k in range(max(0, n - t))]
    indices, i = [], t
    while i < n:
        indices.append(i)
        i += p[i] % 7 + stride
    return indices


@pytest.fixture(scope="module")
def kernels(opened_device):
    opened_device.make_current(opened_device.context)
    module = opened_device.compile(SOURCE)
    return lambda name: module.kernel(name)


@pytest.mark.parametrize("name", ["strided", "backwards", "anywhere", "wrapping", "followed"])
@pytest.mark.parametrize("block", [(64,), (33,), (16, 5)], ids=str)
@pytest.mark.parametrize("n, stride", [(400, 64), (401, 80), (399, 33), (50, 1), (0, 64)])
def test_each_thread_comes_to_its_elements_in_order(device, kernels, name, block, n, stride):
    threads = int(np.prod(block))
    p = np.random.default_rng(7).integers(0, 300, 512).astype(np.int32)
    out = np.zeros(threads, np.int32)
    kernels(name)(out, p, np.int32(n), np.int32(stride), block=block)
    for t in range(threads):
        total = 0
        for i in visits(name, p.tolist(), t, n, stride):
            total = (3 * total + int(p[i])) % 2**32
        assert out[t] == np.uint32(total).astype(np.int32), (t, n, stride)
