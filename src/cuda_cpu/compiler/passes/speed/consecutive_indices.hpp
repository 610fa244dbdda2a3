// SPDX-License-Identifier: MIT
#pragma once

namespace treadle::cuda_cpu {

struct SplitKernel;

/// Fills RegionWork::indices: of the values that a region needs from others those that come into
/// addresses, where it is worth knowing that neighbouring threads hold neighbouring numbers.
void find_consecutive_indices(SplitKernel& kernel);

}  // namespace treadle::cuda_cpu
