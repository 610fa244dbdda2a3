// SPDX-License-Identifier: MIT
#include "calls/parameter_check.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

#include "calls/argument.hpp"
#include "calls/numpy_scalars.hpp"
#include "errors.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::bindings {
namespace {

struct ArrayReader {
  PyTypeObject* type;
  bool (*read)(PyObject*, GivenElements&);
};
std::vector<ArrayReader> array_types;  // filled while the module is imported

// Compares kind and size. Half-precision numbers are often declared as 16-bit integers.
bool agree(const DType& declared, const DType& given) {
  if (given.kind() == treadle::ScalarKind::complex ||
      given.kind() == treadle::ScalarKind::structure)
    return true;
  if (declared.size_bytes() == 1 || given.size_bytes() == 1) return true;  // bytes
  if (declared.size_bytes() != given.size_bytes()) return false;
  const bool is_same = (declared.kind() == treadle::ScalarKind::floating) ==
                       (given.kind() == treadle::ScalarKind::floating);
  return is_same || declared.size_bytes() == 2;
}

bool read_host(PyObject* array, GivenElements& elements) {
  const nb::object dtype = attribute_or_null(array, "dtype");
  const auto found = checked_dtype(nb::cast<std::string>(dtype.attr("str")));
  if (!found) return false;
  elements = {*found, false};  // NumPy copies the array without gaps
  return true;
}

// Reads another library's array. Gaps are not checked, because kernels of that library take such
// arrays.
bool read_interface(PyObject* object, GivenElements& elements) {
  const nb::object interface = attribute_or_null(object, "__cuda_array_interface__");
  if (!interface.is_valid() || PyDict_Check(interface.ptr()) == 0) return false;
  PyObject* const typestr = PyDict_GetItemString(interface.ptr(), "typestr");
  if (typestr == nullptr || PyUnicode_Check(typestr) == 0) return false;
  const auto found = checked_dtype(nb::cast<std::string>(nb::handle(typestr)));
  if (!found) return false;
  elements = {*found, false};
  return true;
}

}  // namespace

std::optional<DType> checked_dtype(std::string_view typestr) {
  if (typestr.size() < 3 || (typestr[0] != '<' && typestr[0] != '=' && typestr[0] != '|'))
    return std::nullopt;
  if (std::string_view("iufcb").find(typestr[1]) == std::string_view::npos) return std::nullopt;
  try {
    return DType::parse(typestr[1] == 'b' ? "?" : typestr);
  } catch (const Error&) {  // dtypes that Treadle lacks, such as long double
    return std::nullopt;
  }
}

void PointedElements::declare(std::size_t index, std::string_view type,
                              const ScalarAliases& aliases) {
  const Declaration declaration = read_type(type);
  if (!declaration.is_pointer || std::ranges::count(type, '*') > 1) return;
  auto scalar = c_scalar(declaration.type);
  if (const auto alias = aliases.find(declaration.type); alias != aliases.end())
    scalar = alias->second;
  if (!scalar) return;
  if (pointed_.size() <= index) pointed_.resize(index + 1);
  pointed_[index] = scalar;
}

std::string PointedElements::contradiction(std::size_t index, const GivenElements& given) const {
  const DType declared(*pointed_[index]);
  if (!agree(declared, given.dtype))
    return "the array's elements are " + given.dtype.name() + ", and the pointer is to " +
           declared.name() + "; the bytes are taken as they are";
  if (given.has_gaps && declared.size_bytes() > 1)
    return "the array is a view with gaps between its elements, or in another direction, and the "
           "pointer knows no strides; pass a copy (x.copy()), or numpy.uintp(x.gpudata) beside the "
           "strides";
  return {};
}

void report_contradiction(const std::string& parameter, const std::string& text) {
  if (settings().strict)
    throw DTypeError(parameter + ": " + text, "without TREADLE_STRICT this is a warning");
  warn_python(PyExc_UserWarning, parameter + ": " + text);
}

void ReportedParameters::report(std::size_t index, const std::string& parameter,
                                const std::string& text) {
  if (has(index)) return;
  report_contradiction(parameter, text);
  if (reported_.size() <= index) reported_.resize(index + 1);
  reported_[index] = true;
}

void register_array_type(nb::handle type, bool (*read)(PyObject*, GivenElements&)) {
  array_types.push_back({reinterpret_cast<PyTypeObject*>(type.ptr()), read});
}

bool read_bound_array(PyObject* object, GivenElements& elements) {
  for (const ArrayReader& reader : array_types)
    if (PyObject_TypeCheck(object, reader.type) != 0) return reader.read(object, elements);
  return false;
}

bool read_elements(PyObject* object, GivenElements& elements) {
  if (read_bound_array(object, elements)) return true;
  if (PyObject_TypeCheck(object, numpy_types().ndarray) != 0) return read_host(object, elements);
  return read_interface(object, elements);
}

}  // namespace treadle::bindings
