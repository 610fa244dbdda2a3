// SPDX-License-Identifier: MIT
// Gives handles of bound objects to other libraries: as int(object), and as objects of
// cuda.bindings.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <type_traits>

namespace treadle::bindings {

namespace nb = nanobind;

/// Registers the class of cuda.bindings for the handles that int() gives of instances of `type`.
/// Null: cuda.bindings takes the integer itself.
void name_for_bindings(nb::handle type, const char* bindings_name);
/// Returns the handle of `object` as cuda.bindings represents it. Throws TypeError for an object
/// without a handle.
nb::object as_bindings(nb::handle object);
/// Registers a bound class and gives it `__int__`. `read` returns the raw handle, and throws if the
/// object has no handle any more.
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
