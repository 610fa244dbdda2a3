// SPDX-License-Identifier: MIT
#include "opencl/query.hpp"

#include <algorithm>
#include <cstring>

namespace treadle::opencl {
namespace {

// Platforms return some numbers in another width than the standard says; the size shows which.
std::uint64_t unsigned_number(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));  // little-endian
  return value;
}

std::int64_t signed_number(std::span<const std::byte> bytes) {
  if (bytes.size() == sizeof(std::int32_t)) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  return static_cast<std::int64_t>(unsigned_number(bytes));
}

std::string text(std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const char*>(bytes.data());
  return {first, std::find(first, first + bytes.size(), '\0')};
}

template <class Element, class Value = Element>
std::vector<Value> list(std::span<const std::byte> bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Element));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Element element;
    std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
    values[i] = element;
  }
  return values;
}

std::vector<NameVersion> names(std::span<const std::byte> bytes) {
  std::vector<NameVersion> values;
  for (const cl_name_version& entry : list<cl_name_version>(bytes)) {
    const auto* end = std::find(std::begin(entry.name), std::end(entry.name), '\0');
    values.push_back({entry.version, {std::begin(entry.name), end}});
  }
  return values;
}

template <class Raw>
Raw object(std::span<const std::byte> bytes) {
  Raw raw = nullptr;
  if (bytes.size() >= sizeof raw) std::memcpy(&raw, bytes.data(), sizeof raw);
  return raw;
}

}  // namespace

InfoValue decode(InfoKind kind, std::span<const std::byte> bytes) {
  switch (kind) {
    case InfoKind::number:
      return unsigned_number(bytes);
    case InfoKind::integer:
      return signed_number(bytes);
    case InfoKind::boolean:
      return unsigned_number(bytes) != 0;
    case InfoKind::text:
      return text(bytes);
    case InfoKind::numbers:
      return list<std::uint64_t>(bytes);
    case InfoKind::numbers4:
      return list<std::uint32_t, std::uint64_t>(bytes);
    case InfoKind::names:
      return names(bytes);
    case InfoKind::binaries:  // asked for by Program alone, which knows their sizes
    case InfoKind::bytes:
      return Bytes(bytes.begin(), bytes.end());
    case InfoKind::platform:
      return object<RawPlatform>(bytes);
    case InfoKind::device:
      return object<RawDevice>(bytes);
    case InfoKind::devices:
      return list<RawDevice>(bytes);
    case InfoKind::context:
      return object<RawContext>(bytes);
    case InfoKind::queue:
      return object<RawQueue>(bytes);
    case InfoKind::program:
      return object<RawProgram>(bytes);
    case InfoKind::memory:
      return object<RawMemory>(bytes);
  }
  return Bytes(bytes.begin(), bytes.end());
}

const InfoParameter& known_parameter(const Table& table, const char* call, std::string_view group,
                                     std::int64_t code) {
  const InfoParameter* known = find_info(group, code);
  if (known == nullptr)
    raise(table, CL_INVALID_VALUE, call,
          std::string(group) + " has no parameter of number " + std::to_string(code));
  return *known;
}

std::string platform_text(const Table& table) {
  const auto ask = [&](cl_platform_info parameter) -> std::string {
    char buffer[256] = "";
    const int code =
        table.clGetPlatformInfo(table.platform, parameter, sizeof buffer, buffer, nullptr);
    return code == CL_SUCCESS ? buffer : "unknown";
  };
  return ask(CL_PLATFORM_NAME) + " (" + ask(CL_PLATFORM_VERSION) + ")";
}

}  // namespace treadle::opencl
