// SPDX-License-Identifier: MIT
// The Python type of a kernel. A plain CPython type, not a nanobind class: calls arrive by
// vectorcall and find everything they need in the object.
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
  std::optional<PreparedCall> prepared;   ///< of arg_format, made by the first prepared call
  nb::object texrefs;
  /// Set by prepare(block=...), the spelling of before 2011: prepared calls then take no block.
  std::optional<cuda::LaunchConfig> prepared_config;
  // The pre-CUDA-4 way to launch: shape and parameters are set one by one.
  cuda::LaunchConfig legacy_config;
  std::string legacy_parameters;
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* dict;  ///< programs keep things of their own on a function
  PyObject* weak_references;
  KernelState* kernel;
};

inline KernelState& kernel_of(PyObject* self) {
  return *reinterpret_cast<FunctionObject*>(self)->kernel;
}

/// Makes the type `Function` of a face in `m`.
void bind_function(nb::module_& m, Face face);

/// The kernel of that name. Other threads of Python go on: the CPU device may compile it now.
inline cuda::Function function_without_gil(const cuda::Module& module, std::string_view name) {
  const nb::gil_scoped_release released;
  return module.function(name);
}
/// The kernel of `object`, a Function of either face. Throws TypeError naming `what`.
KernelState& kernel_argument(PyObject* object, const char* what);
/// A new Python object for `function`. The kernel's text may say what the driver does not.
nb::object make_function(cuda::Function function, Face face,
                         const std::vector<device::Parameter>& declared = {},
                         const ScalarAliases& aliases = {});

// The calls, in function_calls.cpp.
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
/// Interns the keywords; called once, while the module is imported.
void intern_keywords();

/// Throws TypeError, or InvalidArgument for an object that is no texture reference of the kernel's
/// module. Launches write references that were changed by themselves; in pycuda/texture.cpp.
void check_texref(const Kernel& kernel, nb::handle texref);
/// The same for each of a list; null and None are empty ones.
void check_texrefs(const Kernel& kernel, nb::handle texrefs);

/// Methods of the pre-CUDA-4 interface, in function_legacy.cpp; ends with an empty entry.
extern PyMethodDef legacy_methods[];

}  // namespace treadle::bindings
