// SPDX-License-Identifier: MIT
// Origins, regions and pitches, as programs write them.
#pragma once

#include <array>
#include <string>

#include "pyopencl/error_classes.hpp"

namespace treadle::bindings::cl {

/// Up to N numbers of an iterable; those that are missing are `rest`. Throws LogicError naming
/// `what` for more.
template <std::size_t N>
std::array<std::size_t, N> numbers(nb::handle given, std::size_t rest, const char* what) {
  std::array<std::size_t, N> values;
  values.fill(rest);
  if (given.is_none()) return values;
  std::size_t count = 0;
  for (const nb::handle item : nb::borrow<nb::iterable>(given)) {
    if (count == N)
      raise_logic_error("enqueue_copy",
                        std::string(what) + " has more than " + std::to_string(N) + " entries");
    const nb::object number = nb::steal(PyNumber_Index(item.ptr()));
    if (!number.is_valid()) throw nb::python_error();
    values[count++] = nb::cast<std::size_t>(number);
  }
  return values;
}

}  // namespace treadle::bindings::cl
