// SPDX-License-Identifier: MIT
// Lists of names and values, as OpenCL's calls read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "treadle/base/error.hpp"

namespace treadle::opencl {

/// `properties` with the 0 that ends them. Throws InvalidArgument where a name has no value: the
/// platform would read on behind the list.
inline std::vector<std::uint64_t> ended_pairs(std::span<const std::uint64_t> properties,
                                              const char* call) {
  for (std::size_t i = 0; i < properties.size() && properties[i] != 0; i += 2)
    if (i + 1 == properties.size())
      throw InvalidArgument(
          std::string(call) + ": property " + std::to_string(properties[i]) + " has no value",
          "properties are pairs of name and value; the 0 at the end is added");
  std::vector<std::uint64_t> list(properties.begin(), properties.end());
  list.push_back(0);
  return list;
}

}  // namespace treadle::opencl
