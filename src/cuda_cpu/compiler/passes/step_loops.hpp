// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace llvm {
class Loop;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct KernelBody;
class PassRunner;

/// Decides for each loop of a body without barriers whether threads should run it in step: they
/// read what lies side by side, and their arithmetic fills vectors. Whether they should any.
bool mark_step_loops(const KernelBody& body, PassRunner& runner);

/// What was decided for `loop`, if anything was.
std::optional<bool> step_loop_mark(const llvm::Loop& loop);

}  // namespace treadle::cuda_cpu
