// SPDX-License-Identifier: MIT
// Python functions that the driver calls.
#pragma once

#include <functional>
#include <string>

#include "errors.hpp"
#include "kept.hpp"

namespace treadle::bindings {

/// A Python function as one of C++. It is not called any more once the interpreter ends. Its
/// exceptions become warnings. A function that is called once ends with the call.
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
