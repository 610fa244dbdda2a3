// SPDX-License-Identifier: MIT
#pragma once

namespace treadle::cuda_cpu {

struct KernelBody;

/// The blockDim.x that a kernel is probably launched with; 0 if nothing suggests one. Call it on a
/// simplified body.
unsigned likely_row_width(const KernelBody& body);

}  // namespace treadle::cuda_cpu
