// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

/// Whether launches of the kernel run on fibers: it was compiled for it and the process wants it.
bool runs_on_fibers(const Kernel& kernel);

/// Runs the block, a fiber for each of its threads. Called inside compiled code (stop_signal.hpp).
/// Grid barriers trap: cooperative launches never come here.
void run_block_on_fibers(const Kernel& kernel, void** arguments, BlockContext& block);

/// The service `meet` (module_abi.h).
void meet_on_fibers(BlockContext* block, std::uint32_t kind, std::uint32_t place);

}  // namespace treadle::cuda_cpu
