# SPDX-License-Identifier: MIT
"""<cuda/std/...>: the programs of std_headers_test under the names of cuda::std. On the CPU device
they are ours; NVRTC takes the same programs with CUDA's own."""

import numpy as np
import pytest
import std_headers_test as standard

HEADERS = """array atomic barrier bit cassert cfloat chrono climits cmath complex cstddef cstdint
cstdlib cstring ctime functional initializer_list iterator limits memory numeric optional ratio span
tuple type_traits utility version""".split()
# CCCL 3.0 has them in no header that programs may include.
OURS_ALONE = ("lower_bound", "std::reverse", "transform", "std::clamp")

ATOMICS = """
extern "C" __global__ void counts(int* out) {
  __shared__ cuda::std::atomic<int> all;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> odd;
  if (threadIdx.x == 0) { all = 0; odd = 0; }
  __syncthreads();
  all.fetch_add(threadIdx.x, cuda::std::memory_order_relaxed);
  if (threadIdx.x % 2) ++odd;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_device>(out[2]).fetch_max(threadIdx.x);
  if (threadIdx.x == 0) { out[0] = all; out[1] = odd.load(); }
}
extern "C" __global__ void meets(int* out) {
  __shared__ cuda::std::aligned_storage_t<sizeof(cuda::barrier<cuda::thread_scope_block>), 8> room;
  auto* all = reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(&room);
  __shared__ int values[64];
  if (threadIdx.x == 0) init(all, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  all->arrive_and_wait();
  out[threadIdx.x] = values[63 - threadIdx.x];
}
"""


def chosen(programs):
    return {k: v for k, v in programs.items() if not any(word in k for word in OURS_ALONE)}


def as_cuda_std(text):
    return text.replace("std::", "cuda::std::")


PROGRAMS, COMPLEX = chosen(standard.PROGRAMS), chosen(standard.COMPLEX)
HEAD = "".join(f"#include <cuda/std/{name}>\n" for name in HEADERS)
HEAD += "#include <cuda/atomic>\n#include <cuda/barrier>\n"
SOURCE = HEAD + as_cuda_std(standard.program_text(PROGRAMS, COMPLEX)) + ATOMICS


@pytest.fixture
def module(machine):
    return machine.module("cuda std", SOURCE, "<cuda/std/...>")


def test_headers_of_cuda_std_work_in_kernels(module):
    standard.check_values(module, PROGRAMS)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_complex_numbers_of_cuda_std(module, kind):
    standard.check_complex(module, COMPLEX, kind)


def test_atomics_and_barriers_of_cuda_std(module):
    out = np.zeros(64, np.int32)
    module.kernel("counts")(out, block=(64,), grid=(1,))
    assert out[:3].tolist() == [2016, 32, 63]
    module.kernel("meets")(out, block=(64,), grid=(1,))
    assert np.array_equal(out, np.arange(64)[::-1])


@pytest.mark.parametrize("name", [*HEADERS, "algorithm", "new", "numbers"])
def test_each_header_stands_alone(device, name):
    device.image(f'#include <cuda/std/{name}>\nextern "C" __global__ void k() {{}}')
