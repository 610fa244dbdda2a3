// SPDX-License-Identifier: MIT
// Arrays of pycuda.driver. Native textures read them, too.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "errors.hpp"
#include "instance.hpp"
#include "treadle/cuda/array.hpp"

namespace treadle::bindings::face {

namespace nb = nanobind;

struct Array {
  cuda::Array array;
};

/// The array passed as argument `what`. Throws TypeError for other objects.
inline const cuda::Array& array_argument(nb::handle object, const char* what) {
  if (!nb::isinstance<Array>(object))
    raise_python(PyExc_TypeError,
                 std::string(what) + " must be an Array, not " + Py_TYPE(object.ptr())->tp_name);
  return instance_of<Array>(object).array;
}

}  // namespace treadle::bindings::face
