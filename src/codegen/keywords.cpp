// SPDX-License-Identifier: MIT
#include "treadle/codegen/keywords.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree_builders.hpp"
#include "treadle/codegen/tree_printer.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

// A key at the start of a text: its length, and its name. An empty name stands for the doubled
// sign.
struct Key {
  std::size_t length = 0;  // 0: no key
  std::string_view name;
};

class KeyReader {
 public:
  explicit KeyReader(KeyStyle style) : style_(style) {}

  Key at(std::string_view text) {
    switch (style_) {
      case KeyStyle::percent:
        if (text.starts_with("%%")) return {2, {}};
        if (!text.starts_with("%(")) return {};
        return closed(text, 2, ")", "%(name)s", true);
      case KeyStyle::dollar: {
        if (text.starts_with("$$")) return {2, {}};
        if (text.starts_with("${")) return closed(text, 2, "}", "${name}", false);
        if (!text.starts_with('$')) return {};
        const std::size_t length = identifier_length(text.substr(1));
        return length == 0 ? Key() : Key{length + 1, text.substr(1, length)};
      }
      default:
        return text.starts_with("{{") ? closed(text, 2, "}}", "{{name}}", false) : Key();
    }
  }
  // The fault of the last key; empty: the key was correct.
  const std::string& fault() const noexcept { return fault_; }

 private:
  Key closed(std::string_view text, std::size_t begin, std::string_view end,
             std::string_view example, bool has_letter) {
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    const std::size_t close = text.find(end, begin);
    std::string_view name = text.substr(begin, std::min(close, line_end) - begin);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (close == std::string_view::npos || close > line_end) {
      fault_ = joined({"the key \"", text.substr(0, std::min<std::size_t>(line_end, 20)),
                       "\" is not closed: write it as ", example});
      return {begin, {}};
    }
    std::size_t length = close + end.size();
    if (has_letter) {
      // Accepts Python's `%(name)d` for integers; other formats would need the value, not its text.
      const char letter = length < text.size() ? text[length] : ' ';
      if (letter != 's' && letter != 'd' && letter != 'i')
        fault_ = joined({"the key \"", text.substr(0, std::min(length + 1, line_end)),
                         "\" has no s behind it: write it as ", example});
      ++length;
    }
    return {length, name};
  }

  KeyStyle style_;
  std::string fault_;
};

std::string place(const KeyOptions& options, std::size_t line) {
  if (options.begin.file == nullptr) return joined({"line ", std::to_string(line + 1)});
  return joined({options.begin.file, ":", std::to_string(options.begin.line + line)});
}

std::string_view wanted_of(Hole hole) {
  switch (hole) {
    case Hole::dtype:
      return "a dtype";
    case Hole::constant:
      return "a number";
    case Hole::unroll_count:
      return "a whole number above 0";
    default:
      return "anything";
  }
}

void check_hole(std::string_view name, const KeyValue& value, const KeyOptions& options) {
  const auto found = options.holes.find(name);
  const Hole hole = found == options.holes.end() ? Hole::any : found->second;
  const bool fits = hole == Hole::any || (hole == Hole::dtype && value.is_dtype()) ||
                    (hole == Hole::constant && value.is_constant()) ||
                    (hole == Hole::unroll_count && value.is_count());
  if (fits) return;
  throw InvalidArgument(joined({"the key ", name, " is ", value.text(options.language),
                                ", wanted: ", wanted_of(hole)}),
                        joined({"pass ", wanted_of(hole), " for ", name}));
}

}  // namespace

KeyValue::KeyValue(float value)
    : text_(tree::literal(static_cast<double>(value), Scalar::float32).node()->part(0).text()),
      is_real_(true) {}
KeyValue::KeyValue(double value)
    : text_(tree::literal(value, Scalar::float64).node()->part(0).text()), is_real_(true) {}

std::string KeyValue::text(std::optional<Language> language) const {
  if (!dtype_) return text_;
  tree::PrintOptions options;
  if (language) options.dialect = &dialect_of(*language);
  return tree::print_inline(tree::scalar(*dtype_, ""), options);
}

TextWithLines replace_keys(std::string_view text,
                           const std::map<std::string, KeyValue, std::less<>>& values,
                           const KeyOptions& options) {
  TextWithLines result;
  KeyReader reader(options.style);
  std::set<std::string_view> used;
  std::vector<std::string> missing;
  std::size_t line = 0;
  const auto position = [&] {
    return options.begin.file == nullptr
               ? Position()
               : Position{options.begin.file,
                          options.begin.line + static_cast<std::uint32_t>(line)};
  };
  const auto put = [&](std::string_view piece) {
    for (const char c : piece) {
      result.text += c;
      if (c == '\n') result.lines.push_back(position());
    }
  };
  for (const auto& [name, value] : values) check_hole(name, value, options);
  while (!text.empty()) {
    const Key key = reader.at(text);
    if (!reader.fault().empty())
      throw InvalidArgument(joined({place(options, line), ": ", reader.fault()}),
                            "close the key, or write its first letter twice");
    if (key.length == 0) {
      put(text.substr(0, 1));
      if (text[0] == '\n') ++line;
    } else if (key.name.empty()) {
      put(text.substr(0, 1));
    } else if (const auto found = values.find(key.name); found != values.end()) {
      used.insert(found->first);
      put(found->second.text(options.language));
    } else {
      missing.push_back(joined({key.name, " (", place(options, line), ")"}));
    }
    text.remove_prefix(std::max<std::size_t>(key.length, 1));
  }
  if (!result.text.empty() && !result.text.ends_with('\n')) result.lines.push_back(position());
  std::string unused, without_value;
  for (const auto& [name, value] : values)
    if (!used.contains(name)) unused += (unused.empty() ? "" : ", ") + name;
  for (const std::string& one : missing) without_value += (without_value.empty() ? "" : ", ") + one;
  if (!without_value.empty())
    throw InvalidArgument(
        joined({"the text has keys without a value: ", without_value,
                unused.empty() ? "" : "; and there are values without a key: ", unused}),
        "pass a value for each key of the text");
  if (!unused.empty())
    throw InvalidArgument(
        joined({"there are values without a key in the text of ", place(options, 0), ": ", unused}),
        "take them away, or write the keys into the text");
  return result;
}

}  // namespace treadle::codegen
