// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class Function;
}

namespace treadle::cuda_cpu {

class PassRunner;

/// Whether one thread of a kernel may run for any time, as far as its code shows: a loop whose
/// steps are not counted by constants, a call of what was not inlined.
bool may_run_long(llvm::Function& body, PassRunner& runner);

}  // namespace treadle::cuda_cpu
