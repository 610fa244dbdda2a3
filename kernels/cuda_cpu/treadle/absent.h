// SPDX-License-Identifier: MIT
// What this device does not offer: an error at the line that uses it.
#pragma once

#define __TREADLE_ABSENT(what) __attribute__((unavailable(what " is not available on the CPU device")))

/// Called for `kernel<<<grid, block>>>()` inside a kernel.
__device__ cudaError_t cudaDeviceSynchronize() __TREADLE_ABSENT("dynamic parallelism");
