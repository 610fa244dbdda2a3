// SPDX-License-Identifier: MIT
// Languages as arguments: a treadle.Language, or the name of a language.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <optional>
#include <string>
#include <variant>

#include "treadle/base/language.hpp"

namespace treadle::bindings {

using LanguageArgument = std::variant<Language, std::string>;

/// Throws InvalidArgument for a name that is no language.
inline Language language_of(const LanguageArgument& given) {
  const auto* const name = std::get_if<std::string>(&given);
  return name != nullptr ? language_named(*name) : std::get<Language>(given);
}
inline std::optional<Language> language_of(const std::optional<LanguageArgument>& given) {
  return given ? std::optional(language_of(*given)) : std::nullopt;
}

}  // namespace treadle::bindings
