// SPDX-License-Identifier: MIT
// An expression as the element of a reduction.
#include "reduction_element.hpp"

#include <algorithm>

#include "expression_text.hpp"
#include "program.hpp"
#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class ExpressionElement : public ReductionElement {
 public:
  ExpressionElement(const ReductionExpression& expression, const Dialect& dialect)
      : expression_(expression),
        dialect_(dialect),
        // Folds have names like operations, so the values of map and epilogue are numbered
        // together.
        map_(expression.map, dialect, [this](const Instruction& step) { return input_name(step); },
             {.first_number = expression.folds.size()}),
        epilogue_(expression.epilogue, dialect,
                  [this](const Instruction& step) { return result_name(step); },
                  {.variables = expression.folds.size(),
                   .first_number = expression.folds.size() + expression.map.instructions.size()}) {
    name = kernel_name(expression);
    partial_bytes = bytes_of_partial(expression);
    accumulator_bytes = bytes_of_accumulator(expression);
    for (std::size_t i = 0; i < expression.folds.size(); ++i) {
      const Scalar dtype = expression.map.dtype_of(expression.map.outputs[i]).scalar();
      folds.emplace_back(expression.folds[i], i, dtype, dialect);
      largest_bytes = std::max(largest_bytes, DType(dtype).size_bytes());
    }
    for (const Expression* part : {&expression.map, &expression.epilogue})
      scalars.insert(scalars.end(), part->scalars.begin(), part->scalars.end());
    name_operands();
  }

  void find_constants(const std::function<bool(const Operand&)>& is_constant) override {
    map_.find_constants([&](const Instruction& step) { return is_constant(read_by(step)); });
  }
  void write_comment(tree::BlockBuilder& code) const override {
    code.comment({name, ", made by treadle's reduction generator:"});
    for (std::size_t i = 0; i < folds.size(); ++i)
      code.comment({"  ", folds[i].result().name, " = ", fold_name(expression_.folds[i]), " of ",
                    map_.formula(expression_.map.outputs[i])});
    for (const Operand& operand : operands)
      if (operand.kind == Kind::output)
        code.comment({"  ", operand.name, " = ",
                      epilogue_.formula(expression_.epilogue.outputs[operand.index])});
  }
  void write_values(tree::BlockBuilder& code, bool constant, const Place& place) override {
    map_.write_values(code, constant,
                      [&](const Instruction& step) { return place(read_by(step)); });
  }
  std::string value(std::size_t fold) const override {
    return map_.value_name(expression_.map.outputs[fold]);
  }
  void write_results(tree::BlockBuilder& code, const Place& place) override {
    const Expression& epilogue = expression_.epilogue;
    for (std::size_t value = 0; value < epilogue.instructions.size(); ++value)
      epilogue_.write_value(code, static_cast<Value>(value), [&](const Instruction& step) {
        return place(operand(Kind::result_leaf, step.operands[0] - folds.size()));
      });
    for (const Operand& operand : operands)
      if (operand.kind == Kind::output)
        code.evaluate(store_text(operand.dtype.scalar(), place(operand),
                                 epilogue_.value_name(epilogue.outputs[operand.index]), dialect_));
  }
  void write_program(tree::BlockBuilder& code, tree::NodePtr kernel) const override {
    write_exact(code, std::move(kernel), dialect_);
  }

 private:
  void name_operands() {
    const auto all = operands_of(expression_);
    for (const KernelOperand& operand : all) {
      const auto alike = std::ranges::count(all, operand.kind, &KernelOperand::kind);
      std::string called = operand.kind == Kind::leaf       ? "x"
                           : operand.kind == Kind::position ? "position"
                           : operand.kind == Kind::place    ? "place"
                           : operand.kind == Kind::output   ? "z"
                                                            : "y";
      if (alike > 1) called += number(operand.index);
      operands.push_back({operand, std::move(called), memory_type(operand.dtype, dialect_)});
    }
  }
  const Operand& read_by(const Instruction& step) const {
    return step.op == Op::iota ? operand(Kind::position, 0) : operand(Kind::leaf, step.leaf());
  }
  std::string input_name(const Instruction& step) const {
    if (step.op == Op::scalar) return joined({"s", number(step.operands[0])});
    if (step.op == Op::iota) return "position";
    return operand(Kind::leaf, step.leaf()).name;
  }
  std::string result_name(const Instruction& step) const {
    const std::size_t index = step.operands[0];
    if (step.op == Op::scalar) return joined({"s", number(expression_.map.scalars.size() + index)});
    if (index < folds.size()) return folds[index].result().name;
    return operand(Kind::result_leaf, index - folds.size()).name;
  }

  const ReductionExpression& expression_;
  const Dialect& dialect_;
  ExpressionText map_, epilogue_;
};

}  // namespace

std::unique_ptr<ReductionElement> element_of(const ReductionExpression& expression,
                                             const Dialect& dialect) {
  return std::make_unique<ExpressionElement>(expression, dialect);
}

std::string kernel_name(const ReductionExpression& expression) {
  std::string name;
  const auto append = [&](const Expression& part) {
    for (const Instruction& step : part.instructions)
      if (is_operation(step.op) && name.size() < 60)
        name += std::string(op_info(step.op).name) + "_";
  };
  append(expression.map);
  for (const Fold fold : expression.folds) name += std::string(fold_name(fold)) + "_";
  append(expression.epilogue);
  return name + short_name(expression.epilogue.dtype_of(expression.epilogue.outputs[0]));
}

}  // namespace treadle::codegen
