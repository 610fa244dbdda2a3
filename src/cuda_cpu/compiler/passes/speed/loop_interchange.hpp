// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace llvm {
class Loop;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct KernelBody;
class PassRunner;

/// Decides for each loop of a body without barriers whether it is interchanged with the loop over
/// threads: its accesses are coalesced, and its arithmetic fills vectors of threads. Returns
/// whether any is.
bool mark_interchanged_loops(const KernelBody& body, PassRunner& runner);

/// The same for loops of a body with barriers that carry floating-point values: they cannot become
/// vectors of iterations, only of threads. Nothing is decided for other loops.
void mark_float_loops(const KernelBody& body, PassRunner& runner);

/// What was decided for `loop`, if anything was.
std::optional<bool> interchange_mark(const llvm::Loop& loop);

}  // namespace treadle::cuda_cpu
