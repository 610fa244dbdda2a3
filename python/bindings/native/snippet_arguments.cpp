// SPDX-License-Identifier: MIT
#include "native/snippet_arguments.hpp"

#include "calls/numpy_scalars.hpp"
#include "native/array.hpp"
#include "native/device.hpp"

namespace treadle::bindings {

using device::Argument;

DType dtype_of(const PythonType& type) {
  const auto& [name, numpy_name, size_bytes] = type;
  if (!numpy_name.empty()) return DType::parse(numpy_name);
  // Texts need a structure's name and size; the name makes it differ from any other.
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

SnippetArguments::SnippetArguments(const nb::tuple& objects) {
  for (const nb::handle object : objects) read(object);
}

void SnippetArguments::read(nb::handle object) {
  if (const Array* array = as_array(object.ptr())) {
    all_.emplace_back(*array);
  } else if (const memory::Buffer* buffer = as_buffer(object.ptr())) {
    all_.emplace_back(*buffer);
  } else if (const ScalarType* scalar = scalar_type(Py_TYPE(object.ptr()))) {
    all_.emplace_back(scalar_data(object.ptr()), scalar->size, parameter_kind(scalar->kind));
  } else {
    const HostArray& bytes = lent_.emplace_back(object, HostArray::Access::read);
    all_.emplace_back(bytes.span().data(), bytes.size_bytes(), device::ParameterKind::unknown);
  }
}

}  // namespace treadle::bindings
