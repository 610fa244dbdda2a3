// SPDX-License-Identifier: MIT
// Where the arrays of kernels' threads lie, apart from the stack of the thread that runs them
// (compiler/passes/lowering/local_stack.cpp): what is written beyond an array reaches other arrays,
// or addresses where nothing is mapped.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treadle::cuda_cpu {

/// Gives the calling thread a local stack if it has none, and empties it: a fault may have left
/// frames on it. False if there is no memory.
bool prepare_local_stack();

/// Of the calling thread. In a signal handler, too.
bool on_local_stack(std::uintptr_t address);
/// Whether a function's arrays would not fit any more, and the address would be in one.
bool beyond_local_stack(std::uintptr_t address);

/// Services::local_stack.
void** local_stack_end();

/// Another end, of a fiber's own local stack or of the thread's; returns the one until now.
void* exchange_local_stack(void* end);

}  // namespace treadle::cuda_cpu
