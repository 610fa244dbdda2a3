// SPDX-License-Identifier: MIT
#pragma once

#include "process/nvtx.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

/// Puts a function into the slot of a platform's table that launches, so that a profiler draws each
/// launch as a range named by its kernel and the line of the program. `nvtx` lives as long as the
/// process.
void mark_launches(Table& table, const Nvtx& nvtx);

}  // namespace treadle::opencl
