// SPDX-License-Identifier: MIT
#include "calls/prepared.hpp"

#include <nanobind/stl/string.h>

#include <cstring>

#include "calls/numpy_scalars.hpp"

namespace treadle::bindings {
namespace {

std::string place(std::size_t index, const Kernel& kernel) {
  std::string text = "parameter #" + std::to_string(index) + " (0-based)";
  if (!kernel.names[index].empty()) text += " '" + kernel.names[index] + "'";
  return text + " of kernel " + kernel.function.name();
}

bool may_convert(const FormatItem& item, const cuda::KernelParameter& parameter) {
  const std::size_t size = parameter.size;
  return is_integer_code(item.code) && (size == 1 || size == 2 || size == 4 || size == 8);
}

PreparedCall match_one_to_one(const Format& format, Kernel& kernel) {
  PreparedCall call{{}, kernel.layout.buffer_bytes};
  for (std::size_t i = 0; i < format.items.size(); ++i) {
    FormatItem item = format.items[i];
    const cuda::KernelParameter& parameter = kernel.layout.parameters[i];
    const bool same = item.size == parameter.size;
    if (!same && !(kernel.face == Face::pycuda && may_convert(item, parameter)))
      throw cuda::wrong_argument_size(kernel.function.name(), kernel.layout, i, item.size);
    const bool is_floating = item.code == 'f' || item.code == 'd' || item.code == 'e';
    if (same && (is_floating || is_integer_code(item.code)))
      check_number(kernel, i,
                   is_floating ? device::ParameterKind::floating : device::ParameterKind::integer,
                   std::string("value of the prepared format '") + item.code + "'");
    item.offset = parameter.offset;
    call.items.push_back({item, i, !same});
  }
  return call;
}

// A program may prepare a structure by its members ("ff" for a float2). Then every value must lie
// within one parameter, and the values must cover every parameter.
bool match_members(const Format& format, const Kernel& kernel, PreparedCall& call) {
  const auto& parameters = kernel.layout.parameters;
  std::vector<bool> covered(parameters.size());
  std::size_t at = 0;
  for (const FormatItem& item : format.items) {
    while (at < parameters.size() && item.offset >= parameters[at].offset + parameters[at].size)
      ++at;
    if (at == parameters.size() || item.offset < parameters[at].offset ||
        item.offset + item.size > parameters[at].offset + parameters[at].size)
      return false;
    covered[at] = true;
    call.items.push_back({item, at, false});
  }
  call.buffer_bytes = kernel.layout.buffer_bytes;
  for (const bool is_covered : covered)
    if (!is_covered) return false;
  return true;
}

[[noreturn]] void refuse_count(std::size_t expected, std::size_t given, const Kernel& kernel) {
  raise_struct_error("pack requires exactly " + std::to_string(expected) + " arguments, not " +
                     std::to_string(given) + " (prepared call of kernel " + kernel.function.name() +
                     ")");
}

bool has_integer_code(const ScalarType& scalar, const FormatItem& item) {
  if (scalar.size != item.size) return false;
  const bool is_signed_code = item.code >= 'a' && item.code <= 'z';
  return is_signed_code ? scalar.kind == ScalarKind::integer
                        : scalar.kind == ScalarKind::unsigned_integer;
}

void pack_address(const PreparedItem& prepared, Kernel& kernel, PyObject* value, char* to) {
  check_bound_array(kernel, prepared.parameter, value);
  cuda::DevicePointer address = 0;
  if (PyLong_CheckExact(value)) {
    address = PyLong_AsUnsignedLongLongMask(value);  // negative numbers wrap
    if (address == ~0ull && PyErr_Occurred() != nullptr) throw nb::python_error();
  } else if (!read_pointer(value, address)) {
    const ScalarType* scalar = scalar_type(Py_TYPE(value));
    if (scalar == nullptr || scalar->size != sizeof address ||
        (scalar->kind != ScalarKind::integer && scalar->kind != ScalarKind::unsigned_integer))
      return pack_value(prepared.item, value, to);
    std::memcpy(&address, scalar_data(value), sizeof address);
  }
  std::memcpy(to, &address, sizeof address);
}

void pack_item(const PreparedItem& prepared, Kernel& kernel, PyObject* value, char* to) {
  const FormatItem& item = prepared.item;
  if (item.code == 'P') return pack_address(prepared, kernel, value, to);
  if (const ScalarType* scalar = scalar_type(Py_TYPE(value))) {
    if (scalar->code == item.code || has_integer_code(*scalar, item)) {
      std::memcpy(to, scalar_data(value), scalar->size);
      return;
    }
  } else if (is_integer_code(item.code) && item.size == sizeof(cuda::DevicePointer)) {
    // Older programs write prepare([np.intp]) for a pointer.
    if (cuda::DevicePointer address = 0; read_pointer(value, address)) {
      std::memcpy(to, &address, sizeof address);
      return;
    }
  }
  pack_value(item, value, to);
}

void pack_converted(const PreparedItem& prepared, Kernel& kernel, PyObject* value, char* to) {
  char given[8];
  pack_value(prepared.item, value, given);
  std::uint64_t bits = 0;
  std::memcpy(&bits, given, prepared.item.size);
  const bool is_signed = prepared.item.code >= 'a' && prepared.item.code <= 'z';
  const int unused = static_cast<int>(64 - 8 * prepared.item.size);
  const bool negative = is_signed && static_cast<std::int64_t>(bits << unused) < 0;
  if (negative)
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
  if (convert_integer(kernel, prepared.parameter, {bits, negative}, prepared.item.size, to)) return;
  const cuda::KernelParameter& parameter = kernel.layout.parameters[prepared.parameter];
  throw InvalidArgument(place(prepared.parameter, kernel) + " takes " +
                        std::to_string(parameter.size) + " bytes; the prepared format '" +
                        prepared.item.code + "' gives " + std::to_string(prepared.item.size) +
                        ", and the value does not fit");
}

std::string format_of_type(nb::handle type) {
  if (PyUnicode_Check(type.ptr()) != 0) return nb::cast<std::string>(type);
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (PyType_Check(type.ptr()) != 0) {
    const nb::object number = numpy.attr("number");
    if (PyObject_IsSubclass(type.ptr(), number.ptr()) == 1)
      return nb::cast<std::string>(numpy.attr("dtype")(type).attr("char"));
    return "L";
  }
  const nb::object dtype_class = numpy.attr("dtype");
  if (PyObject_IsInstance(type.ptr(), dtype_class.ptr()) == 1) {
    const auto code = nb::cast<std::string>(type.attr("char"));
    return code == "V" ? std::to_string(nb::cast<std::size_t>(type.attr("itemsize"))) + "s" : code;
  }
  return "L";
}

}  // namespace

PreparedCall prepare_call(const std::string& text, Kernel& kernel) {
  const Format format = parse_format(text);
  PreparedCall call;
  if (!kernel.layout.known) {
    for (const FormatItem& item : format.items) call.items.push_back({item, 0, false});
    call.buffer_bytes = format.size;
    return call;
  }
  if (format.items.size() == kernel.layout.parameters.size())
    return match_one_to_one(format, kernel);
  if (match_members(format, kernel, call)) return call;
  throw InvalidArgument("kernel " + kernel.function.name() + " takes " +
                        std::to_string(kernel.layout.parameters.size()) + " parameters of " +
                        std::to_string(kernel.layout.buffer_bytes) +
                        " bytes in all; the prepared format \"" + text + "\" gives " +
                        std::to_string(format.items.size()) + " of " + std::to_string(format.size));
}

void pack_prepared(const PreparedCall& call, Kernel& kernel, PyObject* const* values,
                   std::size_t count, char* buffer) {
  if (count != call.items.size()) refuse_count(call.items.size(), count, kernel);
  for (std::size_t i = 0; i < count; ++i) {
    const PreparedItem& prepared = call.items[i];
    char* to = buffer + prepared.item.offset;
    if (prepared.converted) [[unlikely]]
      pack_converted(prepared, kernel, values[i], to);
    else
      pack_item(prepared, kernel, values[i], to);
  }
}

std::string prepared_format(nb::handle argument_types) {
  std::string format;
  for (const nb::handle type : nb::borrow<nb::iterable>(argument_types))
    format += format_of_type(type);
  return format;
}

}  // namespace treadle::bindings
