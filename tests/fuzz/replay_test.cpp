// SPDX-License-Identifier: MIT
// Every fuzz target with its corpus: whole, cut off at every length, and damaged at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fuzz/target.hpp"

namespace treadle::fuzz {
namespace {

constexpr int damages = 300;

// A copy of its own size: AddressSanitizer sees a read of the byte behind it.
void feed(Function target, const std::string& bytes) {
  const auto copy = std::make_unique<char[]>(bytes.size());
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  target({copy.get(), bytes.size()});
}

void feed_damaged(Function target, std::string bytes, std::minstd_rand& random) {
  if (bytes.empty()) return;
  for (int i = 0; i < damages; ++i) {
    const std::size_t place = random() % bytes.size();
    const char before = bytes[place];
    bytes[place] = static_cast<char>(random());
    feed(target, bytes);
    if (random() % 3 != 0) bytes[place] = before;
  }
}

std::vector<std::filesystem::path> corpus_of(const std::string& target) {
  const char* tree = std::getenv("TREADLE_SOURCE_DIR");
  std::vector<std::filesystem::path> files;
  if (tree == nullptr) return files;
  const auto folder = std::filesystem::path(tree) / "tests/fuzz/corpus" / target;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry);
  std::ranges::sort(files);
  return files;
}

class Replay : public testing::TestWithParam<std::string> {};

TEST_P(Replay, P4_neither_the_corpus_nor_damage_to_it_does_harm) {
  const Function target = targets().at(GetParam());
  feed(target, "");
  const auto files = corpus_of(GetParam());
  if (files.empty()) GTEST_SKIP() << "TREADLE_SOURCE_DIR does not name the source tree";
  std::minstd_rand random(1);
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    feed(target, bytes);
    const std::size_t step = 1 + bytes.size() / 500;
    for (std::size_t size = 0; size < bytes.size(); size += step)
      feed(target, bytes.substr(0, size));
    feed_damaged(target, bytes, random);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, target] : targets()) all.push_back(name);
  return all;
}

// When this runs, the targets of other files have said that they are there: see CMakeLists.txt.
INSTANTIATE_TEST_SUITE_P(Targets, Replay, testing::ValuesIn(names()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace treadle::fuzz
