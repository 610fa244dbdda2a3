// SPDX-License-Identifier: MIT
// Python functions that threads of the platform call.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <thread>

namespace treadle::bindings::cl {
namespace nb = nanobind;

/// A Python function that threads of the platform hand around. Freed with the GIL, where there
/// still is one; what it raises is printed, for nobody is there to catch it.
class Callback {
 public:
  explicit Callback(nb::handle function)
      : function_(function.inc_ref().ptr(), [](PyObject* held) {
          if (!nb::is_alive()) return;  // the interpreter is gone, and its objects with it
          nb::gil_scoped_acquire gil;
          Py_DECREF(held);
        }) {}

  /// Calls it on this thread, which may hold the GIL or not. `make_arguments()` gives a tuple.
  template <class F>
  void call(F make_arguments) const {
    if (!nb::is_alive()) return;
    nb::gil_scoped_acquire gil;
    try {
      nb::handle(function_.get())(*nb::tuple(make_arguments()));
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
  std::shared_ptr<PyObject> function_;
};

}  // namespace treadle::bindings::cl
