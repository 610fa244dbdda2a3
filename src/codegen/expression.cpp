// SPDX-License-Identifier: MIT
#include "treadle/codegen/expression.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::codegen {
namespace {

bool exchanges_operands(Op op) {
  switch (op) {
    case Op::add:
    case Op::multiply:
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
      return true;
    default:
      return false;
  }
}

/// Throws InvalidArgument about one instruction of an Expression.
class InstructionCheck {
 public:
  InstructionCheck(const Expression& expression, std::size_t number)
      : expression_(expression), number_(number), instruction_(expression.instructions[number]) {}

  void run() const {
    switch (instruction_.op) {
      case Op::leaf:
        return check_leaf();
      case Op::scalar:
        return check_scalar();
      case Op::gather:
        return check_gather();
      case Op::iota:
        if (instruction_.dtype != Scalar::int64) refuse("gives int64");
        return;
      default:
        check_order();
        check_dtypes();
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InvalidArgument("instruction " + std::to_string(number_) + " of an expression, " +
                              std::string(op_info(instruction_.op).name) + ", " + why,
                          "let ExpressionBuilder number the values");
  }
  DType operand(std::size_t i) const { return expression_.dtype_of(instruction_.operands[i]); }

  void check_leaf() const {
    const std::size_t leaf = instruction_.operands[0];
    if (leaf >= expression_.leaves.size())
      refuse("reads leaf " + std::to_string(leaf) + " of " +
             std::to_string(expression_.leaves.size()));
    const LeafSpec& spec = expression_.leaves[leaf];
    if (spec.is_gathered) refuse("reads what is gathered");
    if (spec.dtype.scalar() != instruction_.dtype)
      refuse("is " + DType(instruction_.dtype).name() + " and its leaf " + spec.dtype.name());
    if (spec.in_place >= static_cast<int>(expression_.outputs.size()))
      refuse("is in place of output " + std::to_string(spec.in_place) + " of " +
             std::to_string(expression_.outputs.size()));
    if (spec.in_place >= 0) {
      const Value stored = expression_.outputs[static_cast<std::size_t>(spec.in_place)];
      if (stored < expression_.instructions.size() && stored > number_ &&
          !(expression_.dtype_of(stored) == spec.dtype))
        refuse("has another dtype than the output in whose place it is");
    }
  }
  void check_gather() const {
    check_order();
    const std::size_t leaf = instruction_.leaf();
    if (leaf >= expression_.leaves.size() || !expression_.leaves[leaf].is_gathered ||
        expression_.leaves[leaf].in_place >= 0)
      refuse("reads leaf " + std::to_string(leaf) + ", which is not gathered");
    if (expression_.leaves[leaf].dtype.scalar() != instruction_.dtype ||
        !(operand(0) == Scalar::int64))
      refuse("takes int64 and gives the dtype of its leaf");
  }
  void check_scalar() const {
    const std::size_t scalar = instruction_.operands[0];
    if (scalar >= expression_.scalars.size())
      refuse("is scalar " + std::to_string(scalar) + " of " +
             std::to_string(expression_.scalars.size()));
    if (expression_.scalars[scalar] != instruction_.dtype)
      refuse("is " + DType(instruction_.dtype).name() + " and its scalar " +
             DType(expression_.scalars[scalar]).name());
  }
  void check_order() const {
    for (std::size_t i = 0; i < op_info(instruction_.op).arity; ++i)
      if (instruction_.operands[i] >= number_)
        refuse("uses value " + std::to_string(instruction_.operands[i]) +
               ", which is not made before it");
  }
  /// Operands must have the dtypes in which the operation computes; a cast is a separate step.
  void check_dtypes() const {
    const OpInfo& info = op_info(instruction_.op);
    if (instruction_.op == Op::cast) {
      if (instruction_.dtype == Scalar::structure || operand(0).scalar() == Scalar::structure)
        refuse("takes and gives no records");
      return;
    }
    if (instruction_.op == Op::where && instruction_.dtype == Scalar::structure) {
      if (!(operand(0) == Scalar::boolean) || !(operand(1) == operand(2)))
        refuse("takes bool and two records of one dtype");
      return;
    }
    const OpDtypes dtypes = resolved(info.arity);
    for (std::size_t i = 0; i < info.arity; ++i)
      // Logical operations need no cast to test whether a number is zero.
      if (info.rule != OpRule::logical && !(operand(i) == dtypes.operands[i]))
        refuse("has an operand of " + operand(i).name() + " where it computes in " +
               DType(dtypes.operands[i]).name());
    if (dtypes.result != instruction_.dtype)
      refuse("gives " + DType(dtypes.result).name() + ", not " + DType(instruction_.dtype).name());
  }
  OpDtypes resolved(std::size_t arity) const {
    std::array<OperandType, 3> types = {Scalar::boolean, Scalar::boolean, Scalar::boolean};
    for (std::size_t i = 0; i < arity; ++i) types[i] = operand(i).scalar();
    try {
      return resolve(instruction_.op, std::span(types.data(), arity));
    } catch (const DTypeError& error) {
      refuse(error.message());
    }
  }

  const Expression& expression_;
  std::size_t number_;
  const Instruction& instruction_;
};

}  // namespace

DType Expression::dtype_of(Value value) const {
  const Instruction& instruction = instructions.at(value);
  if (instruction.op == Op::leaf || instruction.op == Op::gather)
    return leaves.at(instruction.leaf()).dtype;
  // Only leaf, gather and where() give records.
  if (instruction.dtype == Scalar::structure) return dtype_of(instruction.operands[1]);
  return instruction.dtype;
}

unsigned Expression::cost() const noexcept {
  unsigned cost = 0;
  for (const Instruction& instruction : instructions) cost += op_info(instruction.op).cost;
  return cost;
}

void Expression::require_valid() const {
  for (std::size_t i = 0; i < instructions.size(); ++i) InstructionCheck(*this, i).run();
  for (const Value output : outputs)
    if (output >= instructions.size())
      throw InvalidArgument("an expression of " + std::to_string(instructions.size()) +
                                " instructions stores value " + std::to_string(output),
                            "store a value that is made");
  if (scatter && (*scatter >= instructions.size() || outputs.size() != 1 ||
                  !(dtype_of(*scatter) == Scalar::int64)))
    throw InvalidArgument("an expression scatters one output, to places of int64");
}

void Expression::append_key(std::string& key) const {
  const auto put = [&](auto number) { key += static_cast<char>(number); };
  const auto put_all = [&]<class T>(const std::vector<T>& values) {
    static_assert(std::has_unique_object_representations_v<T>);
    key.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  };
  for (const std::size_t count :
       {instructions.size(), leaves.size(), scalars.size(), outputs.size()})
    put(count);
  put_all(instructions);
  for (const LeafSpec& leaf : leaves) {
    put(leaf.in_place * 2 + static_cast<int>(leaf.is_gathered));
    put(leaf.dtype.scalar());
    // The text knows a record by its name and moves all its bytes.
    if (leaf.dtype.scalar() == Scalar::structure)
      key += leaf.dtype.name() + '\0' + std::to_string(leaf.dtype.size_bytes()) + '\0';
  }
  put_all(scalars);
  put_all(outputs);
  if (scatter) put(*scatter);
}

bool Expression::uses_position() const noexcept {
  return std::ranges::any_of(instructions, [](const Instruction& i) { return i.op == Op::iota; });
}

Value ExpressionBuilder::leaf(const DType& dtype, int in_place) {
  expression_.leaves.push_back({dtype, static_cast<std::int8_t>(in_place)});
  return append({Op::leaf, dtype.scalar(), {static_cast<Value>(expression_.leaves.size() - 1)}});
}

Value ExpressionBuilder::scalar(Scalar dtype) {
  expression_.scalars.push_back(dtype);
  return append({Op::scalar, dtype, {static_cast<Value>(expression_.scalars.size() - 1)}});
}

Value ExpressionBuilder::gather(const DType& dtype, Value offset) {
  expression_.leaves.push_back({dtype, -1, true});
  return add(
      {Op::gather, dtype.scalar(), {offset, static_cast<Value>(expression_.leaves.size() - 1)}});
}

Value ExpressionBuilder::position() { return add({Op::iota, Scalar::int64}); }

Value ExpressionBuilder::step(Op op, Scalar dtype, std::initializer_list<Value> operands) {
  Instruction instruction{op, dtype};
  if (operands.size() != op_info(op).arity)
    throw InvalidArgument(std::string(op_info(op).name) + " takes " +
                              std::to_string(op_info(op).arity) + " operands, not " +
                              std::to_string(operands.size()),
                          "pass as many values as treadle/base/op.def says");
  std::ranges::copy(operands, instruction.operands.begin());
  if (exchanges_operands(op) && instruction.operands[1] < instruction.operands[0])
    std::swap(instruction.operands[0], instruction.operands[1]);
  return add(instruction);
}

Value ExpressionBuilder::cast(Value value, Scalar dtype) {
  if (expression_.instructions.at(value).dtype == dtype) return value;
  return step(Op::cast, dtype, {value});
}

void ExpressionBuilder::output(Value value) { expression_.outputs.push_back(value); }

ExpressionBuilder::ExpressionBuilder() {
  // Most expressions are small; growing the vector step by step costs more than this room.
  expression_.instructions.reserve(16);
  expression_.leaves.reserve(8);
  expression_.scalars.reserve(8);
}

void ExpressionBuilder::clear() noexcept {
  expression_.instructions.clear();
  expression_.leaves.clear();
  expression_.scalars.clear();
  expression_.outputs.clear();
  expression_.scatter.reset();
}

Expression ExpressionBuilder::build() const {
  if (expression_.outputs.empty())
    throw InvalidArgument("an expression stores nothing", "name an output");
  expression_.require_valid();
  return expression_;
}

Value ExpressionBuilder::add(const Instruction& instruction) {
  const auto& all = expression_.instructions;
  const auto found = std::ranges::find(all, instruction);
  return found != all.end() ? static_cast<Value>(found - all.begin()) : append(instruction);
}

/// Appends a step that the expression cannot contain yet.
Value ExpressionBuilder::append(const Instruction& instruction) {
  auto& all = expression_.instructions;
  if (all.size() == 255)
    throw InvalidArgument("an expression has at most 255 instructions", "evaluate a part of it");
  all.push_back(instruction);
  return static_cast<Value>(all.size() - 1);
}

}  // namespace treadle::codegen
