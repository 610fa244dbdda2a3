// SPDX-License-Identifier: MIT
// Converts Python objects to the OpenCL objects, numbers and texts that calls take.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <utility>

#include "pyopencl/error_classes.hpp"

namespace treadle::bindings::cl {

/// The call and its argument, if known, for errors. `entry` is the place in an iterable, or -1.
struct Argument {
  const char* call;
  const char* name;
  Py_ssize_t entry = -1;
};

/// Throws TypeError with the argument, its value, `wanted`, and a way to get such an object.
[[noreturn]] void refuse_kind(nb::handle given, const Argument& argument, const char* wanted,
                              const char* advice = nullptr);
/// The same if an object of `type`, a class of pyopencl, was expected.
[[noreturn]] void refuse_object(nb::handle given, const Argument& argument, nb::handle type);

/// The C++ object of a class of pyopencl. Throws TypeError for other objects.
template <class T>
const T& object_in(nb::handle given, const Argument& argument) {
  const nb::handle type = nb::type<T>();
  if (PyObject_TypeCheck(given.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())) == 0 ||
      !nb::inst_ready(given))
    refuse_object(given, argument, type);
  return *nb::inst_ptr<T>(given);
}

/// Reads flags or a constant: an integer of 64 bits. Throws TypeError for other objects, LogicError
/// for a negative or larger integer.
std::uint64_t bits_in(nb::handle given, const Argument& argument);

/// A str, or bytes in UTF-8. Throws TypeError.
std::string text_in(nb::handle given, const Argument& argument);

/// Returns `given`. Throws TypeError if it cannot be called.
nb::handle callable_in(nb::handle given, const Argument& argument);

/// Returns `given`. Throws TypeError that tells what its entries must be if it cannot be iterated
/// over.
nb::iterable iterable_in(nb::handle given, const Argument& argument, const char* of_what);

/// Reads an entry that is a pair. Throws TypeError that tells the expected pairs, LogicError for
/// another number of elements.
std::pair<nb::object, nb::object> pair_in(nb::handle given, const Argument& argument,
                                          const char* of_what);

/// Calls visit(entry, which) for every entry. `which` names the entry in errors.
template <class F>
void for_each_in(nb::handle given, Argument argument, const char* of_what, F visit) {
  for (const nb::handle entry : iterable_in(given, argument, of_what)) {
    ++argument.entry;
    visit(entry, argument);
  }
}

}  // namespace treadle::bindings::cl
