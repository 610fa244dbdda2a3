// SPDX-License-Identifier: MIT
// Python's buffer interface for host memory: numpy.frombuffer(memory, dtype) makes an array of it.
#pragma once

#include <nanobind/nanobind.h>

#include "errors.hpp"
#include "instance.hpp"

namespace treadle::bindings {

/// Views keep the Python object, and so the memory, alive.
template <class T, Face face>
int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  try {
    const T& memory = instance_of<T>(self);
    return PyBuffer_FillInfo(view, self, memory.data(),
                             static_cast<Py_ssize_t>(memory.size_bytes()), 0, flags);
  } catch (...) {
    set_python_error(face);
    view->obj = nullptr;
    return -1;
  }
}

/// For nb::type_slots of a class with data() and size_bytes(). The exceptions of data(), such as
/// for freed memory, have the classes of `face`.
template <class T, Face face>
PyType_Slot* buffer_slots() {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer<T, face>)},
                                {0, nullptr}};
  return slots;
}

}  // namespace treadle::bindings
