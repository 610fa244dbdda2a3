// SPDX-License-Identifier: MIT
// An object file to a shared object, by lld, in this process.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <vector>

namespace treadle::cuda_cpu {

/// Links `object` against libm, libmvec and libc as needed; symbols and line tables stay. Throws
/// BackendError naming what is undefined.
std::vector<char> link_shared_object(llvm::ArrayRef<char> object);

}  // namespace treadle::cuda_cpu
