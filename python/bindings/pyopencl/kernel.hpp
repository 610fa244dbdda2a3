// SPDX-License-Identifier: MIT
// The Python type of an OpenCL kernel. It is a plain CPython type, not a nanobind class: vectorcall
// passes calls, and the object holds everything that a call needs.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "calls/parameter_check.hpp"
#include "pyopencl/argument.hpp"
#include "pyopencl/classes.hpp"
#include "treadle/opencl/kernel.hpp"

namespace treadle::bindings::cl {

struct KernelState {
  opencl::Kernel kernel;
  std::string call_name = {};            ///< the kernel's name in texts about a wrong call
  std::vector<ArgumentType> types = {};  ///< empty: no types are declared
  std::size_t passed = 0;                ///< the number of arguments that a caller passes
  bool takes_arrays = false;             ///< whether some are vectors, which may have events
  /// For each argument, the last type that was compared with the declaration and fits it.
  mutable std::vector<PyTypeObject*> compared = {};
  /// The arguments of set_args() and later set_arg(), kept for the enqueue because platforms do not
  /// keep them. Empty after a call, which sets all arguments.
  std::vector<nb::object> given = {};
  mutable ReportedParameters reported = {};

  /// Whether the types of arguments are declared.
  bool is_typed() const noexcept { return !types.empty(); }
};

struct KernelObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* dict;
  PyObject* weak_references;
  KernelState* kernel;
};
inline KernelState& kernel_of(PyObject* self) {
  return *reinterpret_cast<KernelObject*>(self)->kernel;
}

/// The state of the self of a nanobind function, which may be any object. Throws TypeError if the
/// object is no Kernel.
KernelState& kernel_of(nb::handle self);

/// Whether `object` is a Kernel.
bool is_kernel(nb::handle object);
/// A new Python object for `kernel`.
nb::object make_kernel(opencl::Kernel kernel);

/// kernel(queue, global_size, local_size, *args, ...), in kernel_calls.cpp.
PyObject* call_kernel(PyObject* self, PyObject* const* arguments, std::size_t count,
                      PyObject* keywords);
/// The same after _set_enqueue_and_set_args() has installed another function.
PyObject* call_installed(PyObject* self, PyObject* const* arguments, std::size_t count,
                         PyObject* keywords);
/// kernel.set_args(*args)
PyObject* set_args(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                   PyObject* keywords);
/// kernel.set_arg(arg_index, arg)
PyObject* set_arg(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords);
/// kernel.get_suggested_local_size(queue, global_size, global_offset=None)
nb::tuple suggested_local_size(nb::handle self, const CommandQueue& queue, nb::handle global,
                               nb::handle offset);
/// Interns the keywords, and binds enqueue_nd_range_kernel.
void bind_kernel_calls(nb::module_& m);

}  // namespace treadle::bindings::cl
