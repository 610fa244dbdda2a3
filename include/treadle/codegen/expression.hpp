// SPDX-License-Identifier: MIT
// What is computed for each element of an index space: straight-line code over numbered values. It
// is the load stage and the store stage of every generator, and knows no device, pointer or extent.
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

/// One step. Every step rounds to its own dtype; operands of operations already have the dtype that
/// the operation computes in (casts are steps of their own), so a + b of float32 and float64 is a
/// cast and an add.
struct Instruction {
  Op op;         ///< what is done
  Scalar dtype;  ///< of the result; Scalar::structure for a leaf that is a record
  /// The operands, as many as the operation has. Of Op::leaf and Op::scalar the first is the number
  /// of the leaf or scalar; of Op::gather the second is the number of the leaf.
  std::array<Value, 3> operands = {};
  /// The leaf that Op::leaf or Op::gather reads.
  std::size_t leaf() const noexcept { return operands[op == Op::gather ? 1 : 0]; }
  bool operator==(const Instruction&) const = default;
};

/// An input whose elements lie in memory.
struct LeafSpec {
  DType dtype;  ///< of an element
  /// Number of the output whose elements these are, read before they are written; -1: none. Such a
  /// leaf is read through the output's pointer.
  std::int8_t in_place = -1;
  /// Read by one Op::gather, and by nothing else: at places that the expression computes.
  bool is_gathered = false;
  bool operator==(const LeafSpec&) const = default;
};

/// The expression z = f(leaves, scalars). Immutable once it is built.
struct Expression {
  std::vector<Instruction> instructions;  ///< operands before those who use them
  std::vector<LeafSpec> leaves;
  std::vector<Scalar> scalars;  ///< dtypes of what the launch passes by value
  std::vector<Value> outputs;   ///< each is stored; several may be the same value
  /// A value of int64: the only output is stored so many elements behind where it lies, or nowhere
  /// if that is less than 0. No place may be named twice, or one of those values is there then.
  std::optional<Value> scatter = {};

  /// The dtype of a value: of a leaf that of LeafSpec.
  DType dtype_of(Value value) const;
  /// Estimated instructions for one element.
  unsigned cost() const noexcept;
  /// Throws InvalidArgument naming the first instruction whose operands come later than itself or
  /// do not exist, whose leaf or scalar does not exist or has another dtype, or whose operands have
  /// dtypes that its operation does not compute in.
  void require_valid() const;
  /// Equal for expressions that give the same text.
  std::string key() const {
    std::string key;
    append_key(key);
    return key;
  }
  void append_key(std::string& key) const;  ///< the same behind what is there
  /// Whether Op::iota is among the instructions.
  bool uses_position() const noexcept;
  bool operator==(const Expression&) const = default;
};

/// Builds an Expression step by step. Equal steps become one value, and of an operation that may
/// exchange its operands the one that was made first stands first: x * y + y * x is one product.
class ExpressionBuilder {
 public:
  ExpressionBuilder();
  /// Number of an input that is read; each call is a leaf of its own.
  Value leaf(const DType& dtype, int in_place = -1);
  /// A value that the launch passes; each call is a parameter of its own.
  Value scalar(Scalar dtype);
  /// The element of an input of its own that lies `offset` elements behind the one at a place.
  Value gather(const DType& dtype, Value offset);
  /// The position in the index space.
  Value position();
  /// One step on values made before.
  Value step(Op op, Scalar dtype, std::initializer_list<Value> operands);
  /// The value in another dtype; itself if it has that already.
  Value cast(Value value, Scalar dtype);
  /// Stores a value as the next output.
  void output(Value value);
  /// The output is stored `offset` elements behind where it lies; see Expression::scatter.
  void scatter(Value offset) { expression_.scatter = offset; }

  /// All that was built. Throws as Expression::require_valid(), and InvalidArgument for more than
  /// 255 instructions or for none stored.
  Expression build() const;
  /// What was built so far, not checked: whoever makes a kernel of it does so once.
  const Expression& expression() const noexcept { return expression_; }
  /// Forgets it, but not the room that it took.
  void clear() noexcept;

 private:
  Value add(const Instruction& instruction);
  Value append(const Instruction& instruction);

  Expression expression_;
};

}  // namespace treadle::codegen
