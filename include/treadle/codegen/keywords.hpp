// SPDX-License-Identifier: MIT
// Replaces keys in a text by values: the simplest kind of template.
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

/// The syntax of keys: `%(name)s`, with `%%` for a per cent sign; `$name` or `${name}`, with `$$`
/// for a dollar sign; or `{{name}}`.
enum class KeyStyle { percent, dollar, braces };

/// The value of a key.
class KeyValue {
 public:
  // Implicit, so that a caller writes the value itself.
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
  /// A number with the suffix of its type, which compilers read as the same number.
  KeyValue(float value);
  KeyValue(double value);
  /// A type, which is written in the language of the text.
  KeyValue(Scalar dtype) : dtype_(dtype) {}

  /// The value's text in a language; null: in C++.
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

/// The kinds of value that a key may take: anything, a type, a number, or the unroll count of a
/// loop.
enum class Hole { any, dtype, constant, unroll_count };

/// How keys are replaced.
struct KeyOptions {
  KeyStyle style = KeyStyle::percent;
  std::optional<Language> language = {};  ///< the language in which types are written
  Position begin = {};                    ///< the place where the text's first line stands
  /// The kinds of value of some keys.
  std::map<std::string, Hole, std::less<>> holes = {};
};

/// Replaces every key of a text. Each line of the result keeps its place in the original text.
/// Throws InvalidArgument, with the line, for a key without a value, a value without a key, a key
/// without its end, and a value of the wrong kind.
TextWithLines replace_keys(std::string_view text,
                           const std::map<std::string, KeyValue, std::less<>>& values,
                           const KeyOptions& options = {});

}  // namespace treadle::codegen
