// SPDX-License-Identifier: MIT
// The Python type of a kernel. It is a plain CPython type, not a nanobind class: vectorcall passes
// calls, and the object holds everything that a call needs.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calls/argument.hpp"
#include "calls/prepared.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::bindings {

struct KernelState : Kernel {
  using Kernel::Kernel;
  std::optional<std::string> arg_format;  ///< set by prepare()
  std::optional<PreparedCall> prepared;   ///< made by the first prepared call
  nb::object texrefs;
  /// Set by prepare(block=...), as before 2011: prepared calls then take no block.
  std::optional<cuda::LaunchConfig> prepared_config;
  // Before CUDA 4, a program set shape and parameters one by one and then launched.
  cuda::LaunchConfig legacy_config;
  std::string legacy_parameters;
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* dict;  ///< attributes that programs set on a function
  PyObject* weak_references;
  KernelState* kernel;
};

inline KernelState& kernel_of(PyObject* self) {
  return *reinterpret_cast<FunctionObject*>(self)->kernel;
}

/// Makes the type `Function` of a face in `m`.
void bind_function(nb::module_& m, Face face);

/// Returns the kernel of that name. Releases the GIL, because the CPU device may compile the kernel
/// now.
inline cuda::Function function_without_gil(const cuda::Module& module, std::string_view name) {
  const nb::gil_scoped_release released;
  return module.function(name);
}
/// Returns the kernel of `object`, a Function of either face. Throws TypeError naming `what`.
KernelState& kernel_argument(PyObject* object, const char* what);
/// Makes a Python object for `function`. The kernel's source may tell types that the driver does
/// not.
nb::object make_function(cuda::Function function, Face face,
                         const std::vector<device::Parameter>& declared = {},
                         const ScalarAliases& aliases = {});

// The calls, defined in function_calls.cpp.
PyObject* call_pycuda(PyObject* self, PyObject* const* arguments, std::size_t count,
                      PyObject* keywords);
PyObject* call_native(PyObject* self, PyObject* const* arguments, std::size_t count,
                      PyObject* keywords);
PyObject* prepared_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                        PyObject* keywords);
PyObject* prepared_async_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords);
PyObject* prepared_timed_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords);
/// Interns the keywords. Called once, at import.
void intern_keywords();

/// Throws TypeError, or InvalidArgument for an object that is no texture reference of the kernel's
/// module. Launches write changed references themselves. Defined in pycuda/texture.cpp.
void check_texref(const Kernel& kernel, nb::handle texref);
/// Checks each entry of a list. Null and None mean an empty list.
void check_texrefs(const Kernel& kernel, nb::handle texrefs);

/// Methods of the pre-CUDA-4 interface, in function_legacy.cpp; ends with an empty entry.
extern PyMethodDef legacy_methods[];

}  // namespace treadle::bindings
