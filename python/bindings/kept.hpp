// SPDX-License-Identifier: MIT
// Python objects that C++ keeps.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "foreign_gil.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Lets an object go on any thread, also on the one that ends the interpreter, which holds the GIL.
struct LetGo {
  void operator()(void* kept) const noexcept {
    auto* const object = static_cast<PyObject*>(kept);
    // Asking who holds the GIL takes a thread state, which other threads have none of at the end.
    if (_PyThreadState_UncheckedGet() != nullptr && PyGILState_Check() == 1) {
      Py_DECREF(object);
    } else if (const ForeignGil gil; gil) {
      Py_DECREF(object);
    }
  }
};

inline std::shared_ptr<void> keep(nb::handle object) { return {object.inc_ref().ptr(), LetGo()}; }
/// The object that keep() was given; invalid for an owner of another kind.
inline nb::handle kept_object(const std::shared_ptr<void>& kept) {
  return std::get_deleter<LetGo>(kept) != nullptr ? static_cast<PyObject*>(kept.get()) : nullptr;
}

}  // namespace treadle::bindings
