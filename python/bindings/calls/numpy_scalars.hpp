// SPDX-License-Identifier: MIT
// NumPy's scalar types, recognised by their type object and read in place: this is what makes a
// kernel call cost no Python-level work per argument. NumPy is never linked.
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

/// The entry of a NumPy scalar type; null for every other type, and before numpy_types() was
/// called.
const ScalarType* scalar_type(PyTypeObject* type) noexcept;

/// What a kernel's parameter that takes such a value is.
constexpr device::ParameterKind parameter_kind(ScalarKind kind) noexcept {
  if (kind == ScalarKind::floating) return device::ParameterKind::floating;
  return kind == ScalarKind::complex ? device::ParameterKind::structure
                                     : device::ParameterKind::integer;
}

/// Where an instance of one of those types keeps its value: right behind the object header, as
/// numpy/arrayscalars.h lays it out.
inline const void* scalar_data(PyObject* scalar) noexcept {
  return reinterpret_cast<const char*>(scalar) + sizeof(PyObject);
}

/// numpy.ndarray, numpy.void and numpy.generic.
struct NumpyTypes {
  PyTypeObject *ndarray, *void_scalar, *generic;
};
/// The first call imports NumPy; throws nb::python_error if it is not installed.
const NumpyTypes& numpy_types();

}  // namespace treadle::bindings
