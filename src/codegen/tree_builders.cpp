// SPDX-License-Identifier: MIT
#include "treadle/codegen/tree_builders.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen::tree {
namespace {

template <std::size_t N>
NodePtr make(Kind kind, Part (&&parts)[N], Position made) {
  return make_node<Node>(kind, std::span<Part>(parts), Parts(), made);
}
template <std::size_t N>
NodePtr make(Kind kind, Part (&&parts)[N], Parts list, Position made) {
  return make_node<Node>(kind, std::span<Part>(parts), std::move(list), made);
}
NodePtr with_list(Kind kind, Parts list, Position made) {
  return make_node<Node>(kind, std::span<Part>(), std::move(list), made);
}
NodePtr in_cuda(NodePtr node) {
  node->only_in = Language::cuda_c;
  return node;
}
template <std::size_t N>
Expr made_as(Kind kind, Part (&&parts)[N], Position made) {
  return Expr(make(kind, std::move(parts), made));
}
Position of(const Expr& expr) { return expr.node()->made; }

// The shortest decimal that compilers read as the same number.
std::string text_of_real(double value, Scalar scalar) {
  if (scalar != Scalar::float32 && scalar != Scalar::float64)
    throw DTypeError("literal(): a real number of a dtype other than float32 and float64",
                     "cast a float32 to that dtype in the kernel");
  const bool is_float = scalar == Scalar::float32;
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  char digits[32];
  const auto end = is_float ? std::to_chars(digits, std::end(digits), static_cast<float>(value))
                            : std::to_chars(digits, std::end(digits), value);
  std::string text(digits, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return is_float ? text + "f" : text;
}

// `long` has 64 bits in every language of Treadle.
std::string text_of_integer(std::int64_t value, Scalar scalar) {
  switch (scalar) {
    case Scalar::uint64:
      return std::to_string(static_cast<std::uint64_t>(value)) + "ul";
    case Scalar::uint32:
      return std::to_string(static_cast<std::uint32_t>(value)) + "u";
    case Scalar::int64:
      // C has no literal for the smallest number, because it reads the digits without the sign.
      if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807l - 1)";
      return std::to_string(value) + "l";
    default:
      return std::to_string(value);
  }
}

// The lines of a text without the indentation that all of them share, and without an empty first or
// last line.
std::string without_indent(std::string_view text) {
  if (text.starts_with('\n')) text.remove_prefix(1);
  const std::size_t end = text.find_last_not_of(" \t\n");
  text = end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
  std::size_t indent = std::string_view::npos;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view row = rest.substr(0, rest.find('\n'));
    const std::size_t first = row.find_first_not_of(" \t");
    if (first != std::string_view::npos) indent = std::min(indent, first);
    rest.remove_prefix(std::min(rest.size(), row.size() + 1));
  }
  std::string result;
  while (!text.empty()) {
    const std::string_view row = text.substr(0, text.find('\n'));
    result += row.substr(std::min(row.size(), indent));
    text.remove_prefix(std::min(text.size(), row.size() + 1));
    if (!text.empty()) result += '\n';
  }
  return result;
}

}  // namespace

Expr Expr::operator[](const Part& index) const {
  return made_as(Kind::index, {node_, index}, of(*this));
}
Expr Expr::called(Parts arguments) const {
  return Expr(make(Kind::call, {node_}, std::move(arguments), of(*this)));
}
Expr Expr::dot(std::string_view name) const {
  return made_as(Kind::member, {node_, ".", name}, of(*this));
}
Expr Expr::arrow(std::string_view name) const {
  return made_as(Kind::member, {node_, "->", name}, of(*this));
}

Expr var(std::string_view name, Position made) { return made_as(Kind::name, {name}, made); }
Expr literal(double value, Scalar scalar, Position made) {
  return made_as(Kind::literal, {text_of_real(value, scalar)}, made);
}
Expr literal(std::int64_t value, Scalar scalar, Position made) {
  return made_as(Kind::literal, {text_of_integer(value, scalar)}, made);
}
Expr string_literal(std::string_view text, Position made) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    c == '\n' ? quoted += "\\n" : quoted += c;
  }
  return made_as(Kind::literal, {quoted + "\""}, made);
}
Expr binary(std::string_view word, const Part& left, const Part& right, Position made) {
  return made_as(Kind::binary, {word, left, right}, made);
}
Expr prefix(std::string_view word, const Part& operand, Position made) {
  return made_as(Kind::prefix, {word, operand}, made);
}
Expr suffix(const Part& operand, std::string_view word, Position made) {
  return made_as(Kind::suffix, {operand, word}, made);
}
Expr ternary(const Part& condition, const Part& yes, const Part& no, Position made) {
  return made_as(Kind::ternary, {condition, yes, no}, made);
}
Expr call(const Part& callee, Parts arguments, Position made) {
  return Expr(make(Kind::call, {callee}, std::move(arguments), made));
}
Expr cast(const Part& type, const Part& operand, Position made) {
  return made_as(Kind::cast, {type, operand}, made);
}
Expr braces(const Part& type, Parts values, Position made) {
  return Expr(make(Kind::braces, {type}, std::move(values), made));
}
Expr lambda(std::string_view captures, Parts parameters, const Part& body, Position made) {
  return Expr(in_cuda(make(Kind::lambda, {captures, "", body}, std::move(parameters), made)));
}
Expr operator-(const Expr& operand) { return prefix("-", operand, of(operand)); }
Expr operator!(const Expr& operand) { return prefix("!", operand, of(operand)); }
Expr operator~(const Expr& operand) { return prefix("~", operand, of(operand)); }

NodePtr value(Part type, Part name, Position made) {
  return make(Kind::value, {std::move(type), std::move(name)}, made);
}
NodePtr scalar(Scalar scalar, std::string_view name, Position made) {
  NodePtr node = make(Kind::scalar, {name}, made);
  node->scalar = scalar;
  return node;
}
NodePtr vector(Scalar scalar, unsigned count, std::string_view name, Position made) {
  NodePtr node = make(Kind::scalar, {name, count}, made);
  node->scalar = scalar;
  return node;
}
NodePtr around(std::string_view before_type, std::string_view behind_type,
               std::string_view before_name, std::string_view behind_name, Part inner,
               Position made) {
  return make(Kind::around, {before_type, behind_type, before_name, behind_name, std::move(inner)},
              made);
}
NodePtr pointer(Part inner, Position made) {
  return around("", "", "*", "", std::move(inner), made);
}
NodePtr restrict_pointer(Part inner, Position made) {
  return around("", "", "*TREADLE_RESTRICT ", "", std::move(inner), made);
}
NodePtr global_pointer(Part inner, Position made) {
  return around("TREADLE_GLOBAL ", "", "*", "", std::move(inner), made);
}
NodePtr local_pointer(Part inner, Position made) {
  return around("TREADLE_LOCAL_POINTER ", "", "*", "", std::move(inner), made);
}
NodePtr reference(Part inner, Position made) {
  return in_cuda(around("", "", "&", "", std::move(inner), made));
}
NodePtr constant(Part inner, Position made) {
  return around("", "", "const ", "", std::move(inner), made);
}
NodePtr volatile_(Part inner, Position made) {
  return around("", "", "volatile ", "", std::move(inner), made);
}
NodePtr local(Part inner, Position made) {
  return around("TREADLE_LOCAL ", "", "", "", std::move(inner), made);
}
NodePtr constant_table(Part inner, Position made) {
  return around("TREADLE_CONSTANT ", "", "", "", std::move(inner), made);
}
NodePtr specifier(std::string_view word, Part inner, std::optional<Language> only_in,
                  Position made) {
  NodePtr node = around(joined({word, " "}), "", "", "", std::move(inner), made);
  node->only_in = only_in;
  return node;
}
NodePtr array(Part inner, Part count, Position made) {
  return make(Kind::array, {std::move(inner), std::move(count)}, made);
}
NodePtr function(Part inner, Parts parameters, Position made) {
  return make(Kind::function, {std::move(inner)}, std::move(parameters), made);
}
NodePtr structure(std::string_view name, Parts members, Position made) {
  return make(Kind::structure, {"struct", name}, std::move(members), made);
}
NodePtr template_of(std::string_view parameters, Part inner, Position made) {
  return in_cuda(make(Kind::template_of, {parameters, std::move(inner)}, made));
}

NodePtr statement(Part expression, Position made) {
  return make(Kind::expression, {std::move(expression)}, made);
}
NodePtr assign(Part left, Part right, std::string_view word, Position made) {
  return make(Kind::assignment, {std::move(left), word, std::move(right)}, made);
}
NodePtr declare(Part declarator, Position made) {
  return make(Kind::declaration, {std::move(declarator)}, made);
}
NodePtr initialize(Part declarator, Part value, Position made) {
  return make(Kind::initializer, {std::move(declarator), std::move(value)}, made);
}
NodePtr initialize_array(Part declarator, Parts values, Position made) {
  return make(Kind::array_initializer, {std::move(declarator)}, std::move(values), made);
}
NodePtr if_then(Part condition, Part yes, Part no, Position made) {
  return make(Kind::conditional, {std::move(condition), std::move(yes), std::move(no)}, made);
}
NodePtr for_loop(Part start, Part condition, Part update, Part body, Position made) {
  return make(Kind::for_loop,
              {std::move(start), std::move(condition), std::move(update), std::move(body)}, made);
}
NodePtr range_loop(Part declarator, Part range, Part body, Position made) {
  return in_cuda(
      make(Kind::range_loop, {std::move(declarator), std::move(range), std::move(body)}, made));
}
NodePtr while_loop(Part condition, Part body, Position made) {
  return make(Kind::while_loop, {std::move(condition), std::move(body)}, made);
}
NodePtr do_loop(Part condition, Part body, Position made) {
  return make(Kind::do_loop, {std::move(condition), std::move(body)}, made);
}
NodePtr switch_of(Part value, Parts cases, Position made) {
  return make(Kind::switch_of, {std::move(value)}, std::move(cases), made);
}
NodePtr case_of(Part value, Parts statements, Position made) {
  return make(Kind::case_of, {std::move(value)}, std::move(statements), made);
}
NodePtr return_(Part value, Position made) {
  return make(Kind::jump, {"return", std::move(value)}, made);
}
NodePtr break_(Position made) { return make(Kind::jump, {"break"}, made); }
NodePtr continue_(Position made) { return make(Kind::jump, {"continue"}, made); }
NodePtr block(Parts statements, Position made) {
  return with_list(Kind::block, std::move(statements), made);
}
NodePtr collection(Parts statements, Position made) {
  return with_list(Kind::collection, std::move(statements), made);
}
NodePtr namespace_(std::string_view name, Parts statements, Position made) {
  return in_cuda(make(Kind::scope, {joined({"namespace ", name})}, std::move(statements), made));
}
NodePtr function_body(Part declarator, Part body, Position made) {
  return make(Kind::function_body, {std::move(declarator), std::move(body)}, made);
}
NodePtr kernel_function(std::string_view name, Parts parameters, Part body, unsigned group_size,
                        Position made) {
  const std::string type =
      group_size == 0
          ? std::string("TREADLE_KERNEL")
          : joined({"TREADLE_KERNEL TREADLE_GROUP_OF(", std::to_string(group_size), ")"});
  return function_body(
      function(around(type, "", "", "", value("", name, made), made), std::move(parameters), made),
      std::move(body), made);
}
NodePtr device_function(Part result, Parts parameters, Part body, Position made) {
  return function_body(around("TREADLE_FUNCTION ", "", "", "",
                              function(std::move(result), std::move(parameters), made), made),
                       std::move(body), made);
}
NodePtr comment(std::string_view text, Position made) {
  return make(Kind::comment, {text, "", "// ", ""}, made);
}
NodePtr line(std::string_view text, Position made) { return make(Kind::line, {text}, made); }
NodePtr literal_lines(std::string_view text, Position made) {
  return make(Kind::literal_lines, {without_indent(text)}, made);
}
NodePtr define(std::string_view name, std::string_view text, Position made) {
  return make(Kind::directive, {"define", joined({name, text.empty() ? "" : " ", text})}, made);
}
NodePtr include(std::string_view file, bool is_system, Position made) {
  return make(Kind::directive,
              {"include", joined({is_system ? "<" : "\"", file, is_system ? ">" : "\""})}, made);
}
NodePtr pragma(std::string_view text, Position made) {
  return make(Kind::directive, {"pragma", text}, made);
}
NodePtr if_defined(std::string_view condition, Part yes, Part no, Position made) {
  return make(Kind::directive_branches, {"ifdef", condition, std::move(yes), std::move(no)}, made);
}

}  // namespace treadle::codegen::tree
