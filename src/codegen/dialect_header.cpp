// SPDX-License-Identifier: MIT
#include "treadle/codegen/dialect_header.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/embedded.hpp"

namespace treadle::codegen {

extern const std::span<const EmbeddedFile> embedded_files;  // kernels/dialect

namespace {

struct Header {
  Language language;
  std::string_view path;
};
constexpr Header headers_of_languages[] = {{Language::cuda_c, "treadle/dialect_cuda.h"},
                                           {Language::opencl_c, "treadle/dialect_opencl.h"}};

std::string text_of(std::string_view path) {
  const auto found = std::find_if(embedded_files.begin(), embedded_files.end(),
                                  [&](const EmbeddedFile& file) { return file.path == path; });
  return std::string(found->text) + "#line 1\n";
}

}  // namespace

std::string_view dialect_header(Language language) noexcept {
  static const auto* const headers = [] {
    auto* const all = new std::vector<std::string>;
    for (const Header& header : headers_of_languages) all->push_back(text_of(header.path));
    return all;
  }();
  return (*headers)[static_cast<std::size_t>(
      std::ranges::find(headers_of_languages, language, &Header::language) -
      std::begin(headers_of_languages))];
}

}  // namespace treadle::codegen
