// SPDX-License-Identifier: MIT
// Converts Python objects for the rules of treadle/base/promotion.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "treadle/base/promotion.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Converts whatever numpy.dtype() takes to a scalar dtype. Throws DTypeError for dtypes that
/// devices do not have.
Scalar scalar_from(nb::handle dtype_like);
/// int, float and complex are weak; their subclasses, such as numpy.float64, are not. An object
/// with a dtype has this dtype. Other objects go to scalar_from().
OperandType operand_type(nb::handle object);
/// The operation of this name. Throws InvalidArgument.
Op op_named(const std::string& name);
/// Whether the dtype can hold a Python int of any size.
IntegerFit integer_fit(Scalar dtype, nb::handle integer);
/// The numpy.dtype of this name.
nb::object numpy_dtype(Scalar scalar);

}  // namespace treadle::bindings
