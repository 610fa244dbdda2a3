// SPDX-License-Identifier: MIT
// cuda.h, with its functions visible from outside this library: everything else is built hidden.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

/// For the few exported functions that cuda.h does not declare (older versions, our own).
#define TREADLE_CPU_EXPORT extern "C" __attribute__((visibility("default")))
