// SPDX-License-Identifier: MIT
// A module of the CPU device: its header, and the descriptor that its code exports. Nothing is
// loaded: whoever makes a right digest may run code anyway.
#include <cstring>
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

}  // namespace

TREADLE_FUZZ_TARGET(module_image) {
  const LoadFailure failure = header_defect(input.data(), input.size());
  fuzz::require((failure.code == CUDA_SUCCESS) == failure.text.empty(), "a refusal says why");

  const std::vector<std::uint64_t> words = with_addresses(input);
  const auto start = reinterpret_cast<std::uintptr_t>(words.data());
  const MappedRange mapped[] = {{start, start + 8 * words.size(), true}};
  descriptor_defect(reinterpret_cast<const ModuleDescriptor*>(words.data()), mapped);
}
