// SPDX-License-Identifier: MIT
#include "declared_arguments.hpp"

#include <cstring>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::kernel {
namespace {

using Value = std::array<std::byte, 16>;
using device::Argument;
using device::ParameterKind;

template <class T>
T read_as(const Argument& argument) {
  T value;
  std::memcpy(&value, argument.data(), sizeof(T));
  return value;
}
template <class T>
void write_as(Value& value, auto number) {
  const T converted = static_cast<T>(number);
  std::memcpy(value.data(), &converted, sizeof(T));
}

/// Whether `value` now holds the number in the declared dtype.
bool write_number(Value& value, Scalar dtype, auto number) {
  switch (dtype) {
    case Scalar::float32:
      return write_as<float>(value, number), true;
    case Scalar::float64:
      return write_as<double>(value, number), true;
    case Scalar::int8:
    case Scalar::uint8:
      return write_as<std::int8_t>(value, static_cast<std::int64_t>(number)), true;
    case Scalar::int16:
    case Scalar::uint16:
      return write_as<std::int16_t>(value, static_cast<std::int64_t>(number)), true;
    case Scalar::int32:
    case Scalar::uint32:
      return write_as<std::int32_t>(value, static_cast<std::int64_t>(number)), true;
    case Scalar::int64:
    case Scalar::uint64:
      return write_as<std::int64_t>(value, static_cast<std::int64_t>(number)), true;
    default:
      return false;
  }
}

/// A number of another type than the declared one, as C would pass it.
bool convert(Value& value, Scalar dtype, const Argument& argument) {
  if (argument.value_kind() == ParameterKind::floating)
    return argument.size_bytes() == sizeof(float)
               ? write_number(value, dtype, read_as<float>(argument))
               : write_number(value, dtype, read_as<double>(argument));
  if (argument.value_kind() != ParameterKind::integer) return false;
  switch (argument.size_bytes()) {
    case 1:
      return write_number(value, dtype, read_as<std::int8_t>(argument));
    case 2:
      return write_number(value, dtype, read_as<std::int16_t>(argument));
    case 4:
      return write_number(value, dtype, read_as<std::int32_t>(argument));
    default:
      return write_number(value, dtype, read_as<std::int64_t>(argument));
  }
}

ParameterKind kind_of(const DType& dtype) {
  if (dtype.is_integer()) return ParameterKind::integer;
  return dtype == Scalar::float32 || dtype == Scalar::float64 ? ParameterKind::floating
                                                              : ParameterKind::unknown;
}

}  // namespace

codegen::TypeNames type_names(const std::shared_ptr<device::Device>& device,
                              const std::vector<std::pair<std::string, DType>>& types,
                              const std::string& kernel) {
  if (device == nullptr) throw InvalidArgument(kernel + " needs a device");
  codegen::TypeNames names(codegen::dialect_of(device->info().language));
  for (const auto& [name, dtype] : types) names.prefer(name, dtype);
  return names;
}

std::vector<codegen::ParameterSpec> declared_parameters(std::string_view arguments,
                                                        const codegen::TypeNames& types,
                                                        const device::Device& device) {
  const bool has_addresses = codegen::dialect_of(device.info().language).has_addresses;
  return codegen::parse_parameters(
      arguments, types, has_addresses ? codegen::Offsets::none : codegen::Offsets::passed);
}

DeclaredArguments::DeclaredArguments(const std::vector<codegen::ParameterSpec>& parameters,
                                     std::string kernel)
    : parameters_(parameters),
      kernel_(std::move(kernel)),
      values_(parameters.size()),
      offsets_(parameters.size()) {
  all_.reserve(2 * parameters.size() + 8);
}

void DeclaredArguments::read(std::span<const Argument> arguments, const device::Device& device) {
  using codegen::ParameterSpec;
  if (arguments.size() != parameters_.size())
    throw InvalidArgument(kernel_ + " takes " + std::to_string(parameters_.size()) +
                              " arguments, and was given " + std::to_string(arguments.size()),
                          "pass one for each declaration");
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const ParameterSpec& parameter = parameters_[i];
    const bool is_memory = arguments[i].kind() == Argument::Kind::memory;
    if (is_memory != (parameter.kind != ParameterSpec::Kind::scalar))
      throw InvalidArgument(
          "argument " + std::to_string(i) + " (" + parameter.name + ") of " + kernel_ + " is " +
              (is_memory ? "memory, and declared a value" : "a value, and declared a pointer"),
          "pass a Buffer for a pointer and a number for a value");
    if (arguments[i].device() != nullptr && arguments[i].device() != &device)
      throw InvalidArgument("argument " + std::to_string(i) + " (" + parameter.name + ") of " +
                                kernel_ + " is memory of another device",
                            "copy it to " + device.info().id);
    const std::size_t size = parameter.dtype.size_bytes();
    if (parameter.kind == ParameterSpec::Kind::vector_with_offset) {
      offsets_[i] = static_cast<std::int64_t>(arguments[i].location().offset);
      all_.push_back(arguments[i].from_start());
      all_.emplace_back(offsets_[i]);
    } else if (is_memory || (arguments[i].size_bytes() == size &&
                             arguments[i].value_kind() == kind_of(parameter.dtype))) {
      all_.push_back(arguments[i]);
    } else if (convert(values_[i], parameter.dtype.scalar(), arguments[i])) {
      all_.emplace_back(values_[i].data(), size, kind_of(parameter.dtype));
    } else {
      all_.push_back(arguments[i]);  // a structure, or what the launch refuses
    }
  }
}

}  // namespace treadle::kernel
