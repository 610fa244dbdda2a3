// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>

#include "treadle/base/error.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// In whose terms an error reaches Python: Treadle's own classes, or those of pycuda.driver.
enum class Face { native, pycuda };

/// Makes every exception class: the native ones in `core`, PyCUDA's in `driver`.
void bind_errors(nb::module_& core, nb::module_& driver);

/// Sets the Python error that the C++ exception being handled stands for. Call inside catch (...).
/// Of native functions, which the faces' arrays are made of, it is one of Treadle's classes and, of
/// each face that the program has imported, what that face's programs catch.
void set_python_error(Face face) noexcept;

/// Treadle's class of this name, a reference that lives as long as the interpreter; null if there
/// is none.
PyObject* native_class(std::string_view name);

/// The exception in Treadle's class alone.
nb::object native_exception(const Error& error);

/// A face whose classes native functions raise, too.
struct FaceErrors {
  const char* module;            ///< which every program of the face has imported
  std::string_view code_prefix;  ///< of the names that its run-time gives codes: "CL_"
  /// The face's class for an error of this class of Treadle's.
  nb::object (*class_of)(const Error& error, nb::handle native_class);
  /// Sets what the face's programs read of an exception.
  void (*complete)(nb::handle exception, const Error& error);
};
/// Once for each face, while the extension is imported.
void register_face_errors(const FaceErrors& face);

/// Throws pycuda.driver.LogicError(text).
[[noreturn]] void raise_logic_error(const std::string& text);

/// Throws a builtin exception, such as PyExc_TypeError, with `text`.
[[noreturn]] void raise_python(PyObject* exception_class, const std::string& text);

/// The tp_new of classes that only functions make: refuses the call, as PyCUDA's classes do.
constexpr const char* not_constructible = "This class cannot be instantiated from Python";
/// For such classes of nanobind's.
template <class T, class... Bases>
void refuse_construction(nb::class_<T, Bases...>& type) {
  type.def("__init__",
           [](T*, nb::args, nb::kwargs) { raise_python(PyExc_RuntimeError, not_constructible); });
}
/// The same as Py_tp_new, for types of CPython's own making.
inline PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) noexcept {
  PyErr_SetString(PyExc_RuntimeError, not_constructible);
  return nullptr;
}

/// Issues a Python warning; throws if the user's filters turn it into an error.
void warn_python(PyObject* category, const std::string& text);

/// `function`, but what it throws becomes the Python error that `set_error` sets, called inside
/// catch (...). Errors that are Python's own already stay as they are.
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
/// Wraps a lambda so that what it throws reaches Python as PyCUDA's classes.
template <class F>
auto pycuda(F function) {
  return in_terms_of<set_pycuda_error>(std::move(function), &F::operator());
}

}  // namespace treadle::bindings
