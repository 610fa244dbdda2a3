// SPDX-License-Identifier: MIT
// Makes nodes of trees. Every function takes text or a node for each part, and stores the line of
// its caller in the node.
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

/// A sequence of nodes and texts.
using Parts = std::vector<Part>;

/// An expression whose C++ operators make larger expressions: `x[i] + 2 * y` makes that C
/// expression.
class Expr {
 public:
  /// The expression of a node.
  explicit Expr(NodePtr node) : node_(std::move(node)) {}
  // Implicit, because an expression may stand for any part.
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
  /// A call with its arguments in a list.
  Expr called(Parts arguments) const;
  /// A member of a value: `p.x`.
  Expr dot(std::string_view name) const;
  /// A member through a pointer: `p->x`.
  Expr arrow(std::string_view name) const;

 private:
  NodePtr node_;
};

/// A name. The printer checks that it is an identifier.
Expr var(std::string_view name, Position made = Position::here());
/// A number of float32 or float64, which compilers read as the same number. Throws DTypeError for
/// other dtypes.
Expr literal(double value, Scalar scalar = Scalar::float64, Position made = Position::here());
/// An integer, with the suffix of its type.
Expr literal(std::int64_t value, Scalar scalar = Scalar::int32, Position made = Position::here());
/// Text between quotes, escaped.
Expr string_literal(std::string_view text, Position made = Position::here());
/// An operation with two operands: binary("+", a, b).
Expr binary(std::string_view word, const Part& left, const Part& right,
            Position made = Position::here());
/// An operation with one operand: prefix("-", a), prefix("&", a), prefix("sizeof", a).
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
/// A C++ lambda: `[captures](parameters) { body }`.
Expr lambda(std::string_view captures, Parts parameters, const Part& body,
            Position made = Position::here());

/// The types that an operator accepts beside an expression.
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

/// `type name`, for any type with a name.
NodePtr value(Part type, Part name, Position made = Position::here());
/// A number of a scalar type; each language has its own name for the type.
NodePtr scalar(Scalar scalar, std::string_view name, Position made = Position::here());
/// A vector of 2, 3, 4 ... numbers of a scalar type.
NodePtr vector(Scalar scalar, unsigned count, std::string_view name,
               Position made = Position::here());
/// A pointer to what `inner` declares.
NodePtr pointer(Part inner, Position made = Position::here());
/// Like pointer(), with the promise that no other pointer refers to the elements.
NodePtr restrict_pointer(Part inner, Position made = Position::here());
/// A pointer to device memory: `__global` where the language says so.
NodePtr global_pointer(Part inner, Position made = Position::here());
/// A pointer to local memory.
NodePtr local_pointer(Part inner, Position made = Position::here());
/// A reference, of C++.
NodePtr reference(Part inner, Position made = Position::here());
/// `const` before the name: a pointer that is declared so is itself constant.
NodePtr constant(Part inner, Position made = Position::here());
/// `volatile` before the name.
NodePtr volatile_(Part inner, Position made = Position::here());
/// A variable in local memory: `__shared__`, `__local`.
NodePtr local(Part inner, Position made = Position::here());
/// A table outside kernels: `__constant__`, `__constant`.
NodePtr constant_table(Part inner, Position made = Position::here());
/// A word before the type: `static`, `extern "C"`, `typedef`. `only_in` is the only language that
/// has the word.
NodePtr specifier(std::string_view word, Part inner, std::optional<Language> only_in = {},
                  Position made = Position::here());
/// Text before and after the type, and before and after the name.
NodePtr around(std::string_view before_type, std::string_view behind_type,
               std::string_view before_name, std::string_view behind_name, Part inner,
               Position made = Position::here());
/// `inner[count]`; without a count `inner[]`.
NodePtr array(Part inner, Part count = {}, Position made = Position::here());
/// A function; `inner` declares its result and its name.
NodePtr function(Part inner, Parts parameters, Position made = Position::here());
/// `struct name { members }`; the members are declarators, or other lines that a structure may
/// contain.
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
/// `case value: statements`; without a value, `default:`.
NodePtr case_of(Part value, Parts statements, Position made = Position::here());
/// `return value;`, `return;`.
NodePtr return_(Part value = {}, Position made = Position::here());
/// `break;`.
NodePtr break_(Position made = Position::here());
/// `continue;`.
NodePtr continue_(Position made = Position::here());
/// Statements in braces.
NodePtr block(Parts statements = {}, Position made = Position::here());
/// Statements one after the other, without braces; a module is a collection.
NodePtr collection(Parts statements = {}, Position made = Position::here());
/// `namespace name { statements }`, of C++.
NodePtr namespace_(std::string_view name, Parts statements, Position made = Position::here());
/// A function with its body, a block.
NodePtr function_body(Part declarator, Part body, Position made = Position::here());
/// A kernel, in any language. `group_size` is the number of work-items of a group; 0: any.
NodePtr kernel_function(std::string_view name, Parts parameters, Part body, unsigned group_size = 0,
                        Position made = Position::here());
/// A function that kernels call; `result` declares its result and its name.
NodePtr device_function(Part result, Parts parameters, Part body, Position made = Position::here());
/// `// text`, one comment for each line of the text.
NodePtr comment(std::string_view text, Position made = Position::here());
/// A line, unchanged and without a semicolon; an empty text gives an empty line.
NodePtr line(std::string_view text = "", Position made = Position::here());
/// Lines of text without the indentation that all of them share.
NodePtr literal_lines(std::string_view text, Position made = Position::here());
/// `#define name text`.
NodePtr define(std::string_view name, std::string_view text, Position made = Position::here());
/// `#include <file>`, or `#include "file"` if it is not a system header.
NodePtr include(std::string_view file, bool is_system = true, Position made = Position::here());
/// `#pragma text`.
NodePtr pragma(std::string_view text, Position made = Position::here());
/// `#ifdef condition`, `yes`, and, if there is one, `#else` and `no`.
NodePtr if_defined(std::string_view condition, Part yes, Part no = {},
                   Position made = Position::here());

}  // namespace treadle::codegen::tree
