// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {

/// Marks the atomic operations on shared memory.
void mark_shared_atomics(const KernelBody& body);

/// Turns the marked ones into plain operations; call it after join_access_group.
void make_shared_atomics_plain(llvm::Function& function);

}  // namespace treadle::cuda_cpu
