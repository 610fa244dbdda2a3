// SPDX-License-Identifier: MIT
#include "native/snippet_arguments.hpp"

#include <nanobind/stl/string.h>

#include <cmath>

#include "calls/argument.hpp"
#include "calls/numpy_scalars.hpp"
#include "native/array.hpp"
#include "native/device.hpp"

namespace treadle::bindings {

using device::Argument;

DType dtype_of(const PythonType& type) {
  const auto& [name, numpy_name, size_bytes] = type;
  if (!numpy_name.empty()) return DType::parse(numpy_name);
  // Texts need the name and the size of a structure. The name distinguishes the structures.
  return DType::structure(name,
                          {Field{name, Scalar::uint8, 0, {static_cast<std::int64_t>(size_bytes)}}},
                          size_bytes, 1);
}

std::vector<std::pair<std::string, DType>> type_names(const PythonType& first,
                                                      const std::vector<PythonType>& others) {
  std::vector<std::pair<std::string, DType>> names;
  names.emplace_back(std::get<0>(first), dtype_of(first));
  for (const PythonType& one : others) names.emplace_back(std::get<0>(one), dtype_of(one));
  return names;
}

namespace {

std::string python_text(nb::handle value) { return nb::cast<std::string>(nb::str(value)); }

/// Also for NumPy's numbers, which print themselves best.
std::string real_text(nb::handle value) {
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True ? "1" : "0";
  const Number number = number_from(value);
  if (number.kind() == treadle::ScalarKind::boolean) return number.as_bool() ? "1" : "0";
  if (number.kind() != treadle::ScalarKind::floating) return python_text(value);
  const double known = number.as_double();
  if (std::isnan(known)) return "NAN";
  if (std::isinf(known)) return known > 0 ? "INFINITY" : "(-INFINITY)";
  return python_text(value);
}

}  // namespace

std::string neutral_text(nb::handle value, bool is_complex, const std::string& complex_maker) {
  nb::object scalar = nb::borrow(value);
  if (is_numpy_array(value.ptr()) && nb::cast<int>(value.attr("ndim")) == 0)
    scalar = value[nb::make_tuple()];
  PyObject* const object = scalar.ptr();
  const bool is_python = PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object);
  if (!is_python && !is_numpy_scalar(object)) return python_text(scalar);
  if (!is_complex && number_from(scalar).kind() != treadle::ScalarKind::complex)
    return real_text(scalar);
  return complex_maker + "(" + real_text(scalar.attr("real")) + ", " +
         real_text(scalar.attr("imag")) + ")";
}

std::string neutral_of(nb::handle value, const PythonType& type) {
  if (value.is_none()) return {};
  std::string maker = std::get<0>(type);
  if (maker.ends_with("_t")) maker.replace(maker.size() - 1, 1, "new");
  return neutral_text(value, dtype_of(type).kind() == treadle::ScalarKind::complex, maker);
}

kernel::UserArgument::Elements elements_of(nb::handle object, std::list<DType>& kept) {
  if (const Array* const own = as_array(object.ptr()))
    return kernel::UserArgument::elements_of(*own);
  kernel::UserArgument::Elements elements;
  if (const nb::object dtype = attribute_or_null(object.ptr(), "dtype"); dtype.is_valid())
    elements.dtype = &kept.emplace_back(dtype_from(dtype));
  if (const nb::object size = attribute_or_null(object.ptr(), "size");
      size.is_valid() && elements.dtype != nullptr)
    elements.size = nb::cast<std::int64_t>(nb::int_(size));
  if (const nb::object flags = attribute_or_null(object.ptr(), "flags"); flags.is_valid()) {
    elements.in_c_order = nb::cast<bool>(flags.attr("c_contiguous"));
    elements.in_fortran_order = nb::cast<bool>(flags.attr("f_contiguous"));
  }
  return elements;
}

SnippetArguments::SnippetArguments(const nb::tuple& objects) {
  for (const nb::handle object : objects) read(object);
}

void SnippetArguments::read(nb::handle object) {
  if (const Array* array = as_array(object.ptr())) {
    all_.emplace_back(arrays_.emplace_back(*array));
  } else if (const memory::Buffer* buffer = as_buffer(object.ptr())) {
    all_.emplace_back(*buffer);
  } else if (const ScalarType* scalar = scalar_type(Py_TYPE(object.ptr()))) {
    all_.emplace_back(
        Argument(scalar_data(object.ptr()), scalar->size, parameter_kind(scalar->kind)));
  } else if (PyTuple_Check(object.ptr()) != 0) {
    all_.emplace_back(Argument(*as_buffer(nb::object(object[nb::int_(0)]).ptr())),
                      elements_of(nb::object(object[nb::int_(1)]), dtypes_));
  } else {
    const HostArray& bytes = lent_.emplace_back(object, HostArray::Access::read);
    all_.emplace_back(
        Argument(bytes.span().data(), bytes.size_bytes(), device::ParameterKind::unknown));
  }
}

}  // namespace treadle::bindings
