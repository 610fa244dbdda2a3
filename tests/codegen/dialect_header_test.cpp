// SPDX-License-Identifier: MIT
#include "treadle/codegen/dialect_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

namespace treadle::codegen {
namespace {

// What a kernel's text may use: every name of ours, however the header defines it.
std::set<std::string> names(Language language) {
  const std::string text(dialect_header(language));
  std::set<std::string> found;
  const std::regex name(R"(\b(?:treadle|TREADLE)_[A-Za-z]\w*)");
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
    found.insert(at->str());
  // The header's own: guards, and how CUDA's vectors get their operators.
  std::erase_if(found, [](const std::string& n) {
    return n.starts_with("TREADLE_DIALECT") || n.find("OPERATOR") != std::string::npos ||
           n.starts_with("TREADLE_DEFINE") || n == "TREADLE_OF_DIMENSION" || n == "TREADLE_WIDE";
  });
  return found;
}

TEST(DialectHeader, BothLanguagesHaveTheSameNames) {
  EXPECT_EQ(names(Language::cuda_c), names(Language::opencl_c));
  EXPECT_GT(names(Language::cuda_c).size(), 40u);
}

TEST(DialectHeader, KeepsTheLinesOfWhatFollows) {
  for (const Language language : {Language::cuda_c, Language::opencl_c})
    EXPECT_TRUE(dialect_header(language).ends_with("#endif\n#line 1\n"));
}

}  // namespace
}  // namespace treadle::codegen
