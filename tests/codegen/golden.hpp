// SPDX-License-Identifier: MIT
// Generated texts beside those that tests/golden keeps: a change of a generator is seen in them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/tree_printer.hpp"

namespace treadle::codegen {

/// tests/golden/FAMILY; none where the source tree is not there.
inline std::optional<std::filesystem::path> golden_folder(const std::string& family) {
  const char* root = std::getenv("TREADLE_SOURCE_DIR");
  if (root == nullptr) return std::nullopt;
  return std::filesystem::path(root) / "tests" / "golden" / family;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The lines from the first to the last that differ, those of `expected` behind a minus.
inline std::string line_difference(const std::string& expected, const std::string& got) {
  const auto lines = [](const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  };
  std::vector<std::string> a = lines(expected), b = lines(got);
  const auto first = std::ranges::mismatch(a, b);
  const auto start = first.in1 - a.begin();
  a.erase(a.begin(), first.in1);
  b.erase(b.begin(), first.in2);
  while (!a.empty() && !b.empty() && a.back() == b.back()) a.pop_back(), b.pop_back();
  std::string text = "line " + std::to_string(start + 1) + "\n";
  for (const std::string& line : a) text.append("-").append(line).append("\n");
  for (const std::string& line : b) text.append("+").append(line).append("\n");
  return text;
}

/// Compares `text` with tests/golden/FAMILY/NAME, or writes it there where TREADLE_WRITE_GOLDEN
/// is set.
inline void expect_golden(const std::string& family, const std::string& name,
                          const std::string& text) {
  const auto folder = golden_folder(family);
  if (!folder) GTEST_SKIP() << "TREADLE_SOURCE_DIR does not name the source tree";
  const std::filesystem::path path = *folder / name;
  if (std::getenv("TREADLE_WRITE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(*folder);
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_TRUE(text_of(path) == text)
      << path << ", " << line_difference(text_of(path), text)
      << "If the new text is right: TREADLE_WRITE_GOLDEN=1 TREADLE_SOURCE_DIR=. "
         "build/tests/bin/treadle_codegen_test --gtest_filter='*Golden*'";
}

/// The same of what a generator made. Its tree, printed with all checks, is that text.
template <class Made>
  requires requires(const Made& made) { made.program; }
void expect_golden(const std::string& family, const std::string& name, const Made& made) {
  const Language language = name.ends_with(".cu") ? Language::cuda_c : Language::opencl_c;
  EXPECT_EQ(line_difference(tree::print(made.program, language), made.text),
            line_difference(made.text, made.text));
  expect_golden(family, name, made.text);
}

/// Calls `check(name, tiling, dialect)` for both languages and both schedules: "wide.cu".
template <class Check>
void each_golden(Check check) {
  for (const Language language : {Language::cuda_c, Language::opencl_c})
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
      check(std::string(schedule_name(schedule)) + (language == Language::cuda_c ? ".cu" : ".cl"),
            tiling_of(schedule), dialect_of(language));
}

}  // namespace treadle::codegen
