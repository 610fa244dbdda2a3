// SPDX-License-Identifier: MIT
// Where the CPU device learns of the program's sink for what kernels print.
#pragma once

#include "treadle/cuda/printing.hpp"

namespace treadle::cuda {

/// For the driver that was opened: `set` gets the sink that there is, and every later one.
void connect_print_sink(void (*set)(PrintSink sink));

}  // namespace treadle::cuda
