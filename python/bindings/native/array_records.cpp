// SPDX-License-Identifier: MIT
// NumPy's structured dtypes. The name of a record is the text of its NumPy dtype. The name finds
// the dtype again, with titles and all else that a DType does not store.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/array.hpp"
#include "native/promotion.hpp"
#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

nb::object numpy_dtype_like(nb::handle dtype_like) {
  return nb::module_::import_("numpy").attr("dtype")(dtype_like);
}

/// The dtype of every record that was seen. Guarded by the GIL, never destroyed.
nb::dict& dtypes_by_name() {
  static nb::dict& all = *new nb::dict;
  return all;
}

Field field_from(const std::string& name, nb::handle dtype, std::size_t offset) {
  const nb::object parts = dtype.attr("subdtype");
  if (parts.is_none()) return {name, dtype_from(dtype), offset};
  return {name, dtype_from(parts[0]), offset, nb::cast<std::vector<std::int64_t>>(parts[1])};
}

DType record_from(const nb::object& dtype) {
  std::vector<Field> fields;
  std::size_t alignment = 1;
  const auto size_bytes = nb::cast<std::size_t>(dtype.attr("itemsize"));
  bool is_aligned = true;
  for (const nb::handle name : dtype.attr("names")) {
    const nb::object described = dtype.attr("fields")[name];
    fields.push_back(
        field_from(nb::cast<std::string>(name), described[0], nb::cast<std::size_t>(described[1])));
    const std::size_t natural = fields.back().type.alignment();
    alignment = std::max(alignment, natural);
    is_aligned &= fields.back().offset % natural == 0;
  }
  if (fields.empty()) throw DTypeError("a record without fields", "name at least one");
  // Packed records may lie at any byte, and kernels move them byte by byte.
  if (!is_aligned || size_bytes % alignment != 0) alignment = 1;
  const nb::object name = nb::str(dtype);
  dtypes_by_name()[name] = dtype;
  return DType::structure(nb::cast<std::string>(name), std::move(fields), size_bytes, alignment);
}

/// Whether the dtype is text or raw bytes. No kernel computes with such elements, but records may
/// have them, and kernels get their memory. Equal elements have equal bytes.
bool is_opaque(const nb::object& dtype) {
  constexpr std::string_view kinds = "SUV";
  return kinds.find(nb::cast<std::string>(dtype.attr("kind"))) != kinds.npos &&
         dtype.attr("subdtype").is_none() && nb::cast<bool>(dtype.attr("isnative"));
}

DType opaque_from(const nb::object& dtype) {
  const auto size_bytes = nb::cast<std::size_t>(dtype.attr("itemsize"));
  const auto name = nb::cast<std::string>(dtype.attr("str"));
  if (nb::cast<std::string>(dtype.attr("name")) == "bfloat16" && size_bytes == 2) {
    dtypes_by_name()["bfloat16"] = dtype;  // ml_dtypes' dtype
    return bfloat16_dtype();
  }
  if (size_bytes == 0)
    throw DTypeError("\"" + name + "\" has elements of no bytes", "give their length: \"S8\"");
  dtypes_by_name()[name.c_str()] = dtype;
  std::vector<Field> bytes{{"bytes", Scalar::uint8, 0, {static_cast<std::int64_t>(size_bytes)}}};
  return DType::structure(name, std::move(bytes), size_bytes, 1);
}

nb::object made_of_fields(const DType& record) {
  nb::list names, formats, offsets;
  for (const Field& field : record.fields()) {
    const nb::object element = numpy_dtype_of(field.type);
    names.append(field.name);
    formats.append(field.shape.empty() ? element
                                       : numpy_dtype_like(nb::make_tuple(
                                             element, nb::tuple(nb::cast(field.shape)))));
    offsets.append(field.offset);
  }
  nb::dict described;
  described["names"] = names;
  described["formats"] = formats;
  described["offsets"] = offsets;
  described["itemsize"] = record.size_bytes();
  return numpy_dtype_like(described);
}

}  // namespace

DType dtype_from(nb::handle dtype_like) {
  const nb::object dtype = numpy_dtype_like(dtype_like);
  if (!dtype.attr("names").is_none()) return record_from(dtype);
  return is_opaque(dtype) ? opaque_from(dtype) : DType(scalar_from(dtype));
}

nb::object numpy_dtype_of(const DType& dtype) {
  if (dtype.scalar() != Scalar::structure) return numpy_dtype(dtype.scalar());
  const nb::object name = nb::str(dtype.name().c_str());
  return dtypes_by_name().contains(name) ? nb::object(dtypes_by_name()[name])
                                         : made_of_fields(dtype);
}

}  // namespace treadle::bindings
