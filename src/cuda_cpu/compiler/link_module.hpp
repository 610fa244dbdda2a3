// SPDX-License-Identifier: MIT
// An object file to a shared object, by lld, in this process.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <vector>

namespace treadle::cuda_cpu {

/// Links `object` against libm, libmvec and libc as needed; `keep_symbols` for debuggers. Throws
/// BackendError naming what is undefined.
std::vector<char> link_shared_object(llvm::ArrayRef<char> object, bool keep_symbols);

}  // namespace treadle::cuda_cpu
