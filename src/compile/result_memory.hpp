// SPDX-License-Identifier: MIT
// The memory cache that every compile of the process goes through.
#pragma once

#include <functional>
#include <string>

#include "compile/build.hpp"
#include "compile/memory_cache.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {

/// Never destroyed: threads may compile while the process ends.
MemoryCache& result_memory();

/// The result held in memory for what `name` returns; else the one of the build that `describe`
/// describes, which is held from then on. Counts a hit or a miss. `name` is not called where the
/// caches are disabled.
CompileResult remember(const std::function<std::string()>& name,
                       const std::function<CompileRequest()>& describe, CacheUse use);

}  // namespace treadle::compile
