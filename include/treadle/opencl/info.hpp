// SPDX-License-Identifier: MIT
// What objects tell about themselves: `device.get<DeviceInfo::max_work_group_size>()`, or
// `device.info(parameter)` for parameters known only at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "treadle/opencl/enums.hpp"
#include "treadle/opencl/raw.hpp"

namespace treadle::opencl {

/// A version as the standard numbers them: {3, 0}.
struct Version {
  int major, minor;  ///< 3 and 0 of "OpenCL 3.0"
  auto operator<=>(const Version&) const = default;
};

/// cl_name_version: an extension, built-in kernel or feature with its packed version (10 bits
/// major, 10 minor, 12 patch).
struct NameVersion {
  std::uint32_t version;  ///< packed
  std::string name;       ///< without the final NUL
  bool operator==(const NameVersion&) const = default;
};

/// The form of an answer.
enum class InfoKind {
  number,    ///< an unsigned integer of any width, bit fields and enumerations included
  integer,   ///< signed: a status
  boolean,   ///< cl_bool
  text,      ///< without the final NUL
  numbers,   ///< of 64 bits each: sizes, properties
  numbers4,  ///< of 32 bits each
  names,     ///< cl_name_version
  bytes,     ///< a structure, or code
  binaries,  ///< one for each device of a program
  platform,
  device,  ///< null where there is none
  devices,
  context,
  queue,  ///< null where there is none
  program,
  memory,  ///< null where there is none
};

/// Binaries of programs, and structures that the standard leaves to platforms.
using Bytes = std::vector<std::byte>;
/// An answer. Objects are raw handles without a reference of their own: wrap them with
/// Ownership::retain while the object they were queried from lives.
using InfoValue =
    std::variant<std::uint64_t, std::int64_t, bool, std::string, std::vector<std::uint64_t>,
                 std::vector<NameVersion>, Bytes, std::vector<Bytes>, RawPlatform, RawDevice,
                 std::vector<RawDevice>, RawContext, RawQueue, RawProgram, RawMemory>;

/// One line of info.def.
struct InfoParameter {
  std::string_view group;  ///< the C++ enumeration: "DeviceInfo"
  std::string_view name;   ///< the enumerator: "max_work_group_size"
  std::int64_t code;       ///< as CL/cl.h has it
  InfoKind kind;           ///< what the answer is
  std::string_view since;  ///< "1.2", or the extension that brought it
};

/// info.def as a table; info_parameters() is how to ask for it.
inline constexpr InfoParameter info_parameter_list[] = {
#define TREADLE_INFO(group, name, kind, since) \
  {#group, #name, static_cast<std::int64_t>(group::name), InfoKind::kind, since},
#include "treadle/opencl/info.def"
};
/// Every parameter of every kind of object.
constexpr std::span<const InfoParameter> info_parameters() noexcept { return info_parameter_list; }

/// The parameter of `group` ("DeviceInfo") with this code; null if no list has it.
constexpr const InfoParameter* find_info(std::string_view group, std::int64_t code) noexcept {
  for (const InfoParameter& parameter : info_parameter_list)
    if (parameter.code == code && parameter.group == group) return &parameter;
  return nullptr;
}

/// The name of an enumeration as info.def has it.
template <class Group>
inline constexpr std::string_view group_name = {};
#define TREADLE_ENUM_GROUP(type, python, form) \
  template <>                                  \
  inline constexpr std::string_view group_name<type> = #type;
#define TREADLE_ENUM(name, python, macro, value)
#define TREADLE_ENUM_END(type)
#include "treadle/opencl/enums.def"

/// Which alternative of InfoValue a kind's answers are.
constexpr std::size_t info_alternative(InfoKind kind) noexcept {
  switch (kind) {
    case InfoKind::number:
      return 0;
    case InfoKind::integer:
      return 1;
    case InfoKind::boolean:
      return 2;
    case InfoKind::text:
      return 3;
    case InfoKind::numbers:
    case InfoKind::numbers4:
      return 4;
    case InfoKind::names:
      return 5;
    case InfoKind::bytes:
      return 6;
    case InfoKind::binaries:
      return 7;
    case InfoKind::platform:
      return 8;
    case InfoKind::device:
      return 9;
    case InfoKind::devices:
      return 10;
    case InfoKind::context:
      return 11;
    case InfoKind::queue:
      return 12;
    case InfoKind::program:
      return 13;
    case InfoKind::memory:
      return 14;
  }
  return 0;
}
/// The type of the answer to one parameter: InfoType<DeviceInfo::name> is std::string.
template <auto Parameter>
using InfoType = std::variant_alternative_t<
    info_alternative(
        find_info(group_name<decltype(Parameter)>, static_cast<std::int64_t>(Parameter))->kind),
    InfoValue>;

/// Gives a class with `InfoValue info(Group) const` the typed question.
template <class Self, class Group>
class Queries {
 public:
  /// Throws as info(): DeviceError CL_INVALID_VALUE where the platform does not know the parameter.
  template <Group Parameter>
  InfoType<Parameter> get() const {
    return std::get<InfoType<Parameter>>(static_cast<const Self&>(*this).info(Parameter));
  }
};

}  // namespace treadle::opencl
