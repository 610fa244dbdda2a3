// SPDX-License-Identifier: MIT
// OpenCL's constants as enumerations: DeviceType::gpu, MemFlags::read_only |
// MemFlags::copy_host_ptr. enums.def lists them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace treadle::opencl {

namespace enum_form {
using bits = std::uint64_t;   ///< of groups whose members are combined with |
using values = std::int32_t;  ///< of groups whose members exclude each other; statuses are negative
}  // namespace enum_form

#define TREADLE_ENUM_GROUP(type, python, form) enum class type : enum_form::form {
#define TREADLE_ENUM(name, python, macro, value) name = value,
#define TREADLE_ENUM_END(type) \
  }                            \
  ;
#include "treadle/opencl/enums.def"

/// Whether the members of a group are combined with |.
template <class Enum>
concept BitGroup =
    std::is_enum_v<Enum> && std::is_same_v<std::underlying_type_t<Enum>, enum_form::bits>;

/// The bits of both.
template <BitGroup Enum>
constexpr Enum operator|(Enum a, Enum b) noexcept {
  return static_cast<Enum>(static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b));
}
/// The bits that both have.
template <BitGroup Enum>
constexpr Enum operator&(Enum a, Enum b) noexcept {
  return static_cast<Enum>(static_cast<std::uint64_t>(a) & static_cast<std::uint64_t>(b));
}
/// Whether `value` has all the bits of `wanted`.
template <BitGroup Enum>
constexpr bool has(Enum value, Enum wanted) noexcept {
  return (value & wanted) == wanted;
}

/// One constant under its name in OpenCL, without the group's prefix: {"COPY_HOST_PTR", 32}.
struct EnumValue {
  std::string_view name;  ///< valid as long as the process
  std::int64_t value;     ///< as CL/cl.h has it
};
/// One group as PyOpenCL names it: "mem_flags". Aliases share a value; the first is the usual name.
struct EnumGroup {
  std::string_view name;              ///< valid as long as the process
  bool is_bitfield;                   ///< whether values are combined with |
  std::span<const EnumValue> values;  ///< in the order of enums.def
};
/// Every group of enums.def, by name.
std::span<const EnumGroup> enum_groups() noexcept;
/// The first name that `value` has in the group, "OUT_OF_HOST_MEMORY"; empty if it has none.
std::string_view enum_name(std::string_view group, std::int64_t value) noexcept;

}  // namespace treadle::opencl
