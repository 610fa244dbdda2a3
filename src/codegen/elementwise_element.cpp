// SPDX-License-Identifier: MIT
// An expression as the element of a kernel.
#include "elementwise_element.hpp"

#include <algorithm>

#include "expression_text.hpp"
#include "program.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/elementwise.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class MapElement : public ElementwiseElement {
 public:
  MapElement(const Expression& expression, Schedule schedule, const Dialect& dialect)
      : expression_(expression),
        dialect_(dialect),
        // Narrow kernels read global memory only; wide kernels also read variables that hold
        // neighbours.
        is_global_(schedule == Schedule::narrow),
        steps_(expression, dialect, [this](const Instruction& step) { return input_name(step); },
               {.is_global = is_global_}) {
    name = kernel_name(expression);
    scalars = expression.scalars;
    for (const KernelOperand& operand : operands_of(expression)) {
      const bool is_output = operand.kind == Kind::output;
      const std::size_t alike = is_output ? expression.outputs.size() : expression.leaves.size();
      std::string called = operand.kind == Kind::position ? "position" : is_output ? "z" : "x";
      if (operand.kind != Kind::position && alike > 1) called += number(operand.index);
      const bool is_read =
          !is_output || std::ranges::any_of(expression.leaves, [&](const auto& leaf) {
            return leaf.in_place == operand.index;
          });
      operands.push_back({operand, called, memory_type(operand.dtype, dialect), {}, is_read});
    }
  }

  void find_constants(const std::function<bool(const Operand&)>& is_constant) override {
    steps_.find_constants([&](const Instruction& step) { return is_constant(input(step)); });
  }
  void write_comment(tree::BlockBuilder& code) const override {
    code.comment({name, ", made by treadle's elementwise generator:"});
    const std::string place =
        expression_.scatter ? joined({"[", steps_.formula(*expression_.scatter), "]"}) : "";
    for (const Operand& operand : operands)
      if (operand.is_output())
        code.comment(
            {"  ", operand.name, place, " = ", steps_.formula(expression_.outputs[operand.index])});
  }
  void write_values(tree::BlockBuilder& code, bool constant, const Place& place) override {
    steps_.write_values(code, constant,
                        [&](const Instruction& step) { return place(input(step)); });
  }
  void write_results(tree::BlockBuilder& code, const Place& place) override {
    const std::string behind = expression_.scatter ? steps_.value_name(*expression_.scatter) : "";
    for (const Operand& operand : operands) {
      if (!operand.is_output()) continue;
      const std::string there =
          behind.empty() ? place(operand) : place_behind(place(operand), behind);
      const std::string stored = (is_global_ ? write_text : store_text)(
          operand.dtype.scalar(), there, steps_.value_name(expression_.outputs[operand.index]),
          dialect_);
      if (behind.empty())
        code.evaluate(stored);
      else
        code.when({behind, " >= 0"}, tree::statement(stored));
    }
  }
  /// After the comment come the preamble for exact arithmetic and the functions that the kernel
  /// calls.
  void write_program(tree::BlockBuilder& code, tree::NodePtr kernel) const override {
    write_exact(code, std::move(kernel), dialect_);
  }

 private:
  std::string input_name(const Instruction& step) const {
    if (step.op == Op::scalar) return joined({"s", number(step.operands[0])});
    return input(step).name;
  }
  /// The operand of a leaf or of the position.
  const Operand& input(const Instruction& step) const {
    if (step.op != Op::leaf && step.op != Op::gather) return operand(Kind::position, 0);
    const std::int8_t in_place = expression_.leaves[step.leaf()].in_place;
    return in_place < 0 ? operand(Kind::leaf, step.leaf())
                        : operand(Kind::output, static_cast<std::size_t>(in_place));
  }

  const Expression& expression_;
  const Dialect& dialect_;
  bool is_global_;
  ExpressionText steps_;
};

}  // namespace

std::vector<KernelOperand> operands_of(const Expression& expression) {
  using Kind = KernelOperand::Kind;
  std::vector<KernelOperand> operands;
  operands.reserve(expression.outputs.size() + expression.leaves.size() + 1);
  for (std::size_t i = 0; i < expression.outputs.size(); ++i)
    operands.push_back({Kind::output, static_cast<std::uint8_t>(i),
                        expression.dtype_of(expression.outputs[i]),
                        expression.scatter.has_value()});
  for (std::size_t i = 0; i < expression.leaves.size(); ++i)
    if (expression.leaves[i].in_place < 0)
      operands.push_back({Kind::leaf, static_cast<std::uint8_t>(i), expression.leaves[i].dtype,
                          expression.leaves[i].is_gathered});
  if (expression.uses_position()) operands.push_back({Kind::position, 0, Scalar::int64, false});
  return operands;
}

std::string kernel_name(const Expression& expression) {
  std::string name;
  std::size_t operations = 0, left_out = 0;
  for (const Instruction& step : expression.instructions) {
    if (!is_operation(step.op)) continue;
    ++operations;
    const std::string_view operation = op_info(step.op).name;
    if (name.size() + operation.size() > 80)
      ++left_out;
    else
      name += std::string(operation) + "_";
  }
  if (operations == 0) name = expression.scatter ? "scatter_" : "copy_";
  if (left_out > 0) name += "and_" + number(left_out) + "_more_";
  return (operations > 1 ? "fused_" : "") + name +
         short_name(expression.dtype_of(expression.outputs[0]));
}

std::unique_ptr<ElementwiseElement> element_of(const Expression& expression, Schedule schedule,
                                               const Dialect& dialect) {
  return std::make_unique<MapElement>(expression, schedule, dialect);
}

}  // namespace treadle::codegen
