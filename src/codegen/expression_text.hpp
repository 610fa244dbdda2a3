// SPDX-License-Identifier: MIT
// Writes the steps of an expression as C statements; the kernels of all generators share this part.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/expression.hpp"

namespace treadle::codegen {

/// The C type in memory; for a record, which is moved as a whole, "record12_4" from its size and
/// alignment.
std::string memory_type(const DType& dtype, const Dialect& dialect);
/// "f32", "i8", "c64"; "b8" for bool.
std::string short_name(const DType& dtype);
/// Whether a step computes something.
bool is_operation(Op op) noexcept;

/// Defines the types of `items` adjacent elements, float32_x4; accesses have at most
/// `access_bytes`.
void write_vector_types(tree::BlockBuilder& code, const std::vector<DType>& dtypes, unsigned items,
                        std::size_t access_bytes, const Dialect& dialect);
/// The name of the type of `items` adjacent elements.
std::string neighbours_type(const DType& dtype, unsigned items);

/// The element `offset` elements after `place`: "x[i]" becomes "x[i + offset]".
std::string place_behind(const std::string& place, const std::string& offset);

/// Writes the values of one expression; each has a name of its own.
class ExpressionText {
 public:
  /// Gives the name of a leaf, a scalar or the position: "x0", "s1", "position".
  using Name = std::function<std::string(const Instruction&)>;
  /// Gives an lvalue for a leaf's element, with its type in memory; for the position a number.
  using Place = std::function<std::string(const Instruction&)>;

  /// How the expression fits into its kernel.
  struct Beside {
    /// The first so many leaves are not in memory but in variables with their names.
    std::size_t variables = 0;
    /// The first number for names of values; smaller numbers are taken.
    std::size_t first_number = 0;
    /// Whether leaves are in global memory: read_text() then reads them, not load_text().
    bool is_global = false;
  };

  ExpressionText(const Expression& expression, const Dialect& dialect, Name name, Beside beside)
      : expression_(expression), dialect_(dialect), name_(std::move(name)), beside_(beside) {}
  ExpressionText(const Expression& expression, const Dialect& dialect, Name name)
      : ExpressionText(expression, dialect, std::move(name), Beside{}) {}

  /// The variable that holds a value.
  std::string value_name(Value value) const;
  /// Defines the variable of a value, unless the value has a name already.
  void write_value(tree::BlockBuilder& code, Value value, const Place& place) const;
  /// Finds the values that are constant along the innermost loop; `is_constant` says which leaves
  /// are.
  void find_constants(const std::function<bool(const Instruction&)>& is_constant);
  /// Defines the variables of the constant values, or of all others.
  void write_values(tree::BlockBuilder& code, bool constant, const Place& place) const;
  /// The value in the user's terms: "add(multiply(s0, x0), multiply(s1, x1))". A shared value is
  /// repeated at each use, so the formula may be very long; it ends where a line does.
  std::string formula(Value value) const;

 private:
  void append_formula(std::string& text, Value value) const;
  std::string value_text(Value value, const Place& place) const;
  bool is_variable(const Instruction& step) const;

  const Expression& expression_;
  const Dialect& dialect_;
  Name name_;
  Beside beside_;
  std::vector<bool> constants_;
};

}  // namespace treadle::codegen
