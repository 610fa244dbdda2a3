// SPDX-License-Identifier: MIT
// Python functions that threads of the platform call.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <thread>

#include "kept.hpp"
#include "pyopencl/object_arguments.hpp"
#include "treadle/process/warning.hpp"

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
  /// Whatever it raises, SystemExit too, ends here: on a thread of the platform's, nobody may exit.
  template <class F>
  void call(F make_arguments) const noexcept {
    const ForeignGil gil;
    if (!gil) return;
    try {
      kept_object(function_)(*nb::tuple(make_arguments()));
    } catch (nb::python_error& error) {
      error.discard_as_unraisable(kept_object(function_));
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
      PyErr_WriteUnraisable(kept_object(function_).ptr());
    }
  }
  /// The same on a thread of its own: the platform's may hold locks that a thread with the GIL
  /// waits for.
  template <class F>
  void call_apart(F make_arguments) const noexcept {
    try {
      std::thread([self = *this, make_arguments] { self.call(make_arguments); }).detach();
    } catch (const std::exception& error) {  // the system has no more threads
      warn(std::string("a callback is not called: ") + error.what());
    }
  }

 private:
  std::shared_ptr<void> function_;
};

}  // namespace treadle::bindings::cl
