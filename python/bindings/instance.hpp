// SPDX-License-Identifier: MIT
// Reads the C++ object of a Python object in type slots and fast paths, without nanobind's
// conversions.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "errors.hpp"

namespace treadle::bindings {

/// The C++ object in an instance of T's class or of a derived class. Throws TypeError if the object
/// has none yet: after `T.__new__(T)`, or if the __init__() of a Python subclass does not call T's.
template <class T>
T& instance_of(nb::handle object) {
  if (!nb::inst_ready(object)) [[unlikely]]
    raise_python(PyExc_TypeError, std::string("this ") + Py_TYPE(object.ptr())->tp_name +
                                      " was never made: its __init__() was not called, or failed");
  return *nb::inst_ptr<T>(object);
}

}  // namespace treadle::bindings
