// SPDX-License-Identifier: MIT
// Notes the line of Python with each allocation. Reports print the line when memory runs out.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "treadle/memory/site.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The place in Python code that a call came from: a code object and a position in it. Noting a
/// place takes about 10 ns, and 25 ns more for the first call in a function's run. Needs the GIL.
class PythonPlace {
 public:
  PythonPlace() = default;
  PythonPlace(const PythonPlace&) = delete;
  PythonPlace& operator=(const PythonPlace&) = delete;
  ~PythonPlace() { Py_XDECREF(code_); }

  /// Notes the place of the calling Python code.
  void note() noexcept;
  /// Notes the user's place, for calls that come through this package's own Python code.
  void note_user() noexcept;

  /// "solve.py:12" for the pool's reports. This object must live as long as the allocation.
  memory::Site site() const noexcept { return memory::Site(this, describe); }

 private:
  static std::string describe(const void* place);
  void note_frame(PyFrameObject* frame) noexcept;

  PyObject* code_ = nullptr;  // null: not called from Python
  int position_ = 0;          // of the instruction; before Python 3.11 the line
};

}  // namespace treadle::bindings
