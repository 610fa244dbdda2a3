// SPDX-License-Identifier: MIT
// The C++ side of pycuda._driver's classes: Treadle's objects under PyCUDA's rules.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "argument.hpp"
#include "errors.hpp"
#include "host_buffer.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::bindings::face {

struct Device {
  cuda::Device device;
};
struct Context {
  cuda::Context context;
};
struct Stream {
  cuda::Stream stream;
};
struct Event {
  cuda::Event event;
};

/// A new context, made current on the calling thread.
Context make_context(const Device& device, nb::object flags);

/// The current context. Throws pycuda.driver.LogicError in PyCUDA's words if there is none.
cuda::Context current_context();
/// Throws pycuda.driver.LogicError if init() was not called.
void require_init(const char* call);
void set_initialized();

/// A member of one of the enumerations in treadle.pycuda._enums.
nb::object enum_member(const char* enumeration, int value);
/// An enumeration's number, from a member or an int.
int enum_value(nb::handle member, const char* what);

/// A writable view of raw memory. Throws OverflowError or ValueError if it cannot be one.
nb::object raw_buffer(cuda::DevicePointer address, nb::handle size, nb::handle offset);

/// What classes that only functions make answer a call with, as PyCUDA's do.
constexpr const char* not_constructible = "This class cannot be instantiated from Python";
/// For such classes of nanobind's.
template <class T, class... Bases>
void refuse_construction(nb::class_<T, Bases...>& type) {
  type.def("__init__",
           [](T*, nb::args, nb::kwargs) { raise_python(PyExc_RuntimeError, not_constructible); });
}
/// The same as Py_tp_new, for types of CPython's own making.
inline PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) noexcept {
  PyErr_SetString(PyExc_RuntimeError, not_constructible);
  return nullptr;
}

}  // namespace treadle::bindings::face
