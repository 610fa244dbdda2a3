// SPDX-License-Identifier: MIT
#pragma once

#include "process/trace_recorder.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// Puts functions that record into those slots of `table` that launch, copy, fill, allocate, load
/// and wait: programs that are not traced have the driver's own there and pay nothing. Once for
/// each provider; another table of the same provider is recorded in its place.
void trace_calls(Table& table, TraceRecorder& recorder);

}  // namespace treadle::cuda
