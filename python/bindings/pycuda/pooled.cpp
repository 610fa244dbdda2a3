// SPDX-License-Identifier: MIT
#include "pycuda/pooled.hpp"

#include <structmember.h>

#include <vector>

namespace treadle::bindings {
namespace {

PooledObject& pooled(PyObject* object) { return *reinterpret_cast<PooledObject*>(object); }

Py_ssize_t length(PyObject* self) noexcept {
  return static_cast<Py_ssize_t>(pooled(self).size_bytes);
}
PyObject* address(PyObject* self) noexcept {
  return PyLong_FromUnsignedLongLong(pooled(self).address);
}

// Only an object with attributes can be part of a cycle. The garbage collector does not see other
// objects, because it would have to visit each of them.
void show_to_collector(PyObject* self) noexcept {
  if (pooled(self).attributes != nullptr && PyObject_GC_IsTracked(self) == 0)
    PyObject_GC_Track(self);
}
int set_attribute(PyObject* self, PyObject* name, PyObject* value) noexcept {
  const int result = PyObject_GenericSetAttr(self, name, value);
  show_to_collector(self);
  return result;
}
PyObject* get_attributes(PyObject* self, void* closure) noexcept {
  PyObject* const attributes = PyObject_GenericGetDict(self, closure);
  show_to_collector(self);
  return attributes;
}
int set_attributes(PyObject* self, PyObject* attributes, void* closure) noexcept {
  const int result = PyObject_GenericSetDict(self, attributes, closure);
  show_to_collector(self);
  return result;
}
int traverse(PyObject* self, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(pooled(self).attributes);
  return 0;
}
int clear(PyObject* self) noexcept {
  Py_CLEAR(pooled(self).attributes);
  return 0;
}

template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

PyTypeObject* make_pooled_class(nb::module_& m, const PooledClass& description) {
  static PyMemberDef members[] = {
      {"__dictoffset__", T_PYSSIZET, offsetof(PooledObject, attributes), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(PooledObject, weak_references), READONLY,
       nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef properties[] = {{"__dict__", get_attributes, set_attributes, nullptr, nullptr},
                                     {nullptr, nullptr, nullptr, nullptr, nullptr}};
  std::vector<PyType_Slot> slots = {{Py_tp_doc, const_cast<char*>(description.doc)},
                                    {Py_tp_new, slot(refuse_new)},
                                    {Py_tp_dealloc, slot(description.dealloc)},
                                    {Py_tp_traverse, slot(traverse)},
                                    {Py_tp_clear, slot(clear)},
                                    {Py_tp_setattro, slot(set_attribute)},
                                    {Py_tp_members, members},
                                    {Py_tp_getset, properties},
                                    {Py_tp_methods, description.methods},
                                    {Py_mp_length, slot(length)},
                                    {Py_nb_int, slot(address)},
                                    {Py_nb_index, slot(address)}};
  if (description.get_buffer != nullptr)
    slots.push_back({Py_bf_getbuffer, slot(description.get_buffer)});
  slots.push_back({0, nullptr});
  PyType_Spec spec = {description.name, static_cast<int>(description.basic_size), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots.data()};
  nb::object made = nb::steal(PyType_FromSpec(&spec));
  if (!made.is_valid()) throw nb::python_error();
  m.attr(made.attr("__name__")) = made;
  return reinterpret_cast<PyTypeObject*>(made.release().ptr());
}

}  // namespace treadle::bindings
