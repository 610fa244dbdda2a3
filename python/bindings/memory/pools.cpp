// SPDX-License-Identifier: MIT
#include "memory/pools.hpp"

namespace treadle::bindings {

memory::PoolOptions face_options(unsigned leading_bits) {
  return {.bins = {.leading_bits = leading_bits, .block_size = memory::BlockSize::all_ones},
          .reclaim = [] { nb::module_::import_("gc").attr("collect")(); }};
}

std::size_t pool_size_argument(PyObject* size) {
  if (PyLong_CheckExact(size) != 0) [[likely]] {
    const std::size_t value = PyLong_AsSize_t(size);
    if (value != static_cast<std::size_t>(-1)) return value;
    PyErr_Clear();
  }
  return unsigned_argument(size, "size");
}

void add_quick_method(nb::handle type, PyMethodDef* method) {
  const nb::object descriptor =
      nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), method));
  if (!descriptor.is_valid()) throw nb::python_error();
  type.attr(method->ml_name) = descriptor;
}

}  // namespace treadle::bindings
