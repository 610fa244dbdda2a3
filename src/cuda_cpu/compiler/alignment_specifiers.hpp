// SPDX-License-Identifier: MIT
// `alignas` behind CUDA's keywords.
#pragma once

namespace clang {
class Preprocessor;
}

namespace treadle::cuda_cpu {

/// From here on the parser takes `__shared__ alignas(16) float s[4]`. A keyword of CUDA is a GNU
/// attribute to clang, and behind one it takes C's `_Alignas` only, which says the same.
void accept_alignas_behind_attributes(clang::Preprocessor& preprocessor);

}  // namespace treadle::cuda_cpu
