// SPDX-License-Identifier: MIT
// Shows Python's garbage collector the objects that a class keeps, so that it can end cycles
// through the class.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::bindings {

namespace nb = nanobind;

/// tp_traverse of a class whose members `Kept` are Python objects.
template <class T, auto... Kept>
int traverse_kept(PyObject* self, visitproc visit, void* arg) noexcept {
  // This function replaces nanobind's own, so it visits the attributes that programs add, too.
  Py_VISIT(Py_TYPE(self));
  PyObject** const attributes = _PyObject_GetDictPtr(self);
  if (attributes != nullptr) Py_VISIT(*attributes);
  if (!nb::inst_ready(self)) return 0;
  const auto visit_one = [&](const nb::object& kept) -> int {
    Py_VISIT(kept.ptr());
    return 0;
  };
  const T& object = *nb::inst_ptr<T>(self);
  int stopped = 0;
  static_cast<void>(((stopped = visit_one(object.*Kept)) || ...));
  return stopped;
}

/// tp_clear of such a class: drops the kept objects.
template <class T, auto... Kept>
int clear_kept(PyObject* self) noexcept {
  PyObject** const attributes = _PyObject_GetDictPtr(self);
  if (attributes != nullptr) Py_CLEAR(*attributes);
  if (nb::inst_ready(self)) (((nb::inst_ptr<T>(self)->*Kept).reset()), ...);
  return 0;
}

/// A slot for nb::type_slots.
template <class F>
PyType_Slot type_slot(int slot, F* function) {
  return {slot, reinterpret_cast<void*>(function)};
}

}  // namespace treadle::bindings
