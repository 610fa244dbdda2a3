// SPDX-License-Identifier: MIT
// Handles of bound objects for other libraries: int(ours), and as cuda.bindings has it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <type_traits>

namespace treadle::bindings {

namespace nb = nanobind;

/// Says what cuda.bindings calls the handles that int() gives of instances of a class; null where
/// it takes the integer itself.
void name_for_bindings(nb::handle type, const char* bindings_name);
/// The handle of `object` as cuda.bindings has it. Throws TypeError for an object that has none.
nb::object as_bindings(nb::handle object);
/// Names a bound class so and gives it `__int__`: `read` gives the raw handle, and throws where
/// there is none any more.
template <class T, class Read>
void make_integer(nb::handle type, const char* bindings_name, Read read) {
  type.attr("__int__") = nb::cpp_function(
      [read](const T& self) {
        if constexpr (std::is_pointer_v<decltype(read(self))>)
          return reinterpret_cast<std::uintptr_t>(read(self));
        else
          return read(self);
      },
      nb::is_method(), nb::scope(type), nb::name("__int__"),
      "The driver's handle, as cuda.bindings takes it.");
  name_for_bindings(type, bindings_name);
}

}  // namespace treadle::bindings
