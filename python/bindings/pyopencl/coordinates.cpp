// SPDX-License-Identifier: MIT
#include "pyopencl/coordinates.hpp"

#include <limits>

#include "refused_call.hpp"

namespace treadle::bindings::cl {
namespace {

std::size_t product(std::size_t a, std::size_t b, nb::handle shape, const char* call) {
  if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b)
    raise_logic_error(call, "an array of shape " + shown(shape) + " has more bytes than there are");
  return a * b;
}

}  // namespace

std::size_t size_in(nb::handle given, const char* call, const char* what) {
  const nb::object number = nb::steal(PyNumber_Index(given.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    raise_python(PyExc_TypeError,
                 std::string(call) + ": " + what + " is " + shown(given) + ", wanted: int");
  }
  const std::size_t value = PyLong_AsSize_t(number.ptr());
  if (value == static_cast<std::size_t>(-1) && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise_logic_error(call, std::string(what) + " is " + shown(number) + ", which is no size");
  }
  return value;
}

std::vector<std::size_t> sizes_in(nb::handle given, const char* call, const char* what) {
  if (PyIndex_Check(given.ptr()) != 0) {  // true for every ndarray: only __index__ tells
    const nb::object number = nb::steal(PyNumber_Index(given.ptr()));
    if (number.is_valid()) return {size_in(number, call, what)};
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
  }
  std::vector<std::size_t> sizes;
  for_each_in(
      given, {call, what}, "int or an iterable of int",
      [&](nb::handle item, const Argument&) { sizes.push_back(size_in(item, call, what)); });
  return sizes;
}

nb::tuple shape_in(nb::handle given, const char* call) {
  nb::list sides;
  for (const std::size_t side : sizes_in(given, call, "shape")) sides.append(side);
  return nb::tuple(sides);
}

nb::object dtype_in(nb::handle given, const Argument& argument) {
  nb::object dtype;
  try {
    dtype = nb::module_::import_("numpy").attr("dtype")(given);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
    refuse_kind(given, argument, "what numpy.dtype() takes, such as numpy.float32");
  }
  if (nb::cast<bool>(dtype.attr("hasobject")))
    refuse_kind(given, argument, "a dtype of numbers or records of numbers, such as numpy.float32");
  return dtype;
}

nb::object order_in(nb::handle given, const char* call) {
  if (PyUnicode_Check(given.ptr()) == 0) refuse_kind(given, {call, "order"}, "'C' or 'F'");
  return nb::borrow(given);
}

std::size_t array_bytes(nb::handle shape, nb::handle dtype, const char* call) {
  auto bytes = nb::cast<std::size_t>(dtype.attr("itemsize"));
  for (const std::size_t size : sizes_in(shape, call, "shape"))
    bytes = product(bytes, size, shape, call);
  return bytes;
}

}  // namespace treadle::bindings::cl
