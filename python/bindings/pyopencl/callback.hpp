// SPDX-License-Identifier: MIT
// Lets threads of the platform call Python functions.
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

/// A Python function that threads of the platform call. It is dropped with the GIL, if there still
/// is a GIL. Exceptions are printed, because nobody can catch them.
class Callback {
 public:
  /// Throws TypeError naming the argument if the object cannot be called.
  Callback(nb::handle function, const Argument& argument)
      : function_(keep(callable_in(function, argument))) {}

  /// Calls the function on this thread, with or without the GIL. `make_arguments()` returns a
  /// tuple. Every exception ends here, also SystemExit, because a thread of the platform must not
  /// exit.
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
  /// Calls the function on a thread of its own, because the platform's thread may hold locks that a
  /// thread with the GIL waits for.
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
