// SPDX-License-Identifier: MIT
// Values in the place of keys in a text: the simplest templates.
//
//     TextWithLines text = replace_keys("y[i] = %(a)s * x[i];\n", {{"a", 2.0f}});
//     Program program(device, text);
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "treadle/base/dtype.hpp"
#include "treadle/base/language.hpp"
#include "treadle/codegen/text_with_lines.hpp"

namespace treadle::codegen {

/// How keys stand in a text: `%(name)s` with `%%` for a per cent sign, `$name` or `${name}` with
/// `$$`, or `{{name}}`.
enum class KeyStyle { percent, dollar, braces };

/// What stands in the place of a key.
class KeyValue {
 public:
  // Implicit: a value is written as what it is.
  /// Text as it is.
  KeyValue(std::string text) : text_(std::move(text)) {}
  KeyValue(const char* text) : text_(text) {}
  /// A whole number's digits, of any length.
  KeyValue(std::string digits, bool is_integer)
      : text_(std::move(digits)), is_integer_(is_integer) {}
  /// A number in decimal.
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool> && !std::same_as<Integer, char>)
  KeyValue(Integer value) : text_(std::to_string(value)), is_integer_(true) {}
  /// A number that is read again as the same, with the suffix of its type.
  KeyValue(float value);
  KeyValue(double value);
  /// A type, which each language has its own name for.
  KeyValue(Scalar dtype) : dtype_(dtype) {}

  /// As it is written in a language; null: as C++ has it.
  std::string text(std::optional<Language> language) const;
  bool is_dtype() const noexcept { return dtype_.has_value(); }
  /// Whether it is a number.
  bool is_constant() const noexcept { return is_integer_ || is_real_; }
  /// Whether it is a whole number above zero.
  bool is_count() const noexcept { return is_integer_ && text_[0] != '-' && text_ != "0"; }

 private:
  std::string text_;
  std::optional<Scalar> dtype_;
  bool is_integer_ = false, is_real_ = false;
};

/// What may stand in the place of a key: anything, a type, a number, or how often a loop is
/// unrolled.
enum class Hole { any, dtype, constant, unroll_count };

/// How keys are replaced.
struct KeyOptions {
  KeyStyle style = KeyStyle::percent;
  std::optional<Language> language = {};  ///< which names of types are written
  Position begin = {};                    ///< where the text's first line comes from
  /// What the values of some keys have to be.
  std::map<std::string, Hole, std::less<>> holes = {};
};

/// The text with every key replaced. Its lines are those of the text that they come from. Throws
/// InvalidArgument naming keys without a value and values without a key, with their lines, keys
/// that are not closed, and values that do not fit their hole.
TextWithLines replace_keys(std::string_view text,
                           const std::map<std::string, KeyValue, std::less<>>& values,
                           const KeyOptions& options = {});

}  // namespace treadle::codegen
