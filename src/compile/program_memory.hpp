// SPDX-License-Identifier: MIT
#pragma once

#include "compile/memory_cache.hpp"

namespace treadle::compile {

/// The memory cache behind compile_cuda(). Never destroyed: threads may compile while the process
/// ends.
MemoryCache& program_memory();

}  // namespace treadle::compile
