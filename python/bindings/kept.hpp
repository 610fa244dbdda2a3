// SPDX-License-Identifier: MIT
// Python objects that C++ keeps.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "foreign_gil.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Drops an object on any thread. The thread that ends the interpreter holds the GIL already.
struct LetGo {
  void operator()(void* kept) const noexcept {
    auto* const object = static_cast<PyObject*>(kept);
    // PyGILState_Check() needs a thread state, and at the end other threads have none.
    if (_PyThreadState_UncheckedGet() != nullptr && PyGILState_Check() == 1) {
      Py_DECREF(object);
    } else if (const ForeignGil gil; gil) {
      Py_DECREF(object);
    }
  }
};

inline std::shared_ptr<void> keep(nb::handle object) { return {object.inc_ref().ptr(), LetGo()}; }
/// The object given to keep(); invalid if the owner is of another kind.
inline nb::handle kept_object(const std::shared_ptr<void>& kept) {
  return std::get_deleter<LetGo>(kept) != nullptr ? static_cast<PyObject*>(kept.get()) : nullptr;
}

}  // namespace treadle::bindings
