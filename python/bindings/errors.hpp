// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>

#include "treadle/base/error.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Whose exception classes an error uses: Treadle's own, or those of pycuda.driver.
enum class Face { native, pycuda };

/// Makes every exception class: the native ones in `core`, PyCUDA's in `driver`.
void bind_errors(nb::module_& core, nb::module_& driver);

/// Sets the Python error for the C++ exception that is being handled. Call inside catch (...). The
/// faces' arrays use native functions. So the error of a native function has Treadle's class and,
/// for each face that the program has imported, the face's class.
void set_python_error(Face face) noexcept;

/// Treadle's class of this name, borrowed; it lives as long as the interpreter. Null if there is
/// none.
PyObject* native_class(std::string_view name);

/// The exception in Treadle's class only.
nb::object native_exception(const Error& error);

/// A face whose classes the errors of native functions also get.
struct FaceErrors {
  const char* module;            ///< a module that every program of the face has imported
  std::string_view code_prefix;  ///< of the names of the run-time's codes: "CL_"
  /// The face's class for an error of the given class of Treadle's.
  nb::object (*class_of)(const Error& error, nb::handle native_class);
  /// Sets the attributes that the face's programs read.
  void (*complete)(nb::handle exception, const Error& error);
};
/// Called once for each face, at import.
void register_face_errors(const FaceErrors& face);

/// Throws pycuda.driver.LogicError(text).
[[noreturn]] void raise_logic_error(const std::string& text);

/// Throws a builtin exception, such as PyExc_TypeError, with `text`.
[[noreturn]] void raise_python(PyObject* exception_class, const std::string& text);

/// The tp_new of classes whose objects only functions make. Refuses the call, as PyCUDA's classes
/// do.
constexpr const char* not_constructible = "This class cannot be instantiated from Python";
/// The same for classes of nanobind.
template <class T, class... Bases>
void refuse_construction(nb::class_<T, Bases...>& type) {
  type.def("__init__",
           [](T*, nb::args, nb::kwargs) { raise_python(PyExc_RuntimeError, not_constructible); });
}
/// The same as Py_tp_new, for types made without nanobind.
inline PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) noexcept {
  PyErr_SetString(PyExc_RuntimeError, not_constructible);
  return nullptr;
}

/// Issues a Python warning; throws if the user's filters turn it into an error.
void warn_python(PyObject* category, const std::string& text);

/// Wraps `function`. `set_error`, called inside catch (...), turns its C++ exceptions into Python
/// errors. Python's own errors stay as they are.
template <auto set_error, class F, class R, class... A>
auto in_terms_of(F function, R (F::*)(A...) const) {
  return [function = std::move(function)](A... arguments) -> R {
    try {
      return function(std::forward<A>(arguments)...);
    } catch (nb::python_error&) {
      throw;
    } catch (nb::builtin_exception&) {
      throw;
    } catch (...) {
      set_error();
      throw nb::python_error();
    }
  };
}

inline void set_pycuda_error() noexcept { set_python_error(Face::pycuda); }
/// Wraps a lambda: its exceptions reach Python as PyCUDA's classes.
template <class F>
auto pycuda(F function) {
  return in_terms_of<set_pycuda_error>(std::move(function), &F::operator());
}

}  // namespace treadle::bindings
