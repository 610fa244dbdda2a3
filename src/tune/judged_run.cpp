// SPDX-License-Identifier: MIT
// The memory of a guarded run, an allocation for each array:
//
//   [ 4096 bytes 0xC3 | contents, or poison | 4096 bytes 0xC3 ]
#include "tune/judged_run.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"
#include "tune/numbers.hpp"

namespace treadle::tune {
namespace {

constexpr std::size_t zone_bytes = 4096;  // offsets into memory stay aligned
constexpr std::byte guard{0xC3};

struct Memory {
  memory::Buffer whole, array;
};

bool is_written_first(const JudgedArray& array) {
  return array.use == JudgedUse::output || array.use == JudgedUse::scratch;
}

Memory allocate(const std::shared_ptr<device::Device>& device, const JudgedArray& array,
                const RunOptions& options) {
  const std::size_t size = array.before.size();
  if (options.zones == Zones::none) {
    memory::Buffer made(device, size);
    if (!is_written_first(array)) made.copy_from(array.before);
    return {made, made};
  }
  std::vector<std::byte> bytes(size + 2 * zone_bytes, guard);
  const auto begin = bytes.begin() + zone_bytes;
  if (is_written_first(array))
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(size), options.poison);
  else
    std::ranges::copy(array.before, begin);
  memory::Buffer made(device, bytes);
  return {made, made.slice(zone_bytes, size)};
}

/// What was written beside the array; empty: nothing.
std::string written_beyond(std::span<const std::byte> whole, const std::string& name) {
  const std::size_t size = whole.size() - 2 * zone_bytes;
  std::size_t before = 0, behind = 0, first = 0;
  for (std::size_t k = 0; k < zone_bytes; ++k) {
    if (whole[zone_bytes - 1 - k] != guard) before = k + 1;
    if (whole[zone_bytes + size + k] != guard && behind++ == 0) first = k;
  }
  if (before > 0) return "writes up to " + std::to_string(before) + " bytes before '" + name + "'";
  if (behind == 0) return {};
  return "writes " + std::to_string(behind) + " bytes behind the " + std::to_string(size) +
         " of '" + name + "', from byte " + std::to_string(size + first) + " on";
}

/// An argument's bytes by the dtype of its parameter.
std::vector<std::byte> value_bytes(Scalar dtype, const Value& value) {
  double number = 0;
  if (const auto* truth = std::get_if<bool>(&value)) number = *truth ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) number = *real;
  const double parts[] = {number, 0};
  const bool is_complex = DType(dtype).kind() == ScalarKind::complex;
  return bytes_of({parts, is_complex ? 2u : 1u}, dtype);
}

/// Of a parameter that is no pointer.
std::vector<std::byte> value_bytes(const JudgedParameter& parameter,
                                   const std::map<std::string, Value>& values) {
  const JudgedType& type = parameter.type;
  if (type.parts.empty()) return value_bytes(type.dtype, values.at(parameter.name));
  std::vector<std::byte> made(type.size_bytes);
  for (const JudgedPart& part : type.parts)
    std::ranges::copy(value_bytes(part.dtype, values.at(parameter.name + "." + part.name)),
                      made.begin() + static_cast<std::ptrdiff_t>(part.offset));
  return made;
}

}  // namespace

RunResult run_case(const std::shared_ptr<device::Device>& device, const device::Kernel& kernel,
                   const KernelSubject& subject, const JudgedCase& run, const RunOptions& options) {
  std::map<std::string, Memory> memories;
  for (const JudgedArray& array : run.arrays)
    if (array.name != options.output || options.output.empty())
      memories.emplace(array.name, allocate(device, array, options));
  if (!options.output.empty()) memories.emplace(options.output, memories.at(options.input));
  std::vector<std::vector<std::byte>> values;  // arguments are views of them
  std::vector<device::Argument> arguments;
  values.reserve(subject.parameters().size());
  for (const JudgedParameter& each : subject.parameters()) {
    if (each.is_pointer) {
      arguments.emplace_back(memories.at(each.name).array);
      continue;
    }
    values.push_back(value_bytes(each, run.values));
    const bool is_real = default_tolerance(each.type.dtype) > 0;
    arguments.emplace_back(values.back().data(), values.back().size(),
                           !each.type.parts.empty() ? device::ParameterKind::unknown
                           : is_real                ? device::ParameterKind::floating
                                                    : device::ParameterKind::integer);
  }
  const auto stream = device->default_stream();
  stream->launch_arguments(kernel, subject.shape(run.values), arguments);
  stream->synchronize();
  RunResult result;
  for (const auto& [name, memory] : memories) {
    std::vector<std::byte> whole(memory.whole.size_bytes());
    memory.whole.copy_to(whole);
    if (options.zones == Zones::guarded) {
      if (result.beyond.empty()) result.beyond = written_beyond(whole, name);
      whole = {whole.begin() + zone_bytes, whole.end() - zone_bytes};
    }
    result.after.emplace(name, std::move(whole));
  }
  return result;
}

}  // namespace treadle::tune
