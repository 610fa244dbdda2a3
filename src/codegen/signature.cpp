// SPDX-License-Identifier: MIT
#include "treadle/codegen/signature.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "treadle/base/error.hpp"
#include "treadle/base/near_match.hpp"

namespace treadle::codegen {
namespace {

constexpr std::array qualifiers = {"const", "volatile", "restrict", "__restrict__", "__restrict"};
constexpr std::pair<std::string_view, AddressSpace> address_spaces[] = {
    {"__global", AddressSpace::global},     {"global", AddressSpace::global},
    {"__local", AddressSpace::local},       {"local", AddressSpace::local},
    {"__constant", AddressSpace::constant}, {"constant", AddressSpace::constant},
};
// Words that C's integer types are made of; none can be a parameter's name.
constexpr std::array integer_words = {"signed", "unsigned", "char", "short", "int", "long"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw InvalidArgument("argument declaration \"" + std::string(text) + "\": " + why,
                        "write \"type name\" or \"type *name\"");
}

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto mark = text.substr(at, 2);
    if (mark == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (mark == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
      result += ' ';
    } else {
      result += text[at++];
    }
  }
  return result;
}

// Names, template arguments that belong to the name before them, and single other characters.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    if (!is_name_character(text[at])) {
      tokens.emplace_back(1, text[at++]);
      continue;
    }
    while (at < text.size() && (is_name_character(text[at]) || text.substr(at, 2) == "::"))
      at += text[at] == ':' ? 2 : 1;
    for (int depth = 0; at < text.size() && (depth > 0 || text[at] == '<'); ++at) {
      if (text[at] == '<') ++depth;
      if (text[at] == '>') --depth;
    }
    tokens.emplace_back(text.substr(begin, at - begin));
  }
  return tokens;
}

// Takes "[...]" off the end.
bool take_brackets(std::vector<std::string>& tokens, std::string_view text) {
  if (tokens.empty() || tokens.back() != "]") return false;
  const auto open = std::find(tokens.begin(), tokens.end(), "[");
  if (open == tokens.end()) refuse(text, "a ']' without its '['");
  tokens.erase(open, tokens.end());
  return true;
}

struct Parts {
  Declaration declaration;
  std::vector<std::string> words;  // of type and name
  int stars = 0;
};

void sort_token(Parts& parts, const std::string& token, std::string_view text) {
  const auto space = std::find_if(std::begin(address_spaces), std::end(address_spaces),
                                  [&](const auto& known) { return known.first == token; });
  if (token == "*")
    ++parts.stars;
  else if (token == "&")
    refuse(text, "kernels take no references");
  else if (token == "=")
    refuse(text, "kernels take no default values");
  else if (!is_name_character(token.front()))
    refuse(text, "'" + token + "' has no place in it");
  else if (space != std::end(address_spaces))
    parts.declaration.address_space = space->second;
  else if (!contains(qualifiers, token))
    parts.words.push_back(token);
}

bool is_name(const std::string& word) {
  return std::all_of(word.begin(), word.end(), is_name_character) &&
         !std::isdigit(static_cast<unsigned char>(word.front())) && !contains(integer_words, word);
}

// The words of C's integer types mean the same in every order.
std::optional<Scalar> c_integer(std::string_view name) {
  const auto words = tokens_of(name);
  const auto count = [&](const char* word) { return std::count(words.begin(), words.end(), word); };
  if (words.empty() || !std::all_of(words.begin(), words.end(),
                                    [](const auto& word) { return contains(integer_words, word); }))
    return std::nullopt;
  const bool is_unsigned = count("unsigned") == 1;
  const auto sizes = count("char") + count("short") + (count("long") > 0 ? 1 : 0);
  if (count("signed") + count("unsigned") > 1 || count("int") > 1 || sizes > 1 ||
      count("char") > 1 || count("short") > 1 || count("long") > 2 ||
      (count("char") == 1 && count("int") == 1))
    return std::nullopt;
  if (count("char") == 1) return is_unsigned ? Scalar::uint8 : Scalar::int8;
  if (count("short") == 1) return is_unsigned ? Scalar::uint16 : Scalar::int16;
  if (count("long") > 0) return is_unsigned ? Scalar::uint64 : Scalar::int64;
  return is_unsigned ? Scalar::uint32 : Scalar::int32;
}

std::string element(const ParameterSpec& parameter, const Dialect& dialect,
                    const TypeNames& types) {
  return std::string(dialect.global) + types.name_of(parameter.dtype);
}

}  // namespace

Declaration parse_declaration(std::string_view text) {
  auto tokens = tokens_of(text);
  const bool has_brackets = take_brackets(tokens, text);
  if (tokens.empty()) refuse(text, "it is empty");
  // The name is last, even one that other languages use as a word of theirs.
  Parts parts;
  const std::string name = tokens.back();
  tokens.pop_back();
  for (const std::string& token : tokens) sort_token(parts, token, text);
  if (!is_name(name) || contains(qualifiers, name) || parts.words.empty())
    refuse(text, "the name of the parameter is missing");
  if (parts.stars + (has_brackets ? 1 : 0) > 1)
    refuse(text, "kernels take pointers to elements, not to pointers");
  Declaration& declaration = parts.declaration;
  for (const std::string& word : parts.words)
    declaration.type += (declaration.type.empty() ? "" : " ") + word;
  declaration.name = name;
  declaration.is_pointer = parts.stars > 0 || has_brackets;
  return declaration;
}

std::vector<Declaration> parse_declarations(std::string_view text) {
  const std::string clean = without_comments(text);
  std::vector<Declaration> declarations;
  if (std::all_of(clean.begin(), clean.end(), [](unsigned char c) { return std::isspace(c); }))
    return declarations;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= clean.size(); ++at) {
    if (at < clean.size() && clean[at] == '<') ++depth;
    if (at < clean.size() && clean[at] == '>') --depth;
    if (at < clean.size() && (clean[at] != ',' || depth > 0)) continue;
    declarations.push_back(parse_declaration(std::string_view(clean).substr(begin, at - begin)));
    begin = at + 1;
  }
  return declarations;
}

TypeNames::TypeNames(const Dialect& dialect) {
  for (const TypeName& known : dialect.type_names)
    names_.emplace_back(std::string(known.name), known.scalar);
}

void TypeNames::add(std::string_view name, const DType& type) {
  for (const auto& [known, known_type] : names_)
    if (known == name && !(known_type == type))
      throw InvalidArgument("the C type name '" + std::string(name) + "' already stands for " +
                                known_type.name() + ", not " + type.name(),
                            "choose another name");
  names_.emplace_back(std::string(name), type);
}

DType TypeNames::find(std::string_view name) const {
  for (const auto& [known, type] : names_)
    if (squeeze(known) == squeeze(name)) return type;
  if (const auto integer = c_integer(name)) return *integer;
  std::vector<std::string> all;
  for (const auto& entry : names_) all.push_back(entry.first);
  std::string near;
  for (const std::string& candidate : near_matches(name, all))
    near += (near.empty() ? "did you mean " : ", ") + candidate;
  throw InvalidArgument("unknown type '" + std::string(name) + "'",
                        near.empty() ? "TypeNames::add gives a type a name" : near);
}

const std::string& TypeNames::name_of(const DType& type) const {
  for (const auto& [name, known] : names_)
    if (known == type) return name;
  throw DTypeError("unable to map dtype '" + type.name() + "' to a C type",
                   "TypeNames::add gives it a name");
}

std::vector<ParameterSpec> parse_parameters(std::string_view text, const TypeNames& types,
                                            Offsets offsets) {
  std::vector<ParameterSpec> parameters;
  std::set<std::string> names;
  for (const Declaration& declaration : parse_declarations(text)) {
    if (declaration.address_space == AddressSpace::local ||
        declaration.address_space == AddressSpace::constant)
      refuse(text, "'" + declaration.name + "' is no pointer to global memory");
    if (!names.insert(declaration.name).second)
      refuse(text, "two parameters are called '" + declaration.name + "'");
    const auto vector = offsets == Offsets::passed ? ParameterSpec::Kind::vector_with_offset
                                                   : ParameterSpec::Kind::vector;
    parameters.push_back({declaration.is_pointer ? vector : ParameterSpec::Kind::scalar,
                          types.find(declaration.type), declaration.name});
  }
  return parameters;
}

std::string declare(const ParameterSpec& parameter, const Dialect& dialect,
                    const TypeNames& types) {
  switch (parameter.kind) {
    case ParameterSpec::Kind::scalar:
      return types.name_of(parameter.dtype) + " " + parameter.name;
    case ParameterSpec::Kind::vector:
      return element(parameter, dialect, types) + " *" + parameter.name;
    case ParameterSpec::Kind::vector_with_offset:
      return element(parameter, dialect, types) + " *" + parameter.name + "__base, " +
             std::string(dialect.offset_type) + " " + parameter.name + "__offset";
  }
  return {};
}

std::string declare(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                    const TypeNames& types) {
  std::string text;
  for (const ParameterSpec& parameter : parameters)
    text += (text.empty() ? "" : ", ") + declare(parameter, dialect, types);
  return text;
}

std::string define_pointers(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                            const TypeNames& types) {
  std::string text;
  for (const ParameterSpec& parameter : parameters) {
    if (parameter.kind != ParameterSpec::Kind::vector_with_offset) continue;
    // By bytes: an offset need not be a multiple of the element's size.
    const std::string pointer = element(parameter, dialect, types) + " *";
    text += pointer + parameter.name + " = (" + pointer + ")((" + std::string(dialect.global) +
            "char *)" + parameter.name + "__base + " + parameter.name + "__offset);\n";
  }
  return text;
}

}  // namespace treadle::codegen
