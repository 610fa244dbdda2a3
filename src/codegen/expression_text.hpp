// SPDX-License-Identifier: MIT
// The steps of an expression as C statements: the part that kernels of every generator share.
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

/// "record12_4": the type of records of this size and alignment, which are moved whole; of scalars
/// their type in memory.
std::string memory_type(const DType& dtype, const Dialect& dialect);
/// "f32", "i8", "c64"; "b8" for bool.
std::string short_name(const DType& dtype);
/// Whether a step computes something.
bool is_operation(Op op) noexcept;

/// Defines the types of `items` neighbours that are read or written by accesses of at most
/// `access_bytes`: float32_x4.
void write_vector_types(tree::BlockBuilder& code, const std::vector<DType>& dtypes, unsigned items,
                        std::size_t access_bytes, const Dialect& dialect);
/// The name of such a type.
std::string neighbours_type(const DType& dtype, unsigned items);

/// Of "x[i]" the element `offset` elements behind: "x[i + offset]".
std::string place_behind(const std::string& place, const std::string& offset);

/// Writes values of one expression under names of their own.
class ExpressionText {
 public:
  /// What stands for a leaf, a scalar or the position: "x0", "s1", "position".
  using Name = std::function<std::string(const Instruction&)>;
  /// Where a leaf's element is, an lvalue of its type in memory; of the position a number.
  using Place = std::function<std::string(const Instruction&)>;

  /// How it goes with what else is in the kernel.
  struct Beside {
    /// That many leaves, the first, are no elements in memory but variables, under their names.
    std::size_t variables = 0;
    /// Numbers of values begin there: those below are taken.
    std::size_t first_number = 0;
    /// Places of leaves are in global memory: read_text() reads them, not load_text().
    bool is_global = false;
  };

  ExpressionText(const Expression& expression, const Dialect& dialect, Name name, Beside beside)
      : expression_(expression), dialect_(dialect), name_(std::move(name)), beside_(beside) {}
  ExpressionText(const Expression& expression, const Dialect& dialect, Name name)
      : ExpressionText(expression, dialect, std::move(name), Beside{}) {}

  /// The variable that holds a value.
  std::string value_name(Value value) const;
  /// Defines that variable, unless the value has it already.
  void write_value(tree::BlockBuilder& code, Value value, const Place& place) const;
  /// Finds the values that are the same along the innermost loop, by what is said of leaves.
  void find_constants(const std::function<bool(const Instruction&)>& is_constant);
  /// Defines the variables of those, or of all others.
  void write_values(tree::BlockBuilder& code, bool constant, const Place& place) const;
  /// The value as its user wrote it: "add(multiply(s0, x0), multiply(s1, x1))". Shared values are
  /// written out again each time, so the whole may be endless: it ends where a line does.
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
