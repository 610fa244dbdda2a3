// SPDX-License-Identifier: MIT
// Converts texts of Python to enumerators.
#pragma once

#include <cstddef>
#include <string>

#include "treadle/base/error.hpp"

namespace treadle::bindings {

/// The enumerator whose number is the place of `name` in the list. Throws InvalidArgument that
/// begins with `what` and lists all names.
template <class Enumeration, std::size_t n>
Enumeration chosen_by_name(const char* const (&names)[n], const std::string& name,
                           const std::string& what) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) {
    if (name == names[i]) return static_cast<Enumeration>(i);
    all += (i > 0 ? ", " : "") + std::string(names[i]);
  }
  throw InvalidArgument(what + name + "'", "there are " + all);
}

}  // namespace treadle::bindings
