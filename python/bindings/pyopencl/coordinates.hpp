// SPDX-License-Identifier: MIT
// Reads sizes, origins, regions and pitches.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "calls/small_integer.hpp"
#include "pyopencl/object_arguments.hpp"

namespace treadle::bindings::cl {

/// Reads `given` as a size. Throws LogicError naming `what` and the value if it is negative or too
/// large, TypeError if it is no integer.
std::size_t size_in(nb::handle given, const char* call, const char* what);
/// Reads the sizes of an iterable, or one integer.
std::vector<std::size_t> sizes_in(nb::handle given, const char* call, const char* what);
/// The sizes as a tuple for NumPy.
nb::tuple shape_in(nb::handle given, const char* call);
/// numpy.dtype(given). Throws TypeError naming the argument.
nb::object dtype_in(nb::handle given, const Argument& argument);
/// "C" or "F". Throws TypeError naming the argument.
nb::object order_in(nb::handle given, const char* call);
/// The number of bytes of an array. Throws as size_in() does for its shape.
std::size_t array_bytes(nb::handle shape, nb::handle dtype, const char* call);

/// A parameter that is a size: the call itself checks it, so that its error names the call.
struct Size {
  nb::handle given;
  std::size_t in(const char* call, const char* what) const {
    const long small = small_integer(given.ptr());
    return small >= 0 ? static_cast<std::size_t>(small) : size_in(given, call, what);
  }
};

/// Reads up to N numbers of an iterable. Missing numbers become `rest`. Throws LogicError naming
/// `what` for more numbers, and as size_in().
template <std::size_t N>
std::array<std::size_t, N> numbers(nb::handle given, std::size_t rest, const char* what,
                                   const char* call = "enqueue_copy") {
  std::array<std::size_t, N> values;
  values.fill(rest);
  if (given.is_none()) return values;
  std::size_t count = 0;
  for_each_in(given, {call, what}, "an iterable of int", [&](nb::handle item, const Argument&) {
    if (count == N)
      raise_logic_error(call,
                        std::string(what) + " has more than " + std::to_string(N) + " entries");
    values[count++] = size_in(item, call, what);
  });
  return values;
}

}  // namespace treadle::bindings::cl

template <>
struct nanobind::detail::type_caster<treadle::bindings::cl::Size> {
  NB_TYPE_CASTER(treadle::bindings::cl::Size, const_name("int"))
  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    value.given = source;
    return true;
  }
};
