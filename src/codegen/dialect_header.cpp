// SPDX-License-Identifier: MIT
#include "treadle/codegen/dialect_header.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "treadle/base/embedded.hpp"

namespace treadle::codegen {

extern const std::span<const EmbeddedFile> embedded_files;  // kernels/dialect

namespace {

std::string text_of(std::string_view path) {
  const auto found = std::find_if(embedded_files.begin(), embedded_files.end(),
                                  [&](const EmbeddedFile& file) { return file.path == path; });
  return std::string(found->text) + "#line 1\n";
}

}  // namespace

std::string_view dialect_header(Language language) noexcept {
  static const std::string* const cuda = new std::string(text_of("treadle/dialect_cuda.h"));
  static const std::string* const opencl = new std::string(text_of("treadle/dialect_opencl.h"));
  return language == Language::cuda_c ? *cuda : *opencl;
}

}  // namespace treadle::codegen
