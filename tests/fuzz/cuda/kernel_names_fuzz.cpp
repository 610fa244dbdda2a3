// SPDX-License-Identifier: MIT
// Names of kernels: symbols, name expressions, what a user typed.
#include "cuda/kernel_names.hpp"
#include "fuzz/target.hpp"
#include "treadle/base/near_match.hpp"

using namespace treadle;

TREADLE_FUZZ_TARGET(kernel_names) {
  const std::string name(fuzz::take_line(input));
  cuda::kernel_name(cuda::demangle(name));
  cuda::kernel_name(name);
  const std::string squeezed = squeeze(name);
  fuzz::require(squeeze(squeezed) == squeezed, "blanks are squeezed out at once");
  std::vector<std::string> known;
  while (!input.empty() && known.size() < 20) known.emplace_back(fuzz::take_line(input));
  fuzz::require(near_matches(name, known).size() <= known.size(), "matches are known names");
}
