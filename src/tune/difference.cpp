// SPDX-License-Identifier: MIT
// Outputs against what they have to be.
#include <algorithm>

#include "treadle/tune/measure.hpp"
#include "tune/numbers.hpp"

namespace treadle::tune {
namespace {

std::string difference_of_bytes(std::span<const std::byte> found,
                                std::span<const std::byte> expected) {
  if (std::ranges::equal(found, expected)) return {};
  std::size_t wrong = 0, first = 0;
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (found[k] != expected[k] && wrong++ == 0) first = k;
  return "byte " + std::to_string(first) + " is " +
         std::to_string(std::to_integer<int>(found[first])) + ", expected " +
         std::to_string(std::to_integer<int>(expected[first])) + of_count(wrong, expected.size());
}

}  // namespace

std::string difference(std::span<const std::byte> found, const Expected& expected) {
  if (expected.check) return expected.check(found);
  if (found.size() != expected.bytes.size())
    return "it has " + std::to_string(found.size()) + " bytes, expected " +
           std::to_string(expected.bytes.size());
  if (expected.dtype && default_tolerance(*expected.dtype) > 0)
    return difference_of_numbers(numbers_in(found, *expected.dtype),
                                 numbers_in(expected.bytes, *expected.dtype),
                                 expected.tolerance.value_or(default_tolerance(*expected.dtype)));
  return difference_of_bytes(found, expected.bytes);
}

}  // namespace treadle::tune
