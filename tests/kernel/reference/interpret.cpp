// SPDX-License-Identifier: MIT
#include "kernel/reference/interpret.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "kernel/reference/host_value.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::kernel {
namespace {

using codegen::Expression;
using codegen::Instruction;

std::string number_text(const char* what, std::size_t given, std::size_t wanted) {
  return std::to_string(given) + " " + what + " for an expression that has " +
         std::to_string(wanted);
}

void require_counts(const Expression& expression, std::size_t leaves, std::size_t scalars,
                    std::size_t outputs) {
  if (leaves != expression.leaves.size())
    throw InvalidArgument(number_text("inputs", leaves, expression.leaves.size()));
  if (scalars != expression.scalars.size())
    throw InvalidArgument(number_text("scalars", scalars, expression.scalars.size()));
  if (outputs != expression.outputs.size() || outputs == 0)
    throw InvalidArgument(number_text("outputs", outputs, expression.outputs.size()));
}

// The dtypes of an instruction's operands must be those that the rules would cast to.
HostFunction function_of(const Expression& expression, const Instruction& instruction) {
  const auto dtype_of = [&](std::size_t operand) {
    return expression.instructions[instruction.operands[operand]].dtype;
  };
  const Scalar first = dtype_of(0);
  if (instruction.op == Op::cast) return cast_function(first, instruction.dtype);
  std::vector<OperandType> types;
  for (std::size_t i = 0; i < op_info(instruction.op).arity; ++i) types.emplace_back(dtype_of(i));
  const OpDtypes dtypes = resolve(instruction.op, types);
  for (std::size_t i = 0; i < types.size(); ++i)
    if (dtypes.operands[i] != dtype_of(i) || dtypes.result != instruction.dtype)
      throw DTypeError("operation " + std::string(op_info(instruction.op).name) + " gives " +
                       DType(dtypes.result).name() + " of operands that are cast to " +
                       DType(dtypes.operands[i]).name() + ", not " +
                       DType(instruction.dtype).name() + " of " + DType(dtype_of(i)).name());
  if (instruction.op == Op::ldexp) return ldexp_function(first, dtype_of(1));
  if (op_info(instruction.op).rule == OpRule::compare && first != dtype_of(1))
    return mixed_comparison(instruction.op, first);
  const Scalar computed = instruction.op == Op::where ? instruction.dtype : first;
  switch (DType(computed).kind()) {
    case ScalarKind::floating:
      return floating_function(instruction.op, computed);
    case ScalarKind::complex:
      return complex_function(instruction.op, computed);
    default:
      return integer_function(instruction.op, computed);
  }
}

// Inputs and outputs while the index runs over the elements.
struct Place {
  std::byte* first;
  Layout layout;
  std::size_t size_bytes;

  std::byte* at(Extents index) const {
    std::byte* place = first + layout.offset_bytes();
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      place += index[axis] * layout.strides()[axis];
    return place;
  }
};

class Interpreter {
 public:
  Interpreter(const Expression& expression, std::span<const HostInput> leaves,
              std::span<const ElementBytes> scalars, std::span<const HostOutput> outputs)
      : expression_(expression),
        scalars_(scalars),
        functions_(expression.instructions.size()),
        values_(expression.instructions.size()) {
    require_counts(expression, leaves.size(), scalars.size(), outputs.size());
    const Layout& space = outputs.front().layout;
    for (std::size_t i = 0; i < leaves.size(); ++i)
      leaves_.push_back({const_cast<std::byte*>(static_cast<const std::byte*>(leaves[i].data)),
                         leaves[i].layout.broadcast_to(space.shape()),
                         expression.leaves[i].dtype.size_bytes()});
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].layout.same_shape(space))
        throw ShapeError("outputs of shapes " + shape_text(space.shape()) + " and " +
                         shape_text(outputs[i].layout.shape()));
      const DType dtype = expression.instructions[expression.outputs[i]].dtype;
      outputs_.push_back(
          {static_cast<std::byte*>(outputs[i].data), outputs[i].layout, dtype.size_bytes()});
    }
    for (std::size_t i = 0; i < functions_.size(); ++i) prepare(i);
  }

  void run() {
    const Extents shape = outputs_.front().layout.shape();
    std::vector<std::int64_t> index(shape.size(), 0);
    const std::int64_t size = outputs_.front().layout.size();
    for (std::int64_t position = 0; position < size; ++position) {
      compute(index, position);
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
  }

 private:
  void prepare(std::size_t number) {
    const Instruction& instruction = expression_.instructions[number];
    if (instruction.dtype == Scalar::structure) throw DTypeError("records are not computed with");
    if (op_info(instruction.op).arity > 0 && instruction.op != Op::gather)
      functions_[number] = function_of(expression_, instruction);
    else if (instruction.op == Op::scalar)
      values_[number] = scalars_[instruction.operands[0]];
  }

  /// Elements, as an int64, in bytes.
  static std::int64_t offset(const ElementBytes& elements, const Place& place) {
    std::int64_t count = 0;
    std::memcpy(&count, elements.data(), sizeof count);
    return count * static_cast<std::int64_t>(place.size_bytes);
  }

  // One element: all inputs are read before an output is written.
  void compute(Extents index, std::int64_t position) {
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      const Instruction& instruction = expression_.instructions[i];
      const auto& [a, b, c] = instruction.operands;
      if (functions_[i] != nullptr) {
        functions_[i](values_[a], values_[b], values_[c], values_[i]);
      } else if (instruction.op == Op::gather) {
        const Place& leaf = leaves_[instruction.leaf()];
        std::memcpy(values_[i].data(), leaf.at(index) + offset(values_[a], leaf), leaf.size_bytes);
      } else if (instruction.op == Op::leaf) {
        const Place& leaf = leaves_[a];
        std::memcpy(values_[i].data(), leaf.at(index), leaf.size_bytes);
      } else if (instruction.op == Op::iota) {
        std::memcpy(values_[i].data(), &position, sizeof position);
      }
    }
    std::int64_t behind = 0;
    if (expression_.scatter) {
      behind = offset(values_[*expression_.scatter], outputs_[0]);
      if (behind < 0) return;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      std::memcpy(outputs_[i].at(index) + behind, values_[expression_.outputs[i]].data(),
                  outputs_[i].size_bytes);
  }

  const Expression& expression_;
  std::span<const ElementBytes> scalars_;
  std::vector<HostFunction> functions_;
  std::vector<ElementBytes> values_;
  std::vector<Place> leaves_, outputs_;
};

}  // namespace

void interpret(const Expression& expression, std::span<const HostInput> leaves,
               std::span<const ElementBytes> scalars, std::span<const HostOutput> outputs) {
  Interpreter(expression, leaves, scalars, outputs).run();
}

}  // namespace treadle::kernel
