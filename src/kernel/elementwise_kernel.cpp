// SPDX-License-Identifier: MIT
#include "treadle/kernel/elementwise_kernel.hpp"

#include <array>
#include <cstring>

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/device/event.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::kernel {
namespace {

using Value = std::array<std::byte, 16>;
using codegen::ParameterSpec;
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

codegen::TypeNames names_of(const device::Device& device, const ElementwiseOptions& options) {
  codegen::TypeNames types(codegen::dialect_of(device.info().language));
  for (const auto& [name, dtype] : options.types) types.add(name, dtype);
  return types;
}

const std::shared_ptr<device::Device>& there(const std::shared_ptr<device::Device>& device) {
  if (device == nullptr) throw InvalidArgument("an ElementwiseKernel needs a device");
  return device;
}

}  // namespace

std::uint64_t ElementRange::count() const {
  if (step == 0) throw InvalidArgument("the step of a range of elements is 0");
  const std::int64_t span = step > 0 ? stop - start : start - stop;
  if (span <= 0) return 0;
  const auto length = static_cast<std::uint64_t>(step > 0 ? step : -step);
  return (static_cast<std::uint64_t>(span) + length - 1) / length;
}

ElementwiseKernel::ElementwiseKernel(std::shared_ptr<device::Device> device,
                                     std::string_view arguments, std::string operation,
                                     ElementwiseOptions options)
    : device_(there(device)),
      types_(names_of(*device_, options)),
      flags_(std::move(options.flags)),
      schedule_(options.schedule.value_or(device_->info().traits.schedule)) {
  const bool has_addresses = codegen::dialect_of(device_->info().language).has_addresses;
  snippet_.parameters = codegen::parse_parameters(
      arguments, types_, has_addresses ? codegen::Offsets::none : codegen::Offsets::passed);
  snippet_.operation = std::move(operation);
  snippet_.name = std::move(options.name);
  snippet_.preamble = std::move(options.preamble);
  snippet_.loop_prep = std::move(options.loop_prep);
  snippet_.after_loop = std::move(options.after_loop);
}

codegen::SnippetText ElementwiseKernel::generate(bool has_range) const {
  codegen::Snippet snippet = snippet_;
  snippet.has_range = has_range;
  return codegen::generate_snippet(snippet, codegen::tiling_of(schedule_),
                                   codegen::dialect_of(device_->info().language), types_);
}

const ElementwiseKernel::Form& ElementwiseKernel::form(bool has_range) {
  const std::lock_guard lock(mutex_);
  std::optional<Form>& form = forms_[has_range ? 1 : 0];
  if (!form) {
    const codegen::SnippetText made = generate(has_range);
    const Program program(device_, made.text, {.flags = flags_, .source_name = snippet_.name});
    form.emplace(Form{program.kernel(snippet_.name), made.group_size, made.group_length});
  }
  return *form;
}

void ElementwiseKernel::launch_arguments(device::Stream& stream, std::uint64_t n,
                                         std::span<const Argument> arguments,
                                         const device::Order& order) {
  const std::int64_t own[] = {static_cast<std::int64_t>(n)};
  run(stream, n, own, arguments, order);
}

void ElementwiseKernel::launch_arguments(device::Stream& stream, const ElementRange& range,
                                         std::span<const Argument> arguments,
                                         const device::Order& order) {
  const std::int64_t own[] = {range.start, range.stop, range.step};
  run(stream, range.count(), own, arguments, order);
}

void ElementwiseKernel::run(device::Stream& stream, std::uint64_t count,
                            std::span<const std::int64_t> own, std::span<const Argument> arguments,
                            const device::Order& order) {
  const auto& parameters = snippet_.parameters;
  if (arguments.size() != parameters.size())
    throw InvalidArgument("elementwise kernel " + snippet_.name + " takes " +
                              std::to_string(parameters.size()) + " arguments, and was given " +
                              std::to_string(arguments.size()),
                          "pass one for each declaration");
  std::vector<Value> values(parameters.size());  // what arguments are views of
  std::vector<std::int64_t> offsets(parameters.size());
  std::vector<Argument> all;
  all.reserve(2 * parameters.size() + own.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ParameterSpec& parameter = parameters[i];
    const bool is_memory = arguments[i].kind() == Argument::Kind::memory;
    if (is_memory != (parameter.kind != ParameterSpec::Kind::scalar))
      throw InvalidArgument(
          "argument " + std::to_string(i) + " (" + parameter.name + ") of elementwise kernel " +
              snippet_.name + " is " +
              (is_memory ? "memory, and declared a value" : "a value, and declared a pointer"),
          "pass a Buffer for a pointer and a number for a value");
    if (arguments[i].device() != nullptr && arguments[i].device() != device_.get())
      throw InvalidArgument("argument " + std::to_string(i) + " (" + parameter.name +
                                ") of elementwise kernel " + snippet_.name +
                                " is memory of another device",
                            "copy it to " + device_->info().id);
    const std::size_t size = parameter.dtype.size_bytes();
    if (parameter.kind == ParameterSpec::Kind::vector_with_offset) {
      offsets[i] = static_cast<std::int64_t>(arguments[i].location().offset);
      all.emplace_back(device::Location{arguments[i].location().handle, 0});
      all.emplace_back(offsets[i]);
    } else if (is_memory || (arguments[i].size_bytes() == size &&
                             arguments[i].value_kind() == kind_of(parameter.dtype))) {
      all.push_back(arguments[i]);
    } else if (convert(values[i], parameter.dtype.scalar(), arguments[i])) {
      all.emplace_back(values[i].data(), size, kind_of(parameter.dtype));
    } else {
      all.push_back(arguments[i]);  // a structure, or what the launch refuses
    }
  }
  for (const std::int64_t& number : own) all.emplace_back(number);
  const Form& compiled = form(own.size() > 1);
  const std::uint64_t groups = count / compiled.group_length + (count % compiled.group_length != 0);
  stream.launch_arguments(
      compiled.kernel, {.groups = static_cast<unsigned>(groups), .group_size = compiled.group_size},
      all, order);
}

}  // namespace treadle::kernel
