// SPDX-License-Identifier: MIT
#include "tree_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen::tree {
namespace {

// Longer operators first: the text "<<=" begins with "<<".
constexpr std::pair<std::string_view, int> binary_operators[] = {
    {"<<=", assignment_level}, {">>=", assignment_level}, {"->", postfix_level + 1},
    {"::", postfix_level + 1}, {"+=", assignment_level},  {"-=", assignment_level},
    {"*=", assignment_level},  {"/=", assignment_level},  {"%=", assignment_level},
    {"&=", assignment_level},  {"|=", assignment_level},  {"^=", assignment_level},
    {"||", or_level},          {"&&", and_level},         {"==", equality_level},
    {"!=", equality_level},    {"<=", order_level},       {">=", order_level},
    {"<<", shift_level},       {">>", shift_level},       {"|", bit_or_level},
    {"^", bit_xor_level},      {"&", bit_and_level},      {"<", order_level},
    {">", order_level},        {"+", sum_level},          {"-", sum_level},
    {"*", product_level},      {"/", product_level},      {"%", product_level},
    {"=", assignment_level},   {"?", ternary_level},      {":", ternary_level},
    {",", comma_level},        {".", postfix_level + 1},
};

constexpr std::string_view keywords[] = {
    "auto",      "bool",     "break",    "case",     "char",     "class",    "const",
    "continue",  "default",  "do",       "double",   "else",     "enum",     "extern",
    "float",     "for",      "goto",     "if",       "inline",   "int",      "long",
    "namespace", "operator", "register", "restrict", "return",   "short",    "signed",
    "sizeof",    "static",   "struct",   "switch",   "template", "this",     "typedef",
    "typename",  "union",    "unsigned", "using",    "void",     "volatile", "while",
};

bool is_keyword(std::string_view word) noexcept {
  return std::find(std::begin(keywords), std::end(keywords), word) != std::end(keywords);
}

// The length of the first token: a comment, a string or character, a number, an identifier, or a
// single character. `closed` becomes false for a string or comment without an end.
std::size_t token_length(std::string_view text, bool& closed) noexcept {
  const auto up_to = [&](std::string_view end, std::size_t from) {
    const std::size_t at = text.find(end, from);
    closed = at != std::string_view::npos;
    return closed ? at + end.size() : text.size();
  };
  if (text.starts_with("//")) return std::min(text.find('\n'), text.size());
  if (text.starts_with("/*")) return up_to("*/", 2);
  if (text[0] == '"' || text[0] == '\'') {
    std::size_t at = 1;
    while (at < text.size() && text[at] != text[0]) at += text[at] == '\\' ? 2 : 1;
    closed = at < text.size();
    return std::min(at + 1, text.size());
  }
  if (const std::size_t name = identifier_length(text); name > 0) return name;
  if (!is_digit(text[0])) return 1;
  std::size_t at = 1;
  while (at < text.size() &&
         (is_digit(text[at]) || text[at] == '.' || identifier_length(text.substr(at)) > 0 ||
          ((text[at] == '+' || text[at] == '-') &&
           (text[at - 1] == 'e' || text[at - 1] == 'E' || text[at - 1] == 'p') &&
           !text.starts_with("0x"))))
    ++at;
  return at;
}

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The length of the bracket at the start of a text, including its contents.
std::size_t bracket_length(std::string_view text) noexcept {
  std::size_t depth = 0, at = 0;
  bool closed = true;
  do {
    if (text[at] == '(' || text[at] == '[' || text[at] == '{') ++depth;
    if (text[at] == ')' || text[at] == ']' || text[at] == '}') --depth;
    at += token_length(text.substr(at), closed);
  } while (depth > 0 && at < text.size());
  return at;
}

// Whether the character may stand in a simple element: x[2].y
bool is_of_element(char c) noexcept { return is_word(c) || c == '[' || c == ']' || c == '.'; }

// Whether the character may begin a bracket, a string or a comment, or end a bracket.
bool opens_or_closes(char c) noexcept {
  return c == '(' || c == ')' || c == '[' || c == ']' || c == '{' || c == '}' || c == '"' ||
         c == '\'' || c == '/';
}

// The operator at the start of a text; null: there is none.
const std::pair<std::string_view, int>* operator_at(std::string_view text) noexcept {
  static constexpr std::string_view firsts = "<>-+*/%&|^=!?:,.";
  if (firsts.find(text[0]) == std::string_view::npos) return nullptr;
  for (const auto& one : binary_operators)
    if (text.starts_with(one.first)) return &one;
  return nullptr;
}

}  // namespace

int precedence_of(std::string_view binary_operator) noexcept {
  for (const auto& [text, level] : binary_operators)
    if (text == binary_operator) return level;
  return 0;
}

bool binds_at_least(std::string_view text, int level) noexcept {
  // Most texts are a name, a number or an element, and need no analysis.
  const bool is_simple = level <= assignment_level
                             ? text.find(',') == std::string_view::npos
                             : std::ranges::all_of(text, [](char c) { return is_of_element(c); });
  return is_simple || precedence_of_text(text) >= level;
}

int precedence_of_text(std::string_view text) noexcept {
  int level = postfix_level;
  bool has_operand = false;  // whether an operand precedes, so that an operator is binary
  while (!text.empty()) {
    bool closed = true;
    std::size_t length = token_length(text, closed);
    const bool is_operand =
        identifier_length(text) > 0 || is_digit(text[0]) || text[0] == '"' || text[0] == '\'';
    if (text[0] == '(' || text[0] == '[' || text[0] == '{') {
      length = bracket_length(text);
      has_operand = true;
    } else if (is_operand) {
      if (has_operand) level = std::min<int>(level, prefix_level);  // a cast: (float)x
      has_operand = true;
    } else if (!is_blank(text[0]) && !text.starts_with("/*") && !text.starts_with("//")) {
      int found = prefix_level;
      if (has_operand && (text.starts_with("++") || text.starts_with("--"))) {
        length = 2;
        found = postfix_level;
      } else if (has_operand) {
        if (const auto* const one = operator_at(text); one != nullptr) {
          length = one->first.size();
          found = one->second;
        }
        has_operand = false;
      }
      level = std::min(level, found);
    }
    text.remove_prefix(length);
  }
  return level;
}

std::string unmatched_in(std::string_view text) {
  std::string open;
  while (true) {
    const auto next = std::ranges::find_if(text, [](char c) { return opens_or_closes(c); });
    text.remove_prefix(static_cast<std::size_t>(next - text.begin()));
    if (text.empty()) break;
    bool closed = true;
    const char c = text[0];
    const std::size_t length = token_length(text, closed);
    if (!closed) return joined({text.substr(0, text[0] == '/' ? 2 : 1), " is not closed"});
    if (c == '(' || c == '[' || c == '{') open += c;
    if (c == ')' || c == ']' || c == '}') {
      const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || open.back() != wanted) return joined({{&c, 1}, " closes nothing"});
      open.pop_back();
    }
    text.remove_prefix(length);
  }
  return open.empty() ? std::string() : joined({{&open.back(), 1}, " is not closed"});
}

bool is_identifier(std::string_view text) noexcept {
  while (true) {
    const std::size_t length = identifier_length(text);
    if (length == 0 || (is_keyword(text.substr(0, length)) && text.substr(0, length) != "this"))
      return false;
    text.remove_prefix(length);
    if (text.empty()) return true;
    if (!text.starts_with("::")) return false;
    text.remove_prefix(2);
  }
}

void add_identifiers(std::string_view text, std::set<std::string>& names) {
  while (!text.empty()) {
    bool closed = true;
    const std::size_t length = token_length(text, closed);
    const std::string_view word = text.substr(0, length);
    if (identifier_length(word) > 0 && !is_keyword(word)) names.emplace(word);
    text.remove_prefix(length);
  }
}

std::string describe(const Node& node) {
  std::string text = joined({"a node of kind ", kind_name(node.kind())});
  if (node.made.file == nullptr) return text;
  return joined({text, " made at ", node.made.file, ":", std::to_string(node.made.line)});
}

void refuse_depth(const Node& node, std::size_t depth) {
  throw InvalidArgument(
      joined({describe(node), " lies ", std::to_string(depth),
              " nodes deep: the tree contains itself, or is too deep to compile"}),
      "append a copy of a node instead of one that contains it");
}

}  // namespace treadle::codegen::tree
