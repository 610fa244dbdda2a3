// SPDX-License-Identifier: MIT
// Descriptions of arrays under PyCUDA's rules.
#pragma once

#include "instance.hpp"
#include "memory/cuda_array.hpp"
#include "pycuda/classes.hpp"

namespace treadle::bindings::face {

/// Sizes and format; each is 0 until it is set.
struct ArrayDescriptor {
  cuda::ArrayShape shape{.format = cuda::ArrayFormat{0}, .channels = 0};
};
/// A descriptor with a depth and flags.
struct ArrayDescriptor3D {
  cuda::ArrayShape shape{.format = cuda::ArrayFormat{0}, .channels = 0};
};

/// The descriptor's shape. Throws TypeError for objects that are no descriptor.
inline const cuda::ArrayShape& shape_argument(nb::handle object, const char* what) {
  if (nb::isinstance<ArrayDescriptor3D>(object))
    return instance_of<ArrayDescriptor3D>(object).shape;
  if (!nb::isinstance<ArrayDescriptor>(object))
    raise_python(PyExc_TypeError, std::string(what) + " must be an ArrayDescriptor, not " +
                                      Py_TYPE(object.ptr())->tp_name);
  return instance_of<ArrayDescriptor>(object).shape;
}

}  // namespace treadle::bindings::face
