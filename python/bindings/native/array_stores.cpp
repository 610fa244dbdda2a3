// SPDX-License-Identifier: MIT
// Stores values into arrays of another dtype.
#include <nanobind/stl/string.h>

#include <string>

#include "errors.hpp"
#include "native/array.hpp"

namespace treadle::bindings {
namespace {

bool drops_imaginary(const DType& from, const DType& to) {
  return from.kind() == ScalarKind::complex && to.kind() != ScalarKind::complex &&
         to.scalar() != Scalar::boolean;
}

/// Calls `convert()`. If NumPy refuses a value, throws Treadle's error, which names the dtype.
template <class Convert>
nb::object converted(const Array& target, Convert&& convert) {
  try {
    return convert();
  } catch (nb::python_error& refused) {
    if (!refused.matches(PyExc_ValueError) && !refused.matches(PyExc_TypeError)) throw;
    throw DTypeError(nb::cast<std::string>(nb::str(refused.value())) + ", for an array of " +
                         target.dtype().name(),
                     "pass numbers of that dtype");
  }
}

/// Converts a number of a program's own class, such as an IntEnum, to a number of Python.
nb::object plain_number(nb::handle value) {
  PyObject* const object = value.ptr();
  if (PyBool_Check(object)) return nb::borrow(value);
  if (PyLong_Check(object)) return nb::steal(PyNumber_Long(object));
  if (PyFloat_Check(object)) return nb::float_(PyFloat_AS_DOUBLE(object));
  if (PyComplex_Check(object)) {
    const Py_complex parts = PyComplex_AsCComplex(object);
    return nb::steal(PyComplex_FromCComplex(parts));
  }
  return nb::borrow(value);
}

/// Converts a value of the host by NumPy where NumPy does more than Treadle's cast: it reads lists
/// and texts, and warns about numbers beyond the dtype.
nb::object as_stored(const Array& target, nb::handle value, Place place) {
  PyObject* const object = value.ptr();
  const bool is_sequence = PyTuple_Check(object) || PyList_Check(object) || is_numpy_array(object);
  if (place == Place::element && target.dtype() == Scalar::boolean && is_sequence) {
    const int truth = PyObject_IsTrue(object);
    if (truth < 0) throw nb::python_error();
    return nb::bool_(truth == 1);
  }
  const bool is_read = PyTuple_Check(object) || PyList_Check(object) || PyUnicode_Check(object) ||
                       PyBytes_Check(object) || object == Py_None;
  const bool is_record = target.dtype().scalar() == Scalar::structure;
  const bool is_number = PyLong_Check(object) || PyFloat_Check(object);
  if (is_record ? is_read || is_number : is_read && !is_numpy_scalar(object))
    return converted(target, [&]() -> nb::object {
      return numpy().attr("asarray")(value, numpy_dtype_of(target.dtype()));
    });
  if (is_record || !(is_numpy_scalar(object) || is_numpy_array(object))) return plain_number(value);
  const std::string kind = nb::cast<std::string>(value.attr("dtype").attr("kind"));
  // NumPy's rule: only signed integers take NumPy's numbers as Python's; others cast them.
  const bool is_counted = kind == "i" || kind == "u" || kind == "f";
  const bool is_signed = target.dtype().kind() == ScalarKind::signed_integer;
  if (place != Place::chosen && is_numpy_scalar(object) && is_counted && is_signed)
    return value.attr("item")();
  const bool is_text = kind == "U" || kind == "S" || kind == "O";
  const bool is_cast = kind == "c"
                           ? drops_imaginary(Scalar::complex128, target.dtype())
                           : kind == "f" && target.dtype().is_integer() && is_numpy_scalar(object);
  if (!is_text && !is_cast) return nb::borrow(value);
  const nb::object stored = converted(target, [&]() -> nb::object {
    return numpy().attr("asarray")(value).attr("astype")(numpy_dtype_of(target.dtype()));
  });
  return is_numpy_scalar(object) ? nb::object(stored[nb::make_tuple()]) : stored;
}

}  // namespace

void warn_of_cast(const DType& from, const DType& to) {
  if (!drops_imaginary(from, to)) return;
  static const nb::object& category =
      *new nb::object(nb::module_::import_("numpy.exceptions").attr("ComplexWarning"));
  if (PyErr_WarnEx(category.ptr(), "Casting complex values to real discards the imaginary part",
                   1) != 0)
    throw nb::python_error();
}

AssignedValue::AssignedValue(const Array& target, nb::handle value, Place place)
    : host_(as_stored(target, value, place)), operand_(host_.ptr(), target) {
  if (!operand_)
    raise_python(PyExc_TypeError, std::string("a ") + Py_TYPE(value.ptr())->tp_name +
                                      " is no value for elements of an array: pass a number or "
                                      "an array, such as numpy.asarray() makes");
  if (operand_.get().array() != nullptr)
    warn_of_cast(operand_.get().array()->dtype(), target.dtype());
}

}  // namespace treadle::bindings
