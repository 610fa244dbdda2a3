// SPDX-License-Identifier: MIT
#pragma once

namespace treadle::cuda_cpu {

struct KernelBody;
class PassRunner;

/// Whether blocks that are neighbours in the grid probably read the same memory, and none waits for
/// another: a launch may then choose the order of its blocks by what the caches hold.
bool swizzles_blocks(const KernelBody& body, PassRunner& runner);

}  // namespace treadle::cuda_cpu
