// SPDX-License-Identifier: MIT
// What kernels of graphs with conditional nodes call. A handle is the address of the condition.
#pragma once

typedef unsigned long long cudaGraphConditionalHandle;

extern "C" __device__ inline void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
                                                          unsigned int value) {
  __atomic_store_n((unsigned int*)handle, value, __ATOMIC_RELAXED);
}
