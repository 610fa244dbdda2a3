// SPDX-License-Identifier: MIT
// Python functions that threads of the platform call.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <thread>

#include "kept.hpp"
#include "pyopencl/object_arguments.hpp"

namespace treadle::bindings::cl {
namespace nb = nanobind;

/// A Python function that threads of the platform hand around. Freed with the GIL, where there
/// still is one; what it raises is printed, for nobody is there to catch it.
class Callback {
 public:
  /// Throws TypeError naming the argument if it cannot be called.
  Callback(nb::handle function, const Argument& argument)
      : function_(keep(callable_in(function, argument))) {}

  /// Calls it on this thread, which may hold the GIL or not. `make_arguments()` gives a tuple.
  template <class F>
  void call(F make_arguments) const {
    const ForeignGil gil;
    if (!gil) return;
    try {
      kept_object(function_)(*nb::tuple(make_arguments()));
    } catch (nb::python_error& error) {
      error.restore();
      PyErr_Print();
    }
  }
  /// The same on a thread of its own: the platform's may hold locks that a thread with the GIL
  /// waits for.
  template <class F>
  void call_apart(F make_arguments) const {
    std::thread([self = *this, make_arguments] { self.call(make_arguments); }).detach();
  }

 private:
  std::shared_ptr<void> function_;
};

}  // namespace treadle::bindings::cl
