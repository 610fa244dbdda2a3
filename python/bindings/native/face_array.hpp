// SPDX-License-Identifier: MIT
// Arrays of the faces: arrays with members that results inherit and operators read in C++.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string_view>

#include "native/array.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::bindings {

/// The base of a Python class derived from treadle's Array. Members that a program has not set are
/// null; Python reads them as None.
struct FaceArray : Array {
  explicit FaceArray(const Array& array) : Array(array) {}
  nb::object allocator;  ///< of the program's own; null for a native pool
  nb::object misfit;     ///< why parts of the array do not fit together; forbids every use
  nb::object data;       ///< the Python object of the memory, made on request
  nb::object queue, context, place, events;  ///< for a face whose arrays have queues
  bool is_mask = false;  ///< whether the elements are a mask, which as an index selects
};

/// Where a queue's operators record.
struct FacePlace {
  std::shared_ptr<device::Stream> stream;
  nb::object device_object, stream_object;
  bool has_double = true;
  bool records = true;  ///< whether operators may record here without asking Python
};

/// The rules for operators on arrays of one face.
struct FacePolicy {
  PyTypeObject* type = nullptr;  ///< the class of results; programs may derive from it
  const DTypePolicy* dtypes = nullptr;
  bool has_queues = false;
  nb::object shape_error;   ///< the class of errors for operands that do not broadcast
  nb::object native_error;  ///< ShapeError, the first base of shape_error
};

/// The C++ object if `object` is an array of a face; else null.
FaceArray* as_face_array(PyObject* object) noexcept;

// Applies an operator; one operand is an array of a face. `b` is null for unary operations.
PyObject* face_operator(Op op, PyObject* a, PyObject* b);
/// Applies an operator in place to `a`.
PyObject* face_update(Op op, PyObject* a, PyObject* b);
/// After a failed operator on such arrays, replaces a ShapeError by the face's own class.
void raise_face_shape_error(PyObject* a, PyObject* b) noexcept;

/// Type slots of Array. They call face_operator() if an operand belongs to a face.
extern PyType_Slot array_slots[];

/// Binds FaceArray, and the function by which a face sets its policy.
void bind_face_array(nb::module_& m);

}  // namespace treadle::bindings
