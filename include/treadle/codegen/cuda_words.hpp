// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle::codegen {

/// A word of CUDA C, or of C++, that OpenCL C does not have.
struct CudaWord {
  unsigned line = 0;        ///< from 1 on
  std::string word;         ///< as the text has it: "threadIdx.x", "template", "#include <vector>"
  std::string replacement;  ///< what treadle/dialect.h, or both languages, have; empty: nothing
  bool operator==(const CudaWord&) const = default;
};

/// What stands between a CUDA C text and the text of both languages, in the order of the lines:
/// each word once for a line. Comments and strings are passed over, and nothing is compiled: names
/// that the text defines itself are its own.
std::vector<CudaWord> cuda_words(std::string_view text);

}  // namespace treadle::codegen
