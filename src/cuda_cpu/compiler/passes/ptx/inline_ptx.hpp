// SPDX-License-Identifier: MIT
// Inline PTX assembly as plain IR: what people really write is translated, the rest refused.
#pragma once

#include <optional>
#include <string>

namespace llvm {
class CallBase;
}

namespace treadle::cuda_cpu {

struct PtxRefusal {
  std::string statement;  ///< of the assembly's text
  std::string reason;
};

/// Replaces `call`, an inline assembly of spirv64 code, by instructions and calls of markers.
/// Nothing if that was done; else the call stays, with what was already made before it.
std::optional<PtxRefusal> translate_inline_ptx(llvm::CallBase& call);

}  // namespace treadle::cuda_cpu
