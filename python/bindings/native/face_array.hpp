// SPDX-License-Identifier: MIT
// Arrays of the faces: arrays with what their results inherit, which operators read in C++.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string_view>

#include "native/array.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::bindings {

/// Of a Python class derived from treadle's Array. Members that no program has set are null; Python
/// reads them as None.
struct FaceArray : Array {
  explicit FaceArray(const Array& array) : Array(array) {}
  nb::object allocator;  ///< of the program's own: native arrays know pools
  nb::object misfit;  ///< why parts of the array do not fit each other, so that no use is allowed
  nb::object data;    ///< the Python object of the memory, once somebody has asked for it
  nb::object queue, context, place, events;  ///< of a face whose arrays have queues
  bool is_mask = false;  ///< whether the elements say yes or no: as an index it selects
};

/// Where the work of a queue goes.
struct FacePlace {
  std::shared_ptr<device::Stream> stream;
  nb::object device_object, stream_object;
  bool has_double = true;
  bool records = true;  ///< whether operators record here without asking Python
};

/// What operators do on arrays of one face.
struct FacePolicy {
  PyTypeObject* type = nullptr;  ///< the class of results; those of programs derive from it
  const DTypePolicy* dtypes = nullptr;
  bool has_queues = false;
  nb::object shape_error;   ///< the class of the error of operands that do not broadcast
  nb::object native_error;  ///< ShapeError, of which that is derived first
};

/// The C++ object if `object` is an array of a face; else null.
FaceArray* as_face_array(PyObject* object) noexcept;

// The operators, of which one operand is an array of a face. `b` is null for operations on one.
PyObject* face_operator(Op op, PyObject* a, PyObject* b);
/// In place, into `a`.
PyObject* face_update(Op op, PyObject* a, PyObject* b);
/// After an operator of such arrays failed: a ShapeError that is set becomes the face's own.
void raise_face_shape_error(PyObject* a, PyObject* b) noexcept;

/// Type slots of Array, which ask face_operator() where an operand is a face's.
extern PyType_Slot array_slots[];

/// FaceArray, and how faces say what theirs is.
void bind_face_array(nb::module_& m);

}  // namespace treadle::bindings
