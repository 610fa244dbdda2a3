// SPDX-License-Identifier: MIT
#include "device/c_parameters.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

namespace treadle::device {
namespace {

using Words = std::vector<std::string_view>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Identifiers and numbers as they are, every other character on its own.
Words words_of(std::string_view text) {
  Words words;
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (is_word(text[i]))
      while (end < text.size() && is_word(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

struct ScalarName {
  std::string_view name;
  ParameterKind kind;
  std::size_t size_bytes;
};
constexpr auto integer = ParameterKind::integer, floating = ParameterKind::floating;
// OpenCL's widths; those of CUDA are the same on the systems it runs on.
constexpr ScalarName scalar_names[] = {
    {"bool", integer, 1},      {"char", integer, 1},      {"uchar", integer, 1},
    {"short", integer, 2},     {"ushort", integer, 2},    {"int", integer, 4},
    {"uint", integer, 4},      {"long", integer, 8},      {"ulong", integer, 8},
    {"longlong", integer, 8},  {"ulonglong", integer, 8}, {"size_t", integer, 8},
    {"ptrdiff_t", integer, 8}, {"intptr_t", integer, 8},  {"uintptr_t", integer, 8},
    {"int8_t", integer, 1},    {"uint8_t", integer, 1},   {"int16_t", integer, 2},
    {"uint16_t", integer, 2},  {"int32_t", integer, 4},   {"uint32_t", integer, 4},
    {"int64_t", integer, 8},   {"uint64_t", integer, 8},  {"half", floating, 2},
    {"float", floating, 4},    {"double", floating, 8},   {"unsigned", integer, 4},
    {"signed", integer, 4},
};

const ScalarName* scalar_named(std::string_view name) {
  const auto* found = std::ranges::find(scalar_names, name, &ScalarName::name);
  return found == std::end(scalar_names) ? nullptr : found;
}

bool is_qualifier(std::string_view word) {
  constexpr std::string_view qualifiers[] = {"const",
                                             "volatile",
                                             "restrict",
                                             "__restrict__",
                                             "__restrict",
                                             "__global",
                                             "global",
                                             "__local",
                                             "local",
                                             "__constant",
                                             "constant",
                                             "__private",
                                             "private",
                                             "struct",
                                             "union",
                                             "enum",
                                             "signed",
                                             "unsigned",
                                             "__grid_constant__",
                                             "TREADLE_GLOBAL",
                                             "TREADLE_CONSTANT_POINTER",
                                             "TREADLE_LOCAL_POINTER"};
  return std::ranges::find(qualifiers, word) != std::end(qualifiers);
}

/// "float4" -> float and 4 numbers; a vector of 3 takes the room of 4 (OpenCL; CUDA packs it, so
/// that its size stays unknown).
std::optional<std::size_t> vector_bytes(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
  const ScalarName* scalar = scalar_named(name.substr(0, digits));
  const std::string_view count = name.substr(digits);
  if (scalar == nullptr) return std::nullopt;
  for (const std::size_t known : {2u, 4u, 8u, 16u})
    if (count == std::to_string(known)) return known * scalar->size_bytes;
  return std::nullopt;
}

void set_value_type(const Words& words, Parameter& parameter) {
  const bool is_unsigned = std::ranges::find(words, "unsigned") != words.end();
  const bool is_signed = std::ranges::find(words, "signed") != words.end();
  std::string_view name;
  for (const std::string_view word : words)
    // "long long", "long int", "short int": the word that is not int decides.
    if (!is_qualifier(word) && (name.empty() || name == "int" || word != "int")) name = word;
  if (name.empty() && (is_unsigned || is_signed)) name = "int";
  if (const ScalarName* scalar = scalar_named(name)) {
    parameter.kind = scalar->kind;
    parameter.size_bytes = scalar->size_bytes;
  } else if (const auto bytes = vector_bytes(name)) {
    parameter.kind = ParameterKind::structure;
    parameter.size_bytes = *bytes;
  }
}

bool is_word_for_local(std::string_view word) {
  return word == "__local" || word == "local" || word == "TREADLE_LOCAL_POINTER";
}

Parameter parse_parameter(std::string_view declaration) {
  Words words = words_of(declaration);
  std::string_view name;
  if (words.size() > 1 && is_word(words.back().front()) && !scalar_named(words.back())) {
    name = words.back();
    words.pop_back();
  }
  std::string type;
  for (const std::string_view word : words) {
    if (!type.empty() && word != "*") type += ' ';
    type += word;
  }
  return c_parameter(type, name, std::ranges::any_of(words, is_word_for_local));
}

/// The source with comments blanked out, so that positions stay.
std::string without_comments(std::string_view source) {
  std::string text(source);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '/' || (text[i + 1] != '/' && text[i + 1] != '*')) continue;
    const bool is_line = text[i + 1] == '/';
    std::size_t end = is_line ? text.find('\n', i) : text.find("*/", i + 2);
    end = end == std::string::npos ? text.size() : end + (is_line ? 0 : 2);
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(i),
              text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    i = end - 1;
  }
  return text;
}

/// Where the bracket opens that text[closing] closes.
std::size_t opening_of(std::string_view text, std::size_t closing) {
  int depth = 0;
  for (std::size_t i = closing + 1; i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// `text` is what stands between the keyword of a kernel and its body.
std::optional<KernelText> parse_declaration(std::string_view text) {
  const std::size_t closing = text.rfind(')');
  if (closing == std::string_view::npos) return std::nullopt;
  const std::size_t opening = opening_of(text, closing);
  if (opening == std::string_view::npos) return std::nullopt;
  const Words before = words_of(text.substr(0, opening));
  if (before.empty() || before.back() == "void" || !is_word(before.back().front()))
    return std::nullopt;
  KernelText kernel{std::string(before.back()), {}};
  const std::string_view list = text.substr(opening + 1, closing - opening - 1);
  const Words inside = words_of(list);
  if (inside.empty() || (inside.size() == 1 && inside.front() == "void")) return kernel;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    kernel.parameters.push_back(parse_parameter(list.substr(start, end - start)));
    start = end + 1;
  }
  return kernel;
}

std::size_t find_keyword(std::string_view text, std::size_t from, std::size_t& length) {
  constexpr std::string_view keywords[] = {"__global__", "__kernel", "kernel", "TREADLE_KERNEL"};
  for (std::size_t i = from; i < text.size(); ++i) {
    if (i > 0 && is_word(text[i - 1])) continue;
    for (const std::string_view keyword : keywords) {
      length = keyword.size();
      const bool ends = i + length >= text.size() || !is_word(text[i + length]);
      if (text.substr(i, length) == keyword && ends) return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Parameter c_parameter(std::string_view type, std::string_view name, bool is_local) {
  Parameter parameter{.name = std::string(name), .type = std::string(type)};
  if (type.find_first_of("*[") != std::string_view::npos) {
    parameter.kind = is_local ? ParameterKind::local : ParameterKind::memory;
    parameter.size_bytes = is_local ? 0 : sizeof(std::uint64_t);
  } else {
    set_value_type(words_of(type), parameter);
  }
  return parameter;
}

std::vector<KernelText> kernels_in(std::string_view source) {
  const std::string text = without_comments(source);
  std::vector<KernelText> kernels;
  std::size_t length = 0;
  for (std::size_t at = find_keyword(text, 0, length); at != std::string::npos;
       at = find_keyword(text, at + length, length)) {
    const std::size_t start = at + length;
    const std::size_t end = std::min(text.find_first_of("{;", start), text.size());
    if (end == text.size() || text[end] == ';') continue;  // a declaration, or no kernel
    if (auto kernel = parse_declaration(std::string_view(text).substr(start, end - start)))
      kernels.push_back(*std::move(kernel));
  }
  return kernels;
}

}  // namespace treadle::device
