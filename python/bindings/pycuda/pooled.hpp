// SPDX-License-Identifier: MIT
// Pooled allocations as Python objects. They use CPython's own interface and not nanobind's: from
// Python, allocating and freeing a block that the pool holds may cost 0.17 us. A method call
// through nanobind and an entry in nanobind's table of instances would take half of that.
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

/// The members of every pooled allocation, for memory of any kind.
struct PooledObject {
  PyObject ob_base;
  PyObject* attributes;  // __dict__, made with the first attribute
  PyObject* weak_references;
  std::size_t size_bytes;
  std::uint64_t address;  // also valid after free()
  PythonPlace place;      // the place of the allocation
};

/// One class of pooled allocations. `name` is qualified. The arrays list the methods and properties
/// that only this class has, and end with a null entry. PooledObject provides `traverse` and the
/// rest.
struct PooledClass {
  const char* name;
  const char* doc;
  std::size_t basic_size;
  destructor dealloc;
  PyMethodDef* methods;
  getbufferproc get_buffer = nullptr;  // null: no buffer interface
};
/// Makes the class and adds it to `m`. Borrowed: classes live as long as the process.
PyTypeObject* make_pooled_class(nb::module_& m, const PooledClass& description);

/// Runs `function` for CPython. A result of null means that a Python error is set.
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

  /// Makes an object of class `type` with memory from `pool`. The caller sets its address.
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
    self.place.~PythonPlace();  // after the memory: the pool may use the place until then
    Py_CLEAR(self.attributes);
    PyObject_GC_Del(object);
    Py_DECREF(type);
  }
};

}  // namespace treadle::bindings
