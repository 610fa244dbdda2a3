// SPDX-License-Identifier: MIT
#include "treadle/kernel/declared_arguments.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::kernel {
namespace {

using Value = std::array<std::byte, 16>;
using codegen::ParameterSpec;
using device::Argument;
using device::ParameterKind;

bool is_number_of_bits(const DType& dtype) {
  return dtype.is_integer() || dtype.kind() == ScalarKind::boolean;
}

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

/// Stores the number with the declared dtype in `value`; false if `dtype` is not a number.
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

/// Converts a number to the declared type, as C would.
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

std::vector<ParameterSpec> declared_parameters(std::string_view arguments,
                                               const codegen::TypeNames& types,
                                               const device::Device& device) {
  const bool has_addresses = codegen::dialect_of(device.info().language).has_addresses;
  return codegen::parse_parameters(
      arguments, types, has_addresses ? codegen::Offsets::none : codegen::Offsets::passed);
}

bool may_point_to(const DType& declared, const DType& given) {
  if (declared.kind() == ScalarKind::structure || given.kind() == ScalarKind::structure ||
      declared == given)
    return true;
  const std::size_t size = declared.size_bytes();
  if (size == 1 && declared.is_integer()) return true;
  if (given.kind() == ScalarKind::complex)
    return declared.kind() == ScalarKind::floating && 2 * size == given.size_bytes();
  if (size != given.size_bytes()) return false;
  if (is_number_of_bits(declared) && is_number_of_bits(given)) return true;
  const bool sees_bits =
      declared.kind() == ScalarKind::unsigned_integer && given.kind() == ScalarKind::floating;
  return declared.kind() == given.kind() || sees_bits || given == Scalar::float16;
}

std::vector<ElementUse> element_uses(const std::vector<ParameterSpec>& parameters,
                                     const std::vector<std::string>& texts,
                                     std::string_view preamble) {
  std::vector<ElementUse> uses;
  for (const ParameterSpec& parameter : parameters) {
    const bool is_used = parameter.kind != ParameterSpec::Kind::scalar &&
                         std::ranges::any_of(texts, [&](const std::string& text) {
                           return codegen::uses_element(text, preamble, parameter.name);
                         });
    uses.push_back(is_used ? ElementUse::every : ElementUse::unknown);
  }
  return uses;
}

std::vector<ElementUse> element_uses(const codegen::Snippet& snippet) {
  std::vector<ElementUse> uses;
  for (const bool is_used : codegen::uses_every_element(snippet))
    uses.push_back(is_used ? ElementUse::every : ElementUse::unknown);
  return uses;
}

void make_one_for_one(std::vector<ElementUse>& uses, const std::vector<ParameterSpec>& parameters,
                      const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (parameters[i].kind != ParameterSpec::Kind::scalar &&
        std::ranges::any_of(texts, [&](const std::string& text) {
          return codegen::mentions_element(text, parameters[i].name);
        }))
      uses[i] = ElementUse::one_for_one;
}

DeclaredArguments::DeclaredArguments(std::vector<ParameterSpec> parameters, std::string kernel,
                                     std::vector<ElementUse> uses)
    : parameters_(std::move(parameters)), kernel_(std::move(kernel)), uses_(std::move(uses)) {}

std::string DeclaredArguments::named(std::size_t i) const {
  return "argument " + std::to_string(i) + " (" + parameters_[i].name + ") of " + kernel_;
}

void DeclaredArguments::check_kind(std::size_t i, const UserArgument& argument,
                                   const device::Device* device) const {
  const bool is_memory = argument.kind() == Argument::Kind::memory;
  if (is_memory != (parameters_[i].kind != ParameterSpec::Kind::scalar))
    throw InvalidArgument(
        named(i) + " is " +
            (is_memory ? "memory, and declared a value" : "a value, and declared a pointer"),
        "pass a Buffer or an array for a pointer and a number for a value");
  if (device != nullptr && argument.device() != nullptr && argument.device() != device)
    throw InvalidArgument(named(i) + " is memory of another device",
                          "copy it to " + device->info().id);
}

void DeclaredArguments::check_extent(std::size_t i, std::int64_t size, std::int64_t item,
                                     const Indices& indices) const {
  const std::int64_t high = indices.high - (uses_[i] == ElementUse::all_but_last ? 1 : 0);
  const auto declared = static_cast<std::int64_t>(parameters_[i].dtype.size_bytes());
  if (declared == 0 || indices.low > high) return;
  const std::int64_t there = size * item / declared;
  if (indices.low >= 0 && there > high) return;
  const std::string of = declared == item ? "" : " of " + std::to_string(declared) + " bytes";
  throw InvalidArgument(named(i) + " has " + std::to_string(there) + " elements" + of +
                            "; the kernel uses " + parameters_[i].name + "[" +
                            std::to_string(there <= high ? high : indices.low) + "]",
                        "pass an array that has an element for every index");
}

void DeclaredArguments::check_elements(std::size_t i, const UserArgument& argument,
                                       const Indices& indices) const {
  const UserArgument::Elements& there = argument.elements();
  const DType& declared = parameters_[i].dtype;
  if (!there.in_c_order && !there.in_fortran_order)
    throw NotSupported(named(i) + " has gaps between its elements: it is non-contiguous",
                       "1 * x is one without");
  if (there.dtype != nullptr) {
    const bool is_alike =
        may_point_to(declared, *there.dtype) &&
        (uses_[i] != ElementUse::one_for_one || declared.size_bytes() == there.dtype->size_bytes());
    if (!is_alike)
      throw DTypeError(named(i) + " is declared to point to " + declared.name() +
                           ", and the array is of " + there.dtype->name() +
                           ": astype() converts it, and view() takes its bits",
                       "pass an array of " + declared.name());
  }
  if (uses_[i] == ElementUse::unknown || there.size < 0) return;
  const std::size_t item = there.dtype == nullptr ? 1 : there.dtype->size_bytes();
  check_extent(i, there.size, static_cast<std::int64_t>(item), indices);
}

void DeclaredArguments::check(std::span<const UserArgument> arguments, const Indices& indices,
                              const device::Device* device) const {
  if (arguments.size() != parameters_.size())
    throw InvalidArgument(kernel_ + " takes " + std::to_string(parameters_.size()) +
                              " arguments, and was given " + std::to_string(arguments.size()),
                          "pass one for each declaration");
  const bool has_indices = indices.low <= indices.high;
  bool is_c = false, is_fortran = false;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    check_kind(i, arguments[i], device);
    if (!has_indices || parameters_[i].kind == ParameterSpec::Kind::scalar) continue;
    check_elements(i, arguments[i], indices);
    const UserArgument::Elements& there = arguments[i].elements();
    if (uses_[i] == ElementUse::unknown || there.size < 2 ||
        there.in_c_order == there.in_fortran_order)
      continue;
    (there.in_c_order ? is_c : is_fortran) = true;
  }
  if (is_c && is_fortran)
    throw InvalidArgument("arguments of " + kernel_ +
                              " are in C order and in Fortran order: their elements at one place "
                              "in memory do not belong together",
                          "copy some in the order of the others");
}

ReadArguments DeclaredArguments::read(std::span<const UserArgument> arguments,
                                      const Indices& indices, const device::Device& device) const {
  check(arguments, indices, &device);
  ReadArguments read;
  read.values_.reset(new Value[parameters_.size()]);
  read.all_.reserve(2 * parameters_.size() + 8);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const ParameterSpec& parameter = parameters_[i];
    const UserArgument& argument = arguments[i];
    Value& value = read.values_[i];
    const std::size_t size = parameter.dtype.size_bytes();
    if (parameter.kind == ParameterSpec::Kind::vector_with_offset) {
      const std::uint64_t offset = argument.location().offset;
      std::memcpy(value.data(), &offset, sizeof offset);
      read.all_.push_back(argument.from_start());
      read.all_.emplace_back(value.data(), sizeof offset, ParameterKind::integer);
    } else if (parameter.kind == ParameterSpec::Kind::vector ||
               (argument.size_bytes() == size &&
                argument.value_kind() == kind_of(parameter.dtype))) {
      read.all_.push_back(argument);
    } else if (convert(value, parameter.dtype.scalar(), argument)) {
      read.all_.emplace_back(value.data(), size, kind_of(parameter.dtype));
    } else {
      read.all_.push_back(argument);  // a structure, or an argument that the launch will refuse
    }
  }
  return read;
}

}  // namespace treadle::kernel
