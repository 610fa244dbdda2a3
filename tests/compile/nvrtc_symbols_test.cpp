// SPDX-License-Identifier: MIT
#include <regex>
#include <set>

#include "compile/nvrtc_table.hpp"
#include "scratch.hpp"
#include "treadle/base/error.hpp"

namespace treadle::compile {
namespace {

std::multiset<std::string> listed_names() {
  return {
#define TREADLE_NVRTC_SYMBOL(result, name, parameters) #name,
#include "compile/nvrtc_symbols.def"
  };
}

// nvrtc.h of a toolkit or of a wheel, without comments; empty if there is none.
std::string header_text() {
  has_nvrtc();
  std::vector<std::filesystem::path> folders = compiler_status()[0].header_dirs;
  folders.push_back(compiler_status()[0].path.parent_path().parent_path() / "include");
  for (const auto& folder : folders) {
    std::string text = file_bytes(folder / "nvrtc.h");
    if (text.find("NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED") == std::string::npos) continue;
    text = std::regex_replace(text, std::regex("//[^\n]*"), "");
    for (std::size_t from; (from = text.find("/*")) != std::string::npos;)
      text.erase(from, text.find("*/", from) + 2 - from);
    return text;
  }
  return {};
}

TEST(NvrtcSymbols, list_names_each_entry_point_once) {
  const auto names = listed_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names.size(), 24u);
}

TEST(NvrtcSymbols, list_is_that_of_the_toolkits_header) {
  std::string text = header_text();
  if (text.empty()) GTEST_SKIP() << "no nvrtc.h of CUDA 13 on this machine";
  text.resize(text.find("nvrtcGetTypeName"));  // C++ conveniences follow, defined in the header
  std::set<std::string> in_header;
  const std::regex call("\\b(nvrtc[A-Z]\\w*)\\s*\\(");
  for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i)
    in_header.insert((*i)[1]);
  const auto names = listed_names();
  EXPECT_EQ(in_header, std::set<std::string>(names.begin(), names.end()));
}

TEST(NvrtcSymbols, results_have_the_values_of_the_toolkits_header) {
  const std::string text = header_text();
  if (text.empty()) GTEST_SKIP() << "no nvrtc.h of CUDA 13 on this machine";
  const auto value_of = [&](const std::string& name) {
    std::smatch found;
    return std::regex_search(text, found, std::regex(name + "\\s*=\\s*(\\d+)"))
               ? std::stoi(found[1])
               : -1;
  };
  EXPECT_EQ(value_of("NVRTC_SUCCESS"), NVRTC_SUCCESS);
  EXPECT_EQ(value_of("NVRTC_ERROR_INVALID_OPTION"), NVRTC_ERROR_INVALID_OPTION);
  EXPECT_EQ(value_of("NVRTC_ERROR_COMPILATION"), NVRTC_ERROR_COMPILATION);
  EXPECT_EQ(value_of("NVRTC_ERROR_INTERNAL_ERROR"), NVRTC_ERROR_INTERNAL_ERROR);
  EXPECT_EQ(value_of("NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED"),
            NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED);
}

TEST(NvrtcTable, opening_what_is_no_nvrtc_says_what_is_missing) {
  try {
    open_nvrtc("libm.so.6");
    FAIL() << "libm is no compiler";
  } catch (const LibraryNotFound& error) {
    EXPECT_NE(std::string(error.what()).find("nvrtcGetErrorString"), std::string::npos);
  }
}

}  // namespace
}  // namespace treadle::compile
