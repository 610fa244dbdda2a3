// SPDX-License-Identifier: MIT
// The abstract GPU that sources are compiled for: clang's spirv64, which knows no inline assembly,
// with that of CUDA.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>

namespace clang {
class TargetInfo;
}

namespace treadle::cuda_cpu {

/// `spirv`, ready for a source, as a target whose assembly has the constraints of CUDA
/// (h r l q f d n C) and names of special registers such as %laneid.
llvm::IntrusiveRefCntPtr<clang::TargetInfo> with_ptx_assembly(
    llvm::IntrusiveRefCntPtr<clang::TargetInfo> spirv);

}  // namespace treadle::cuda_cpu
