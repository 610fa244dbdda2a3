// SPDX-License-Identifier: MIT
// Which line of Python allocated: noted with each allocation, told when memory runs out.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "treadle/memory/site.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Where in Python code a call came from, kept as the code object and a position in it: about 10 ns
/// to note, 25 more for the first call of a function's run. The GIL is needed throughout.
class PythonPlace {
 public:
  PythonPlace() = default;
  PythonPlace(const PythonPlace&) = delete;
  PythonPlace& operator=(const PythonPlace&) = delete;
  ~PythonPlace() { Py_XDECREF(code_); }

  /// The calling Python code is here.
  void note() noexcept;
  /// The same for calls that come through this package's own Python code: the user's is here.
  void note_user() noexcept;

  /// "solve.py:12" for the pool's reports; this must live as long as the allocation.
  memory::Site site() const noexcept { return memory::Site(this, describe); }

 private:
  static std::string describe(const void* place);
  void note_frame(PyFrameObject* frame) noexcept;

  PyObject* code_ = nullptr;  // null: not called from Python
  int position_ = 0;          // of the instruction; before Python 3.11 the line
};

}  // namespace treadle::bindings
