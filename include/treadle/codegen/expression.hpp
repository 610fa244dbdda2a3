// SPDX-License-Identifier: MIT
// The computation of one element of an index space: straight-line code over numbered values. Every
// generator uses it to load and to store elements. It knows no device, pointer or extent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/base/op.hpp"

namespace treadle::codegen {

/// A value of an Expression: the index of the instruction that makes it.
using Value = std::uint8_t;

/// One step. A step rounds to its own dtype. The operands of an operation already have the dtype in
/// which the operation computes, and casts are separate steps: a + b of float32 and float64 is a
/// cast and an add.
struct Instruction {
  Op op;         ///< the operation
  Scalar dtype;  ///< dtype of the result; Scalar::structure for a leaf that is a record
  /// The operands, as many as the operation has. The first operand of Op::leaf and Op::scalar is
  /// the number of the leaf or scalar; the second operand of Op::gather is the number of its leaf.
  std::array<Value, 3> operands = {};
  /// The leaf that Op::leaf or Op::gather reads.
  std::size_t leaf() const noexcept { return operands[op == Op::gather ? 1 : 0]; }
  bool operator==(const Instruction&) const = default;
};

/// An input whose elements lie in memory.
struct LeafSpec {
  DType dtype;  ///< of an element
  /// The number of the output that shares its memory with this leaf; each element is read before it
  /// is written. Such a leaf is read through the output's pointer. -1: none.
  std::int8_t in_place = -1;
  /// One Op::gather reads this leaf, at places that the expression computes; no other step reads
  /// it.
  bool is_gathered = false;
  bool operator==(const LeafSpec&) const = default;
};

/// The expression z = f(leaves, scalars). Immutable once it is built.
struct Expression {
  std::vector<Instruction> instructions;  ///< each after the instructions of its operands
  std::vector<LeafSpec> leaves;
  std::vector<Scalar> scalars;  ///< dtypes of the values that the launch passes
  std::vector<Value> outputs;   ///< the values stored; several outputs may be the same value
  /// An int64 value: the distance in elements by which the only output is moved before it is
  /// stored; a negative distance stores nothing. If two elements go to one place, one of them ends
  /// up there.
  std::optional<Value> scatter = {};

  /// The dtype of a value; for a leaf the dtype of its LeafSpec.
  DType dtype_of(Value value) const;
  /// Estimated instructions for one element.
  unsigned cost() const noexcept;
  /// Throws InvalidArgument naming the first instruction with a fault: an operand that does not
  /// exist or comes later, a leaf or scalar that does not exist or has another dtype, or an operand
  /// whose dtype the operation does not compute in.
  void require_valid() const;
  /// Expressions with equal keys have the same text.
  std::string key() const {
    std::string key;
    append_key(key);
    return key;
  }
  void append_key(std::string& key) const;  ///< appends key() to `key`
  /// Whether Op::iota is among the instructions.
  bool uses_position() const noexcept;
  bool operator==(const Expression&) const = default;
};

/// Builds an Expression step by step. Equal steps become one value. The operands of a commutative
/// operation are sorted by their numbers, so that x * y + y * x has one product.
class ExpressionBuilder {
 public:
  ExpressionBuilder();
  /// Adds an input. Each call adds another leaf.
  Value leaf(const DType& dtype, int in_place = -1);
  /// Adds a value that the launch passes. Each call adds another parameter.
  Value scalar(Scalar dtype);
  /// Adds an input and reads its element `offset` elements after the current position.
  Value gather(const DType& dtype, Value offset);
  /// The position in the index space.
  Value position();
  /// Adds an operation on earlier values.
  Value step(Op op, Scalar dtype, std::initializer_list<Value> operands);
  /// Converts a value to another dtype; returns the value itself if it has that dtype.
  Value cast(Value value, Scalar dtype);
  /// Stores a value as the next output.
  void output(Value value);
  /// Moves the output by `offset` elements when it is stored; see Expression::scatter.
  void scatter(Value offset) { expression_.scatter = offset; }

  /// Returns the expression. Throws as Expression::require_valid(), and InvalidArgument for more
  /// than 255 instructions or if no output is stored.
  Expression build() const;
  /// The expression so far, not checked: the code that makes a kernel of it checks it once.
  const Expression& expression() const noexcept { return expression_; }
  /// Removes all steps, but keeps the memory.
  void clear() noexcept;

 private:
  Value add(const Instruction& instruction);
  Value append(const Instruction& instruction);

  Expression expression_;
};

}  // namespace treadle::codegen
