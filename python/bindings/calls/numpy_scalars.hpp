// SPDX-License-Identifier: MIT
// Recognises NumPy's scalar types by their type objects and reads values in place, so that a kernel
// call runs no Python code for such arguments. NumPy is not linked.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "treadle/device/kernel.hpp"

namespace treadle::bindings {

enum class ScalarKind : std::uint8_t { boolean, integer, unsigned_integer, floating, complex };

struct ScalarType {
  char code;  ///< NumPy's dtype character
  ScalarKind kind;
  std::uint8_t size, alignment;  ///< bytes; CUDA aligns a complex number to its parts
};

/// Returns the entry of a NumPy scalar type. Null for other types, and before the first call of
/// numpy_types().
const ScalarType* scalar_type(PyTypeObject* type) noexcept;

/// The kind of a kernel's parameter that takes such a value.
constexpr device::ParameterKind parameter_kind(ScalarKind kind) noexcept {
  if (kind == ScalarKind::floating) return device::ParameterKind::floating;
  return kind == ScalarKind::complex ? device::ParameterKind::structure
                                     : device::ParameterKind::integer;
}

/// The place of the value in a scalar object: behind the object header, as in numpy/arrayscalars.h.
inline const void* scalar_data(PyObject* scalar) noexcept {
  return reinterpret_cast<const char*>(scalar) + sizeof(PyObject);
}

/// The types numpy.ndarray, numpy.void and numpy.generic.
struct NumpyTypes {
  PyTypeObject *ndarray, *void_scalar, *generic;
};
/// The first call imports NumPy. Throws nb::python_error if NumPy is not installed.
const NumpyTypes& numpy_types();

}  // namespace treadle::bindings
