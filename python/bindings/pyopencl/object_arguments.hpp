// SPDX-License-Identifier: MIT
// Arguments that come as any Python object, and the OpenCL objects, numbers and texts they must be.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <utility>

#include "pyopencl/error_classes.hpp"

namespace treadle::bindings::cl {

/// Which argument of which call, if that is known; errors name both. `entry` is the place in an
/// iterable, -1 of none.
struct Argument {
  const char* call;
  const char* name;
  Py_ssize_t entry = -1;
};

/// Throws TypeError: the argument, its value, `wanted`, and how to get one.
[[noreturn]] void refuse_kind(nb::handle given, const Argument& argument, const char* wanted,
                              const char* advice = nullptr);
/// The same where an object of `type`, one of pyopencl's classes, was wanted.
[[noreturn]] void refuse_object(nb::handle given, const Argument& argument, nb::handle type);

/// The object as one of pyopencl's classes. Throws TypeError if it is none.
template <class T>
const T& object_in(nb::handle given, const Argument& argument) {
  const nb::handle type = nb::type<T>();
  if (PyObject_TypeCheck(given.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())) == 0 ||
      !nb::inst_ready(given))
    refuse_object(given, argument, type);
  return *nb::inst_ptr<T>(given);
}

/// Flags, or a constant: an integer of 64 bits. Throws TypeError for another kind, LogicError for
/// a negative or larger one.
std::uint64_t bits_in(nb::handle given, const Argument& argument);

/// A str, or bytes in UTF-8. Throws TypeError.
std::string text_in(nb::handle given, const Argument& argument);

/// `given`, if it can be called. Throws TypeError.
nb::handle callable_in(nb::handle given, const Argument& argument);

/// `given`, if it can be iterated over. Throws TypeError that says what its entries must be.
nb::iterable iterable_in(nb::handle given, const Argument& argument, const char* of_what);

/// An entry that is a pair. Throws TypeError that says what pairs are wanted, LogicError for
/// another number of things.
std::pair<nb::object, nb::object> pair_in(nb::handle given, const Argument& argument,
                                          const char* of_what);

/// Calls visit(entry, which) for every entry, where `which` is for errors about that one.
template <class F>
void for_each_in(nb::handle given, Argument argument, const char* of_what, F visit) {
  for (const nb::handle entry : iterable_in(given, argument, of_what)) {
    ++argument.entry;
    visit(entry, argument);
  }
}

}  // namespace treadle::bindings::cl
