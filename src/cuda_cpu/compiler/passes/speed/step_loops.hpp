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

/// Decides for loops of a body with barriers that carry floating-point values: they cannot become
/// vectors of steps, only of threads. Nothing is decided for the others.
void mark_arithmetic_loops(const KernelBody& body, PassRunner& runner);

/// What was decided for `loop`, if anything was.
std::optional<bool> step_loop_mark(const llvm::Loop& loop);

}  // namespace treadle::cuda_cpu
