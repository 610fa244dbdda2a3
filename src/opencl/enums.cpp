// SPDX-License-Identifier: MIT
#include "treadle/opencl/enums.hpp"

#include <algorithm>

namespace treadle::opencl {
namespace {

#define TREADLE_ENUM_GROUP(type, python, form) constexpr EnumValue values_of_##type[] = {
#define TREADLE_ENUM(name, python, macro, value) {#python, value},
#define TREADLE_ENUM_END(type) \
  }                            \
  ;
#include "treadle/opencl/enums.def"

// In "bits" or "values" as the list says.
constexpr bool bits = true, values = false;

constexpr EnumGroup groups[] = {
#define TREADLE_ENUM_GROUP(type, python, form) {#python, form, values_of_##type},
#define TREADLE_ENUM(name, python, macro, value)
#define TREADLE_ENUM_END(type)
#include "treadle/opencl/enums.def"
};

}  // namespace

std::span<const EnumGroup> enum_groups() noexcept { return groups; }

std::string_view enum_name(std::string_view group, std::int64_t value) noexcept {
  const auto* found = std::ranges::find(groups, group, &EnumGroup::name);
  if (found == std::end(groups)) return {};
  const auto entry = std::ranges::find(found->values, value, &EnumValue::value);
  return entry != found->values.end() ? entry->name : std::string_view{};
}

}  // namespace treadle::opencl
