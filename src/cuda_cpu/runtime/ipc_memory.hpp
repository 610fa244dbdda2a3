// SPDX-License-Identifier: MIT
// Device memory of other processes. When the first handle of an allocation is asked for, the pages
// it lies on become those of a file, in place: its address and its contents stay.
#pragma once

#include <cstdint>

#include "cuda_cpu/runtime/memory.hpp"

namespace treadle::cuda_cpu {

/// Ends what was known of an allocation that is freed: nobody opens it any more.
void forget_exported(const Allocation& allocation);
/// Unmaps what was opened (MemoryKind::imported).
void unmap_imported(const Allocation& allocation);

}  // namespace treadle::cuda_cpu
