// SPDX-License-Identifier: MIT
#pragma once

#include "process/nvtx.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// Puts functions into the slots of `table` that launch, so that a profiler draws each launch as a
/// range named by its kernel and the line of the program; where none listens the driver's own are
/// there and nothing is paid. Once for each provider; `nvtx` lives as long as the process.
void mark_launches(Table& table, const Nvtx& nvtx);

}  // namespace treadle::cuda
