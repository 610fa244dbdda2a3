// SPDX-License-Identifier: MIT
// A module of the CPU device: its header, and the descriptor that its code exports. Nothing is
// loaded: whoever makes a right digest may run code anyway.
#ifndef TREADLE_LIBFUZZER
#include <gtest/gtest.h>
#endif

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/runtime/module_image.hpp"
#include "fuzz/target.hpp"

using namespace treadle;
using namespace treadle::cuda_cpu;

namespace {

// A word that begins with this mark stands for an address in the input itself.
constexpr std::uint64_t address_mark = 0xADD2E550;

std::vector<std::uint64_t> with_addresses(std::string_view input) {
  std::vector<std::uint64_t> words(input.size() / 8 + 1);
  std::memcpy(words.data(), input.data(), input.size());
  const auto start = reinterpret_cast<std::uint64_t>(words.data());
  for (std::uint64_t& word : words)
    if (word >> 32 == address_mark) word = start + (word & 0xffff);
  return words;
}

std::string defect_of(const std::vector<std::uint64_t>& words) {
  const auto start = reinterpret_cast<std::uintptr_t>(words.data());
  const MappedRange mapped[] = {{start, start + 8 * words.size(), true}};
  return descriptor_defect(reinterpret_cast<const ModuleDescriptor*>(words.data()), mapped);
}

}  // namespace

TREADLE_FUZZ_TARGET(module_image) {
  const LoadFailure failure = header_defect(input.data(), input.size());
  fuzz::require((failure.code == CUDA_SUCCESS) == failure.text.empty(), "a refusal says why");

  defect_of(with_addresses(input));
}

#ifndef TREADLE_LIBFUZZER
// A corpus that is refused for its version would test one line.
TEST(ModuleImageCorpus, is_of_this_version) {
  const char* tree = std::getenv("TREADLE_SOURCE_DIR");
  if (tree == nullptr) GTEST_SKIP() << "TREADLE_SOURCE_DIR does not name the source tree";
  const auto read = [&](const char* name) {
    const std::string path = std::string(tree) + "/tests/fuzz/corpus/module_image/" + name;
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(defect_of(with_addresses(read("descriptor"))), "");
  const std::string header = read("header");
  EXPECT_EQ(header_defect(header.data(), header.size()).text, "");
}
#endif
