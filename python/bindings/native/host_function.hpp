// SPDX-License-Identifier: MIT
// Lets the driver call Python functions.
#pragma once

#include <functional>
#include <string>

#include "errors.hpp"
#include "kept.hpp"

namespace treadle::bindings {

/// Makes a C++ function of a Python function. After the interpreter's end it calls nothing.
/// Exceptions become warnings. With `is_called_once`, the Python function is dropped after the
/// call.
inline std::function<void()> host_function(nb::handle function, bool is_called_once = false) {
  if (PyCallable_Check(function.ptr()) == 0)
    raise_python(PyExc_TypeError, std::string("function is to be called without arguments, and ") +
                                      Py_TYPE(function.ptr())->tp_name + " cannot be called");
  return [kept = keep(function), is_called_once]() mutable {
    const ForeignGil gil;
    if (!gil) return;
    const auto called = is_called_once ? std::move(kept) : kept;
    kept_object(called)();
  };
}

}  // namespace treadle::bindings
