// SPDX-License-Identifier: MIT
#include "opencl/local_variables.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/characters.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/dtype.hpp"

namespace treadle::opencl {
namespace {

using Words = std::vector<std::string_view>;
using Part = std::span<const std::string_view>;
using Count = std::optional<std::uint64_t>;  // none: not understood

/// Names, numbers and single other characters.
Words local_words(std::string_view text) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at == begin) ++at;
    if (!is_blank(text[begin]) && text[begin] != '\\')
      words.push_back(text.substr(begin, at - begin));
  }
  return words;
}

/// What is left of a text without directives and what #if decides, and the macros without
/// parameters that have one meaning throughout.
class PlainText {
 public:
  PlainText(std::string_view text, std::string_view options)
      : options_(options), clean_(without_comments(text)) {
    const std::string_view all = clean_;
    for (std::size_t at = 0; at < all.size();) {
      std::size_t end = std::min(all.find('\n', at), all.size());
      const std::size_t first = all.find_first_not_of(" \t", at);
      const bool is_directive = first < end && all[first] == '#';
      while (is_directive && end < all.size() && all[end - 1] == '\\')
        end = std::min(all.find('\n', end + 1), all.size());
      const std::string_view line = all.substr(at, end - at);
      if (is_directive)
        take_directive(local_words(line));
      else if (depth_ == 0)
        rest_.append(line).append("\n");
      at = end + 1;
    }
    take_options();
  }
  const std::string& rest() const { return rest_; }
  /// Null for what is no macro, or has several meanings.
  const Words* meaning(std::string_view name) const {
    const auto found = macros_.find(name);
    return found != macros_.end() && found->second ? &*found->second : nullptr;
  }

 private:
  void take_directive(const Words& words) {
    if (words.size() < 2) return;
    const std::string_view what = words[1];
    if (what.starts_with("if")) ++depth_;
    if (what == "endif") --depth_;
    if (words.size() < 3 || (what != "define" && what != "undef")) return;
    const std::string_view name = words[2];
    // With parameters, the bracket follows the name at once.
    const bool is_call =
        words.size() > 3 && words[3] == "(" && words[3].data() == name.data() + name.size();
    const bool is_one = what == "define" && depth_ == 0 && !is_call && !macros_.contains(name);
    macros_[name] = is_one ? std::optional(Words(words.begin() + 3, words.end())) : std::nullopt;
  }
  /// What -D defines is what a text that defines it, too, defines where it is not defined.
  void take_options() {
    const std::string_view all = options_;
    for (std::size_t at = all.find("-D"); at != std::string_view::npos; at = all.find("-D", at)) {
      at = std::min(all.find_first_not_of(" \t", at + 2), all.size());
      const std::size_t end = std::min(all.find_first_of(" \t", at), all.size());
      const std::string_view word = all.substr(at, end - at);
      const std::size_t equals = std::min(word.find('='), word.size());
      macros_[word.substr(0, equals)] =
          equals < word.size() ? local_words(word.substr(equals + 1)) : Words{"1"};
      at = end;
    }
  }

  std::string options_;
  std::string clean_;
  std::string rest_;
  std::map<std::string_view, std::optional<Words>> macros_;
  int depth_ = 0;
};

/// An integer constant expression of + - * / % << >> and macros.
class ConstantReader {
 public:
  ConstantReader(const PlainText& text, Part words, int depth = 0)
      : text_(text), words_(words), depth_(depth) {}
  Count all() {
    const Count value = shift();
    return at_ == words_.size() ? value : std::nullopt;
  }

 private:
  bool take(std::string_view word) {
    const bool is_next = at_ < words_.size() && words_[at_] == word;
    at_ += is_next ? 1 : 0;
    return is_next;
  }
  bool take_twice(std::string_view word) {
    if (at_ + 1 >= words_.size() || words_[at_] != word || words_[at_ + 1] != word) return false;
    at_ += 2;
    return true;
  }
  Count shift() {
    Count value = sum();
    for (;;) {
      const bool is_left = take_twice("<");
      if (!is_left && !take_twice(">")) return value;
      const Count by = sum();
      if (!value || !by || *by > 40 || *value >> (63 - *by) != 0) return std::nullopt;
      value = is_left ? *value << *by : *value >> *by;
    }
  }
  Count sum() {
    Count value = product();
    for (;;) {
      const bool is_plus = take("+");
      if (!is_plus && !take("-")) return value;
      const Count other = product();
      if (!value || !other || (!is_plus && *other > *value)) return std::nullopt;
      value = is_plus ? *value + *other : *value - *other;
    }
  }
  Count product() {
    Count value = atom();
    for (;;) {
      const bool is_times = take("*"), is_over = !is_times && take("/");
      if (!is_times && !is_over && !take("%")) return value;
      const Count other = atom();
      if (!value || !other || (is_times ? *value > most_ || *other > most_ : *other == 0))
        return std::nullopt;
      value = is_times ? *value * *other : is_over ? *value / *other : *value % *other;
    }
  }
  Count atom() {
    if (take("(")) {
      const Count value = shift();
      return take(")") ? value : std::nullopt;
    }
    if (at_ == words_.size()) return std::nullopt;
    const std::string_view word = words_[at_++];
    if (const Words* meaning = text_.meaning(word))
      return depth_ < 16 ? ConstantReader(text_, *meaning, depth_ + 1).all() : std::nullopt;
    std::string_view digits = word;
    while (!digits.empty() && std::string_view("uUlL").find(digits.back()) < 4)
      digits.remove_suffix(1);
    const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
    if (is_hex) digits.remove_prefix(2);
    std::uint64_t value = 0;
    const int base = is_hex ? 16 : digits.starts_with('0') ? 8 : 10;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    const bool is_read = error == std::errc() && end == digits.data() + digits.size();
    return is_read && value <= most_ ? Count(value) : std::nullopt;
  }

  static constexpr std::uint64_t most_ = 1ull << 31;  // so that products fit
  const PlainText& text_;
  Part words_;
  int depth_;
  std::size_t at_ = 0;
};

/// The words of a kernel's body, without its braces.
Part body_of(Part words, std::string_view kernel) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != kernel || words[i + 1] != "(") continue;
    std::size_t at = i + 1;
    const auto close = [&](std::string_view open, std::string_view shut) {
      for (int depth = 0; at < words.size(); ++at) {
        depth += words[at] == open ? 1 : words[at] == shut ? -1 : 0;
        if (depth == 0) return at++;
      }
      return words.size();
    };
    close("(", ")");
    if (at >= words.size() || words[at] != "{") continue;  // a declaration, or a call
    const std::size_t begin = at + 1;
    return words.subspan(begin, close("{", "}") - begin);
  }
  return {};
}

class LocalVariables {
 public:
  explicit LocalVariables(const PlainText& text)
      : text_(text), aliases_(scalar_aliases(text.rest())) {}

  /// Of a declaration's words behind "__local": `float a[4], b[2][N]`.
  std::uint64_t bytes_of(Part declaration) const {
    std::uint64_t bytes = 0, element = 0;
    for (std::size_t begin = 0; begin < declaration.size();) {
      std::size_t end = begin;
      for (int depth = 0; end < declaration.size(); ++end) {
        const std::string_view word = declaration[end];
        depth += word == "[" || word == "(" ? 1 : word == "]" || word == ")" ? -1 : 0;
        if (depth == 0 && word == ",") break;
      }
      const Part one = declaration.subspan(begin, end - begin);
      const auto bracket = std::ranges::find(one, "[");
      const Part head = one.first(static_cast<std::size_t>(bracket - one.begin()));
      if (begin == 0) element = head.empty() ? 1 : element_bytes(head.first(head.size() - 1));
      const bool is_pointer = std::ranges::find(head, "*") != head.end();
      bytes += is_pointer ? 8 : elements(one.subspan(head.size())) * element;
      begin = end + 1;
    }
    return bytes;
  }

 private:
  std::uint64_t element_bytes(Part type) const {
    std::string name;
    for (const std::string_view word : type)
      if (word != "const" && word != "volatile" && word != "*")
        name += (name.empty() ? "" : " ") + std::string(word);
    for (int depth = 0; depth < 16; ++depth) {
      const Words* meaning = text_.meaning(name);
      if (meaning == nullptr) break;
      name.clear();
      for (const std::string_view word : *meaning)
        name += (name.empty() ? "" : " ") + std::string(word);
    }
    const std::size_t digits = std::min(name.find_last_not_of("0123456789") + 1, name.size());
    const std::string width = name.substr(digits);
    const std::uint64_t lanes = width == "2"                   ? 2
                                : width == "3" || width == "4" ? 4
                                : width == "8"                 ? 8
                                : width == "16"                ? 16
                                                               : 1;
    const auto known = aliases_.find(name);
    const auto scalar = known != aliases_.end() ? known->second : c_scalar(name.substr(0, digits));
    return scalar ? DType(*scalar).size_bytes() * lanes : 1;
  }
  std::uint64_t elements(Part brackets) const {
    std::uint64_t count = 1;
    while (!brackets.empty() && brackets.front() == "[") {
      const auto end = std::ranges::find(brackets, "]");
      const auto length = static_cast<std::size_t>(end - brackets.begin());
      const Count extent = ConstantReader(text_, brackets.subspan(1, length - 1)).all();
      if (extent && *extent < 1ull << 31 && count < 1ull << 20) count *= *extent;
      brackets = brackets.subspan(std::min(length + 1, brackets.size()));
    }
    return count;
  }

  const PlainText& text_;
  ScalarAliases aliases_;
};

}  // namespace

std::uint64_t declared_local_bytes(std::string_view text, std::string_view options,
                                   std::string_view kernel) {
  if (text.find("local") == std::string_view::npos) return 0;
  const PlainText plain(text, options);
  const Words words = local_words(plain.rest());
  const Part body = body_of(words, kernel);
  const LocalVariables variables(plain);
  std::uint64_t bytes = 0;
  bool begins = true;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (begins && (body[i] == "__local" || body[i] == "local")) {
      const auto end = std::ranges::find(body.subspan(i), ";");
      const auto length = static_cast<std::size_t>(end - body.subspan(i).begin());
      bytes += variables.bytes_of(body.subspan(i + 1, length - 1));
      i += length;
    }
    begins = i >= body.size() || body[i] == ";" || body[i] == "{" || body[i] == "}" ||
             (begins && (body[i] == "const" || body[i] == "volatile"));
  }
  return bytes;
}

}  // namespace treadle::opencl
