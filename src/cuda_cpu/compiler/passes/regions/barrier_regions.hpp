// SPDX-License-Identifier: MIT
// Kernels with barriers as regions: stretches of code between two barriers.
#pragma once

#include <string>

namespace treadle::cuda_cpu {

struct KernelBody;
struct SplitKernel;

/// Whether threads of a block must meet: at barriers, or after stores that old code relies on
/// warps for.
bool needs_regions(const KernelBody& body);

/// Cuts kernel.body at its barriers; finds where threads go from each region, and which values
/// regions need from others. `name`: of the kernel, for an error.
void split_at_barriers(SplitKernel& kernel, const std::string& name);

/// Makes each region a function for one thread.
void make_region_functions(SplitKernel& kernel);

}  // namespace treadle::cuda_cpu
