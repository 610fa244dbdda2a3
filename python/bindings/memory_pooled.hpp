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
#include "treadle/memory/pool.hpp"

namespace treadle::bindings {

/// What every pooled allocation has, of whatever memory.
struct PooledObject {
  PyObject ob_base;
  PyObject* attributes;  // __dict__, made when a program sets the first
  PyObject* weak_references;
  PyObject* code;  // of the function that allocated; null: not called from Python
  int place;       // in it
  std::size_t size_bytes;
  std::uint64_t address;  // still told after free()
};

/// The Python line that allocates, as the pool reports it. `object` must be live, the GIL held.
std::string describe_pooled(const void* object);
/// Notes in `object` where the calling Python code is.
void note_place(PooledObject& object) noexcept;
/// The same for calls that come through this package's own Python code: where the user's is.
void note_user_place(PooledObject& object) noexcept;

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
    self->attributes = self->weak_references = self->code = nullptr;
    self->size_bytes = size_bytes;
    self->address = 0;
    new (&self->memory) memory::Allocation<A>;
    note_place(*self);
    self->memory = pool.allocate(size_bytes, memory::Site(self, describe_pooled));
    return owner;
  }

  static void dealloc(PyObject* object) noexcept {
    Pooled& self = of(object);
    PyTypeObject* const type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (self.weak_references != nullptr) PyObject_ClearWeakRefs(object);
    self.memory.~Allocation<A>();  // before `code`, which the pool may be asked about till then
    Py_CLEAR(self.attributes);
    Py_CLEAR(self.code);
    PyObject_GC_Del(object);
    Py_DECREF(type);
  }
};

}  // namespace treadle::bindings
