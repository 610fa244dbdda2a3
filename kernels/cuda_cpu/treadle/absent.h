// SPDX-License-Identifier: MIT
// What this device does not offer: an error at the line that uses it.
#pragma once

#define __TREADLE_ABSENT(what) __attribute__((unavailable(what " is not available on the CPU device")))

/// launches.h has it, for texts that are compiled with -rdc=true.
__device__ cudaError_t cudaDeviceSynchronize() __TREADLE_ABSENT("the device run-time without -rdc=true");
