// SPDX-License-Identifier: MIT
// Converts the operands of operations: numbers, and objects that become arrays.
#include <complex>
#include <optional>
#include <string>
#include <utility>

#include "errors.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/promotion.hpp"

namespace treadle::bindings {
namespace {

using array::Operand;

Operand integer_from(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return Operand::weak(value);
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred() == nullptr) return Operand::weak(large);
    PyErr_Clear();
  }
  const double rounded = PyLong_AsDouble(object);
  if (rounded == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return Operand::huge_integer(rounded);
}

/// Whether NumPy converts the object to an array, and the object has no operators for arrays.
bool is_of_host(PyObject* object) {
  if (PyList_Check(object) || PyTuple_Check(object) || PyRange_Check(object)) return true;
  if (is_numpy_scalar(object) || is_numpy_array(object)) return true;
  return PyObject_CheckBuffer(object) && !PyBytes_Check(object);
}

bool is_record(PyObject* object) {
  return !nb::handle(object).attr("dtype").attr("names").is_none();
}

}  // namespace

Operand typed_alone(const Number& number) {
  switch (number.kind()) {
    case ScalarKind::unsigned_integer:
      return Operand::typed(number, Scalar::uint64);
    case ScalarKind::signed_integer:
      return Operand::typed(number, Scalar::int64);
    case ScalarKind::complex:
      return Operand::typed(number, Scalar::complex128);
    default:
      return Operand::typed(number, Scalar::float64);
  }
}

ArrayOperand::ArrayOperand(PyObject* object, PyObject* beside) {
  if (take_number(object)) return;
  const Array* const other = beside != nullptr ? as_array(beside) : nullptr;
  take_host(object, other != nullptr ? placement_beside(*other) : array::Placement());
}
ArrayOperand::ArrayOperand(PyObject* object, const Array& beside) {
  if (!take_number(object)) take_host(object, placement_beside(beside));
}
ArrayOperand::ArrayOperand(PyObject* object, const array::Placement& placement) {
  if (!take_number(object)) take_host(object, placement);
}

bool ArrayOperand::take_number(PyObject* object) {
  if (const Array* own = as_array(object)) {
    operand_.emplace(*own);
  } else if (PyFloat_CheckExact(object)) {
    operand_.emplace(PyFloat_AS_DOUBLE(object));
  } else if (PyBool_Check(object)) {
    operand_.emplace(object == Py_True);
  } else if (PyLong_CheckExact(object)) {
    operand_.emplace(integer_from(object));
  } else if (PyComplex_CheckExact(object)) {
    const Py_complex value = PyComplex_AsCComplex(object);
    operand_.emplace(std::complex<double>(value.real, value.imag));
  } else if (is_numpy_scalar(object) && !is_record(object)) {
    operand_.emplace(
        Operand::typed(number_from(object), scalar_from(nb::handle(object).attr("dtype"))));
  } else if (PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object)) {
    operand_.emplace(typed_alone(number_from(object)));
  }
  return operand_.has_value();
}

void ArrayOperand::take_host(PyObject* object, const array::Placement& placement) {
  std::optional<Array> foreign;
  if (!is_numpy_scalar(object) && !is_numpy_array(object)) foreign = foreign_array(object);
  if (!foreign && !is_of_host(object)) return;
  is_copied_ = !foreign;
  made_ = foreign ? *std::move(foreign) : array_from(object, nb::none(), placement);
  operand_.emplace(made_);
}

array::Placement placement_beside(const Array& array) {
  return {.stream = stream_for(array.device())};
}

Number number_from(nb::handle object) {
  const nb::object value =
      is_numpy_scalar(object.ptr()) ? object.attr("item")() : nb::borrow(object);
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (PyLong_Check(value.ptr())) return integer_from(value.ptr()).number();
  if (PyFloat_Check(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (PyComplex_Check(value.ptr())) {
    const Py_complex parts = PyComplex_AsCComplex(value.ptr());
    return std::complex<double>(parts.real, parts.imag);
  }
  raise_python(PyExc_TypeError,
               std::string("a ") + Py_TYPE(object.ptr())->tp_name + " is no number");
}

}  // namespace treadle::bindings
