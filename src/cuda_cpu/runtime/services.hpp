// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

/// What compiled code may call; every loaded module gets a pointer to it.
const Services& services();

/// The block the calling thread runs; null outside launches.
BlockContext* current_block();
void set_current_block(BlockContext* block);

}  // namespace treadle::cuda_cpu
