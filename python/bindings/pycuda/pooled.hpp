// SPDX-License-Identifier: MIT
// Pooled allocations as Python objects. They are written against CPython's own interface, not
// nanobind's: to allocate and free a block that is held already may cost 0.17 us from Python. Of
// these a method call through nanobind and an entry in its table of instances would take half.
//
//   budget, ns: call 20, object made and ended 15, the caller's place 10 to 25, pool 15
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "errors.hpp"
#include "memory/place.hpp"
#include "treadle/memory/pool.hpp"

namespace treadle::bindings {

/// What every pooled allocation has, of whatever memory.
struct PooledObject {
  PyObject ob_base;
  PyObject* attributes;  // __dict__, made when a program sets the first
  PyObject* weak_references;
  std::size_t size_bytes;
  std::uint64_t address;  // still told after free()
  PythonPlace place;      // that allocated
};

/// One class of pooled allocations. `name` is qualified; the arrays are of the functions only this
/// class has, and end with a null entry. `traverse` and all else come from PooledObject.
struct PooledClass {
  const char* name;
  const char* doc;
  std::size_t basic_size;
  destructor dealloc;
  PyMethodDef* methods;
  getbufferproc get_buffer = nullptr;  // null: no buffer interface
};
/// Makes the class and puts it in `m`. Borrowed: classes live as long as the process.
PyTypeObject* make_pooled_class(nb::module_& m, const PooledClass& description);

/// Runs `function` for CPython, which takes null for an error that is set.
template <class F>
PyObject* pycuda_result(F&& function) noexcept {
  try {
    return function();
  } catch (...) {
    set_python_error(Face::pycuda);
    return nullptr;
  }
}

template <memory::Allocator A>
struct Pooled : PooledObject {
  memory::Allocation<A> memory;

  static Pooled& of(PyObject* object) noexcept { return *reinterpret_cast<Pooled*>(object); }

  /// A new object of class `type` with memory from `pool`; the caller sets its address.
  static nb::object make(PyTypeObject* type, memory::Pool<A>& pool, std::size_t size_bytes) {
    auto* const self = PyObject_GC_New(Pooled, type);
    if (self == nullptr) throw nb::python_error();
    nb::object owner = nb::steal(reinterpret_cast<PyObject*>(self));
    self->attributes = self->weak_references = nullptr;
    self->size_bytes = size_bytes;
    self->address = 0;
    new (&self->place) PythonPlace;
    new (&self->memory) memory::Allocation<A>;
    self->place.note();
    self->memory = pool.allocate(size_bytes, self->place.site());
    return owner;
  }

  static void dealloc(PyObject* object) noexcept {
    Pooled& self = of(object);
    PyTypeObject* const type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (self.weak_references != nullptr) PyObject_ClearWeakRefs(object);
    self.memory.~Allocation<A>();
    self.place.~PythonPlace();  // after the memory: until that is freed the pool may ask for it
    Py_CLEAR(self.attributes);
    PyObject_GC_Del(object);
    Py_DECREF(type);
  }
};

}  // namespace treadle::bindings
