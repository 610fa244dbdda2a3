// SPDX-License-Identifier: MIT
// Arrays as Python has them.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The C++ object if `object` is an Array (or of a subclass); else null.
const Array* as_array(PyObject* object) noexcept;
/// A new Python object.
nb::object array_object(Array array);

/// A Python object as an operand: arrays, numbers of Python and NumPy, and what becomes an array,
/// which is kept for as long as this lives.
class ArrayOperand {
 public:
  /// Empty for objects that are neither: the operator is somebody else's.
  explicit ArrayOperand(PyObject* object);
  ArrayOperand(const ArrayOperand&) = delete;
  ArrayOperand& operator=(const ArrayOperand&) = delete;
  explicit operator bool() const noexcept { return operand_.has_value(); }
  const array::Operand& get() const { return *operand_; }

 private:
  std::optional<array::Operand> operand_;
  Array made_;
};

/// A number of Python or NumPy. Throws TypeError.
Number number_from(nb::handle object);
/// What numpy.dtype() takes.
DType dtype_from(nb::handle dtype_like);
/// An int or a sequence of them. Throws TypeError.
array::Shape shape_from(nb::handle shape);
/// On a device, or (None) the current one.
array::Placement placement_on(nb::handle device);
/// A NumPy array, or what becomes one, copied to the device.
Array array_from(nb::handle values, nb::handle dtype, nb::handle device);

void bind_array_functions(nb::module_& m);
void bind_array_reductions(nb::module_& m, nb::class_<Array>& type);

}  // namespace treadle::bindings
