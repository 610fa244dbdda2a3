// SPDX-License-Identifier: MIT
// What slots of Python's and fast paths take from an object, past nanobind's own conversions.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "errors.hpp"

namespace treadle::bindings {

/// The C++ object in an instance of T's class, or of one derived from it. Throws TypeError if there
/// is none yet: `T.__new__(T)` makes such instances, and so do classes derived from it in Python
/// whose __init__() does not call T's.
template <class T>
T& instance_of(nb::handle object) {
  if (!nb::inst_ready(object)) [[unlikely]]
    raise_python(PyExc_TypeError, std::string("this ") + Py_TYPE(object.ptr())->tp_name +
                                      " was never made: its __init__() was not called, or failed");
  return *nb::inst_ptr<T>(object);
}

}  // namespace treadle::bindings
