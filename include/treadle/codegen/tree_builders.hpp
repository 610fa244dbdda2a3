// SPDX-License-Identifier: MIT
// Makes nodes of trees. Every function takes text wherever it takes a node, and remembers the line
// that called it.
//
//     auto i = var("i"), n = var("n"), x = var("x");
//     NodePtr kernel = kernel_function("scale", {global_pointer(scalar(Scalar::float32, "x")),
//                                                scalar(Scalar::int32, "n")},
//                                      block({initialize(scalar(Scalar::int32, "i"),
//                                      "treadle_global_id(0)"),
//                                             if_then(i < n, assign(x[i], 2 * x[i]))}));
//     print(kernel, Language::cuda_c);
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen::tree {

/// Nodes and texts in a row.
using Parts = std::vector<Part>;

/// An expression on which C++'s operators make further ones. `x[i] + 2 * y` is written as such.
class Expr {
 public:
  /// The expression of a node.
  explicit Expr(NodePtr node) : node_(std::move(node)) {}
  // Implicit: an expression is a part wherever one is taken.
  operator Part() const { return Part(node_); }
  operator NodePtr() const { return node_; }
  /// The expression's node.
  const NodePtr& node() const noexcept { return node_; }

  /// An element: `x[i]`.
  Expr operator[](const Part& index) const;
  /// A call: `f(a, b)`.
  template <class... Arguments>
  Expr operator()(const Arguments&... arguments) const {
    return called({Part(arguments)...});
  }
  /// A call with arguments in a row.
  Expr called(Parts arguments) const;
  /// A member: `p.x`.
  Expr dot(std::string_view name) const;
  /// A member behind a pointer: `p->x`.
  Expr arrow(std::string_view name) const;

 private:
  NodePtr node_;
};

/// A name. It is checked to be an identifier when it is printed.
Expr var(std::string_view name, Position made = Position::here());
/// A number of float32 or float64 that is read again as the same. Throws DTypeError for others.
Expr literal(double value, Scalar scalar = Scalar::float64, Position made = Position::here());
/// An integer, with the suffix of its type.
Expr literal(std::int64_t value, Scalar scalar = Scalar::int32, Position made = Position::here());
/// Text between quotes, escaped.
Expr string_literal(std::string_view text, Position made = Position::here());
/// An operation of two values: binary("+", a, b).
Expr binary(std::string_view word, const Part& left, const Part& right,
            Position made = Position::here());
/// An operation of one: prefix("-", a), prefix("&", a), prefix("sizeof", a).
Expr prefix(std::string_view word, const Part& operand, Position made = Position::here());
/// suffix(a, "++").
Expr suffix(const Part& operand, std::string_view word, Position made = Position::here());
/// `condition ? yes : no`.
Expr ternary(const Part& condition, const Part& yes, const Part& no,
             Position made = Position::here());
/// `callee(arguments)`.
Expr call(const Part& callee, Parts arguments, Position made = Position::here());
/// `(type)operand`; the type is text or a declarator without a name.
Expr cast(const Part& type, const Part& operand, Position made = Position::here());
/// `type{values}`; the type may be empty.
Expr braces(const Part& type, Parts values, Position made = Position::here());
/// `[captures](parameters) { body }`, of C++.
Expr lambda(std::string_view captures, Parts parameters, const Part& body,
            Position made = Position::here());

/// Something that an operator with an expression takes beside it.
template <class T>
concept Operand = std::constructible_from<Part, T>;

#define TREADLE_OPERATOR(word)                                     \
  inline Expr operator word(const Expr& left, const Expr& right) { \
    return binary(#word, Part(left), Part(right));                 \
  }                                                                \
  template <Operand T>                                             \
  Expr operator word(const Expr& left, const T& right) {           \
    return binary(#word, Part(left), Part(right));                 \
  }                                                                \
  template <Operand T>                                             \
  Expr operator word(const T& left, const Expr& right) {           \
    return binary(#word, Part(left), Part(right));                 \
  }
TREADLE_OPERATOR(+)
TREADLE_OPERATOR(-)
TREADLE_OPERATOR(*)
TREADLE_OPERATOR(/)
TREADLE_OPERATOR(%)
TREADLE_OPERATOR(<)
TREADLE_OPERATOR(<=)
TREADLE_OPERATOR(>)
TREADLE_OPERATOR(>=)
TREADLE_OPERATOR(==)
TREADLE_OPERATOR(!=)
TREADLE_OPERATOR(&&)
TREADLE_OPERATOR(||)
TREADLE_OPERATOR(&)
TREADLE_OPERATOR(|)
TREADLE_OPERATOR(^)
TREADLE_OPERATOR(<<)
TREADLE_OPERATOR(>>)
#undef TREADLE_OPERATOR
/// `-a`.
Expr operator-(const Expr& operand);
/// `!a`.
Expr operator!(const Expr& operand);
/// `~a`.
Expr operator~(const Expr& operand);

// Declarators.

/// `type name`: any type, by its name.
NodePtr value(Part type, Part name, Position made = Position::here());
/// A number by its type; each language has its own name for that.
NodePtr scalar(Scalar scalar, std::string_view name, Position made = Position::here());
/// A vector of 2, 3, 4 ... numbers.
NodePtr vector(Scalar scalar, unsigned count, std::string_view name,
               Position made = Position::here());
/// A pointer to what `inner` declares.
NodePtr pointer(Part inner, Position made = Position::here());
/// The same, of which nothing else refers to the elements.
NodePtr restrict_pointer(Part inner, Position made = Position::here());
/// A pointer to device memory: `__global` where the language says so.
NodePtr global_pointer(Part inner, Position made = Position::here());
/// A pointer to memory of the group.
NodePtr local_pointer(Part inner, Position made = Position::here());
/// A reference, of C++.
NodePtr reference(Part inner, Position made = Position::here());
/// `const` before the name: of the pointer, where the declarator is one.
NodePtr constant(Part inner, Position made = Position::here());
/// `volatile`, likewise.
NodePtr volatile_(Part inner, Position made = Position::here());
/// Memory of the group: `__shared__`, `__local`.
NodePtr local(Part inner, Position made = Position::here());
/// A table outside of kernels: `__constant__`, `__constant`.
NodePtr constant_table(Part inner, Position made = Position::here());
/// A word and a blank before the type: `static`, `extern "C"`, `typedef`. `only_in`: the language
/// that has it.
NodePtr specifier(std::string_view word, Part inner, std::optional<Language> only_in = {},
                  Position made = Position::here());
/// Text before and behind the type, before and behind the name.
NodePtr around(std::string_view before_type, std::string_view behind_type,
               std::string_view before_name, std::string_view behind_name, Part inner,
               Position made = Position::here());
/// `inner[count]`; without a count `inner[]`.
NodePtr array(Part inner, Part count = {}, Position made = Position::here());
/// A function that returns what `inner` declares and is called as it.
NodePtr function(Part inner, Parts parameters, Position made = Position::here());
/// `struct name { members }`: declarators, and what else may stand in one.
NodePtr structure(std::string_view name, Parts members, Position made = Position::here());
/// `template <parameters>` before a declarator, of C++.
NodePtr template_of(std::string_view parameters, Part inner, Position made = Position::here());

// Statements.

/// `expression;`.
NodePtr statement(Part expression, Position made = Position::here());
/// `left = right;`, or another operator in its place: "+=".
NodePtr assign(Part left, Part right, std::string_view word = "=",
               Position made = Position::here());
/// `declarator;`.
NodePtr declare(Part declarator, Position made = Position::here());
/// `declarator = value;`.
NodePtr initialize(Part declarator, Part value, Position made = Position::here());
/// `declarator = {values};`.
NodePtr initialize_array(Part declarator, Parts values, Position made = Position::here());
/// `if (condition) yes else no`; without `no` no else.
NodePtr if_then(Part condition, Part yes, Part no = {}, Position made = Position::here());
/// `for (start; condition; update) body`.
NodePtr for_loop(Part start, Part condition, Part update, Part body,
                 Position made = Position::here());
/// `for (declarator : range) body`, of C++.
NodePtr range_loop(Part declarator, Part range, Part body, Position made = Position::here());
/// `while (condition) body`.
NodePtr while_loop(Part condition, Part body, Position made = Position::here());
/// `do body while (condition);`.
NodePtr do_loop(Part condition, Part body, Position made = Position::here());
/// `switch (value) { cases }`.
NodePtr switch_of(Part value, Parts cases, Position made = Position::here());
/// `case value: statements`; without a value `default:`.
NodePtr case_of(Part value, Parts statements, Position made = Position::here());
/// `return value;`, `return;`.
NodePtr return_(Part value = {}, Position made = Position::here());
/// `break;`.
NodePtr break_(Position made = Position::here());
/// `continue;`.
NodePtr continue_(Position made = Position::here());
/// Statements between braces.
NodePtr block(Parts statements = {}, Position made = Position::here());
/// Statements one behind the other; a module is one.
NodePtr collection(Parts statements = {}, Position made = Position::here());
/// `namespace name { statements }`, of C++.
NodePtr namespace_(std::string_view name, Parts statements, Position made = Position::here());
/// A function with its body, a block.
NodePtr function_body(Part declarator, Part body, Position made = Position::here());
/// A kernel, for every language. `group_size` is the number of work-items of a group; 0: any.
NodePtr kernel_function(std::string_view name, Parts parameters, Part body, unsigned group_size = 0,
                        Position made = Position::here());
/// A function that kernels call, which returns what `result` declares and is called as it.
NodePtr device_function(Part result, Parts parameters, Part body, Position made = Position::here());
/// `// text`, for each line of it.
NodePtr comment(std::string_view text, Position made = Position::here());
/// A line as it is, without a semicolon; empty: an empty line.
NodePtr line(std::string_view text = "", Position made = Position::here());
/// Lines as somebody wrote them, but for the blanks that all of them begin with.
NodePtr literal_lines(std::string_view text, Position made = Position::here());
/// `#define name text`.
NodePtr define(std::string_view name, std::string_view text, Position made = Position::here());
/// `#include <file>`, or with quotes if it is not the system's.
NodePtr include(std::string_view file, bool is_system = true, Position made = Position::here());
/// `#pragma text`.
NodePtr pragma(std::string_view text, Position made = Position::here());
/// `#ifdef condition`.
NodePtr if_defined(std::string_view condition, Part yes, Part no = {},
                   Position made = Position::here());

}  // namespace treadle::codegen::tree
