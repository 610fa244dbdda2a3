// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

/// BarrierKind in front of each region, by region number: the scheduler's inner loop reads it per
/// thread.
using BarrierKinds = std::array<std::uint8_t, 256>;
BarrierKinds barrier_kinds(const Kernel& kernel);

/// Runs one block of a kernel that has barriers.
void run_regions(const Kernel& kernel, const BarrierKinds& kinds, void** arguments,
                 BlockContext& block);

}  // namespace treadle::cuda_cpu
