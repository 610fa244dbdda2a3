// SPDX-License-Identifier: MIT
#include "treadle/base/c_declaration.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <span>
#include <utility>

#include "base/characters.hpp"
#include "treadle/base/c_text.hpp"
#include "treadle/base/error.hpp"

namespace treadle {
namespace {

constexpr std::array qualifiers = {"const",        "volatile",          "restrict",
                                   "__restrict__", "__restrict",        "__private",
                                   "private",      "__grid_constant__", "TREADLE_RESTRICT"};
constexpr std::pair<std::string_view, AddressSpace> address_spaces[] = {
    {"__global", AddressSpace::global},
    {"global", AddressSpace::global},
    {"TREADLE_GLOBAL", AddressSpace::global},
    {"__local", AddressSpace::local},
    {"local", AddressSpace::local},
    {"TREADLE_LOCAL_POINTER", AddressSpace::local},
    {"__constant", AddressSpace::constant},
    {"constant", AddressSpace::constant},
    {"TREADLE_CONSTANT_POINTER", AddressSpace::constant},
};
// Words that C's integer types are made of; none can be a parameter's name.
constexpr std::array integer_words = {"signed", "unsigned", "char", "short", "int", "long"};
// OpenCL's widths; those of CUDA are the same on the systems it runs on.
constexpr std::pair<std::string_view, Scalar> scalar_names[] = {
    {"bool", Scalar::boolean},          {"uchar", Scalar::uint8},
    {"ushort", Scalar::uint16},         {"uint", Scalar::uint32},
    {"ulong", Scalar::uint64},          {"longlong", Scalar::int64},
    {"size_t", Scalar::uint64},         {"ulonglong", Scalar::uint64},
    {"ptrdiff_t", Scalar::int64},       {"intptr_t", Scalar::int64},
    {"uintptr_t", Scalar::uint64},      {"int8_t", Scalar::int8},
    {"uint8_t", Scalar::uint8},         {"int16_t", Scalar::int16},
    {"uint16_t", Scalar::uint16},       {"int32_t", Scalar::int32},
    {"uint32_t", Scalar::uint32},       {"int64_t", Scalar::int64},
    {"uint64_t", Scalar::uint64},       {"half", Scalar::float16},
    {"__half", Scalar::float16},        {"float", Scalar::float32},
    {"double", Scalar::float64},        {"treadle_int64", Scalar::int64},
    {"treadle_uint64", Scalar::uint64},
};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

// Which of the words is the name.
enum class Name { last, last_if_it_can_be, none };

struct DeclarationReader {
  Declaration declaration;
  std::vector<std::string> words;  // of the type
  int stars = 0;
  bool is_const = false;  // what comes before the star
  std::string problem;    // the first reason why the text is no declaration; empty if it is one

  void note(std::string why) {
    if (problem.empty()) problem = std::move(why);
  }

  // Takes "[...]" off the end.
  bool take_brackets(std::vector<std::string>& tokens) {
    if (tokens.empty() || tokens.back() != "]") return false;
    const auto open = std::ranges::find(tokens, "[");
    if (open == tokens.end()) {
      note("a ']' without its '['");
      tokens.pop_back();
      return false;
    }
    tokens.erase(open, tokens.end());
    return true;
  }

  void take(const std::string& token) {
    const auto* const space =
        std::ranges::find(address_spaces, token, &std::pair<std::string_view, AddressSpace>::first);
    if (token == "*")
      ++stars;
    else if (token == "const" && stars == 0)
      is_const = true;
    else if (token == "&")
      note("kernels take no references");
    else if (token == "=")
      note("kernels take no default values");
    else if (!is_word(token.front()))
      note("'" + token + "' has no place in it");
    else if (space != std::end(address_spaces))
      declaration.address_space = space->second;
    else if (!contains(qualifiers, token))
      words.push_back(token);
  }

  void take_name(std::vector<std::string>& tokens, Name name) {
    if (name == Name::none || tokens.empty()) return;
    const std::string& word = tokens.back();
    const bool can_be = is_c_name(word) && !contains(qualifiers, word);
    if (name == Name::last_if_it_can_be && (!can_be || tokens.size() == 1 || c_scalar(word)))
      return;
    if (can_be) declaration.name = word;
    tokens.pop_back();
  }

  void read(std::string_view text, Name name) {
    auto tokens = c_words(without_comments(text));
    const bool has_brackets = take_brackets(tokens);
    if (tokens.empty()) note("it is empty");
    // The name is last, even one that other languages use as a word of theirs.
    take_name(tokens, name);
    for (const std::string& token : tokens) take(token);
    if (declaration.name.empty() || words.empty()) note("the name of the parameter is missing");
    if (stars + (has_brackets ? 1 : 0) > 1)
      note("kernels take pointers to elements, not to pointers");
    for (const std::string& word : words)
      declaration.type += (declaration.type.empty() ? "" : " ") + word;
    declaration.is_pointer = stars > 0 || has_brackets;
    declaration.points_to_const = is_const && declaration.is_pointer;
  }
};

Declaration read(std::string_view text, Name name) {
  DeclarationReader reader;
  reader.read(text, name);
  return std::move(reader.declaration);
}

}  // namespace

Declaration parse_declaration(std::string_view text) {
  DeclarationReader reader;
  reader.read(text, Name::last);
  if (!reader.problem.empty())
    throw InvalidArgument("argument declaration \"" + std::string(text) + "\": " + reader.problem,
                          "write \"type name\" or \"type *name\"");
  return std::move(reader.declaration);
}

std::vector<Declaration> parse_declarations(std::string_view text) {
  std::vector<Declaration> declarations;
  for (const std::string& one : split_declarations(text))
    declarations.push_back(parse_declaration(one));
  return declarations;
}

std::vector<std::string> split_declarations(std::string_view text) {
  const std::string clean = without_comments(text);
  if (std::ranges::all_of(clean, is_blank)) return {};
  const auto pieces = split_list(clean);
  return {pieces.begin(), pieces.end()};
}

Declaration read_declaration(std::string_view text) { return read(text, Name::last_if_it_can_be); }
Declaration read_type(std::string_view text) { return read(text, Name::none); }

std::optional<Scalar> c_integer(std::string_view type) {
  const auto words = c_words(type);
  const auto count = [&](const char* word) { return std::ranges::count(words, word); };
  if (words.empty() || !std::ranges::all_of(words, [](const std::string& word) {
        return contains(integer_words, word);
      }))
    return std::nullopt;
  const bool is_unsigned = count("unsigned") == 1;
  const auto sizes = count("char") + count("short") + (count("long") > 0 ? 1 : 0);
  if (count("signed") + count("unsigned") > 1 || count("int") > 1 || sizes > 1 ||
      count("long") > 2 || (count("char") == 1 && count("int") == 1))
    return std::nullopt;
  if (count("char") == 1) return is_unsigned ? Scalar::uint8 : Scalar::int8;
  if (count("short") == 1) return is_unsigned ? Scalar::uint16 : Scalar::int16;
  if (count("long") > 0) return is_unsigned ? Scalar::uint64 : Scalar::int64;
  return is_unsigned ? Scalar::uint32 : Scalar::int32;
}

std::optional<Scalar> c_scalar(std::string_view type) {
  if (type.starts_with("std::")) type.remove_prefix(5);
  for (const auto& [name, scalar] : scalar_names)
    if (name == type) return scalar;
  return c_integer(type);
}

ScalarAliases scalar_aliases(std::string_view text) {
  ScalarAliases found;
  if (text.find("typedef") == std::string_view::npos &&
      text.find("using") == std::string_view::npos)
    return found;
  std::set<std::string> refused;
  const auto note = [&](const std::string& name, std::span<const std::string> type) {
    std::string joined;
    for (const std::string& word : type) joined += (joined.empty() ? "" : " ") + word;
    auto scalar = c_scalar(joined);
    if (const auto earlier = found.find(joined); !scalar && earlier != found.end())
      scalar = earlier->second;
    const auto known = found.find(name);
    if (!scalar || (known != found.end() && known->second != *scalar))
      refused.insert(name);
    else
      found[name] = *scalar;
  };
  const std::vector<std::string> words = c_words(without_comments(text));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "typedef" && words[i] != "using") continue;
    std::size_t end = i + 1;
    while (end < words.size() && words[end] != ";" && words[end] != "{") ++end;
    const std::span statement(words.data() + i + 1, end - i - 1);
    if (statement.size() < 2) continue;
    if (words[i] == "typedef")
      note(statement.back(), statement.first(statement.size() - 1));
    else if (statement.size() > 2 && statement[1] == "=")
      note(statement[0], statement.subspan(2));
  }
  for (const std::string& name : refused) found.erase(name);
  return found;
}

std::string without_comments(std::string_view text) {
  std::string clean(text);
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '/' && text[at] != '"' && text[at] != '\'') {
      ++at;
      continue;
    }
    const std::size_t end = behind_comment(text, at);
    std::fill(clean.begin() + static_cast<std::ptrdiff_t>(at),
              clean.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    at = end > at ? end : std::max(behind_literal(text, at), at + 1);
  }
  return clean;
}

std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    if (at < list.size() && list[at] == '<') ++depth;
    if (at < list.size() && list[at] == '>') --depth;
    if (at < list.size() && (list[at] != ',' || depth > 0)) continue;
    pieces.push_back(list.substr(begin, at - begin));
    begin = at + 1;
  }
  return pieces;
}

std::vector<std::string> c_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    if (!is_word(text[at])) {
      words.emplace_back(1, text[at++]);
      continue;
    }
    while (at < text.size() && (is_word(text[at]) || text.substr(at, 2) == "::"))
      at += text[at] == ':' ? 2 : 1;
    for (int depth = 0; at < text.size() && (depth > 0 || text[at] == '<'); ++at) {
      if (text[at] == '<') ++depth;
      if (text[at] == '>') --depth;
    }
    words.emplace_back(text.substr(begin, at - begin));
  }
  return words;
}

bool is_c_name(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, is_word) && is_word_start(word.front()) &&
         !contains(integer_words, word);
}

}  // namespace treadle
