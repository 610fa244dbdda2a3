// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle::codegen {

/// A word of CUDA C, or of C++, that OpenCL C does not have.
struct CudaWord {
  unsigned line = 0;  ///< from 1 on
  std::string word;   ///< as in the text: "threadIdx.x", "template", "#include <vector>"
  /// The word of treadle/dialect.h, or of both languages, for the same thing; empty: there is none.
  std::string replacement;
  bool operator==(const CudaWord&) const = default;
};

/// The words of a CUDA C text that OpenCL C does not have, in the order of the lines, each word
/// once for a line. The function skips comments and strings and compiles nothing. It does not
/// report names that the text itself defines.
std::vector<CudaWord> cuda_words(std::string_view text);

}  // namespace treadle::codegen
