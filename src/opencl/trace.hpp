// SPDX-License-Identifier: MIT
#pragma once

#include "process/trace_recorder.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

/// Puts functions that record into those slots of a platform's table that launch, copy, fill, build
/// and wait: programs that are not traced have the loader's own there and pay nothing. Queues made
/// through it keep the times of their commands (CL_QUEUE_PROFILING_ENABLE). `loader` is the table
/// that it was copied from.
void trace_calls(Table& table, const Table& loader, TraceRecorder& recorder);

}  // namespace treadle::opencl
