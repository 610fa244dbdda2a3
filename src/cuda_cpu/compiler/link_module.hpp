// SPDX-License-Identifier: MIT
// Object files to a shared object, by lld, in this process.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>

#include <vector>

namespace treadle::cuda_cpu {

using ObjectCode = llvm::SmallVector<char, 0>;

/// Links `objects` with each other and against libm, libmvec and libc as needed; symbols and line
/// tables stay. Throws BackendError naming what is undefined.
std::vector<char> link_shared_object(llvm::ArrayRef<ObjectCode> objects);

}  // namespace treadle::cuda_cpu
