// SPDX-License-Identifier: MIT
#include "treadle/codegen/reduction.hpp"

#include <algorithm>
#include <array>

#include "fold_text.hpp"
#include "reduction_element.hpp"
#include "reduction_writer.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

using OperandKind = KernelOperand::Kind;

constexpr std::size_t most_folds = 8;

bool is_folded(Fold fold, Scalar dtype) {
  const ScalarKind kind = DType(dtype).kind();
  if (kind == ScalarKind::structure) return false;
  if (fold == Fold::any || fold == Fold::all) return kind == ScalarKind::boolean;
  // A sum of bools is their number, which is an integer.
  return (fold != Fold::sum && fold != Fold::product) || kind != ScalarKind::boolean;
}

Value append(Expression& expression, const Instruction& instruction) {
  expression.instructions.push_back(instruction);
  return static_cast<Value>(expression.instructions.size() - 1);
}
Value append_cast(Expression& expression, Value value, Scalar dtype) {
  if (expression.dtype_of(value) == DType(dtype)) return value;
  return append(expression, {Op::cast, dtype, {value}});
}

Fold fold_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
    case Reduction::mean:
    case Reduction::count_nonzero:
      return Fold::sum;
    case Reduction::product:
      return Fold::product;
    case Reduction::minimum:
      return Fold::minimum;
    case Reduction::maximum:
      return Fold::maximum;
    case Reduction::any:
      return Fold::any;
    case Reduction::all:
      return Fold::all;
    case Reduction::argmin:
      return Fold::argmin;
    case Reduction::argmax:
      return Fold::argmax;
    default:
      throw InvalidArgument("a cumulative sum or a variance is no reduction in one pass",
                            "a variance is the mean of squared differences from the mean");
  }
}

}  // namespace

std::string_view fold_name(Fold fold) noexcept {
  constexpr std::string_view names[] = {"sum",  "product", "minimum", "maximum", "fmin",
                                        "fmax", "any",     "all",     "argmin",  "argmax"};
  return names[static_cast<std::size_t>(fold)];
}

bool has_neutral(Fold fold) noexcept {
  return fold == Fold::sum || fold == Fold::product || fold == Fold::any || fold == Fold::all;
}

Scalar ReductionExpression::folded_dtype(std::size_t fold) const {
  return is_arg(folds[fold]) ? Scalar::int64 : map.dtype_of(map.outputs[fold]).scalar();
}

void ReductionExpression::require_valid() const {
  map.require_valid();
  epilogue.require_valid();
  if (folds.empty() || folds.size() != map.outputs.size() || folds.size() > most_folds ||
      epilogue.leaves.size() < folds.size())
    throw InvalidArgument("a reduction has " + std::to_string(folds.size()) + " folds of " +
                              std::to_string(map.outputs.size()) + " values for an epilogue of " +
                              std::to_string(epilogue.leaves.size()) + " leaves",
                          "fold each output of the map, at most " + std::to_string(most_folds) +
                              ", and take each as a leaf of the epilogue");
  for (std::size_t i = 0; i < folds.size(); ++i) {
    const Scalar dtype = map.dtype_of(map.outputs[i]).scalar();
    if (!is_folded(folds[i], dtype))
      throw DTypeError(std::string(fold_name(folds[i])) + " does not fold " +
                           map.dtype_of(map.outputs[i]).name(),
                       "cast the elements first");
    if (epilogue.leaves[i].dtype != DType(folded_dtype(i)))
      throw InvalidArgument("leaf " + std::to_string(i) + " of an epilogue is " +
                            epilogue.leaves[i].dtype.name() + ", and what was folded " +
                            DType(folded_dtype(i)).name());
  }
  for (const Expression* part : {&map, &epilogue})
    for (const LeafSpec& leaf : part->leaves)
      if (leaf.in_place >= 0 || (leaf.is_gathered && part == &epilogue))
        throw InvalidArgument("a reduction has no leaves in place, and its epilogue gathers none");
  if (epilogue.uses_position()) throw InvalidArgument("an epilogue has no position");
}

std::string ReductionExpression::key() const {
  std::string key = map.key();
  key += '\0';
  for (const Fold fold : folds) key += static_cast<char>(fold);
  return key + '\0' + epilogue.key();
}

ReductionExpression reduction_of(Reduction reduction, const Expression& elements,
                                 std::optional<ReductionDtypes> dtypes) {
  const Fold fold = fold_of(reduction);
  if (elements.outputs.size() != 1)
    throw InvalidArgument("a reduction of an expression with " +
                          std::to_string(elements.outputs.size()) + " outputs");
  const Scalar element = elements.dtype_of(elements.outputs[0]).scalar();
  const auto [accumulator, result] = dtypes.value_or(reduction_dtypes(reduction, element));
  ReductionExpression all{elements, {fold}, {}};
  Value& folded = all.map.outputs[0];
  if (reduction == Reduction::count_nonzero) folded = append_cast(all.map, folded, Scalar::boolean);
  folded = append_cast(all.map, folded, accumulator);
  ExpressionBuilder epilogue;
  Value value = epilogue.leaf(all.folded_dtype(0));
  if (reduction == Reduction::mean) {
    const Value count = epilogue.scalar(DType(accumulator).real_type().scalar());
    value = epilogue.step(Op::divide, accumulator, {value, epilogue.cast(count, accumulator)});
  }
  epilogue.output(epilogue.cast(value, result));
  all.epilogue = epilogue.build();
  return all;
}

std::vector<KernelOperand> operands_of(const ReductionExpression& expression) {
  const auto& [map, folds, epilogue] = expression;
  std::vector<KernelOperand> operands;
  const auto add = [&](OperandKind kind, std::size_t index, const DType& dtype,
                       bool is_indirect = false) {
    operands.push_back({kind, static_cast<std::uint8_t>(index), dtype, is_indirect});
  };
  for (std::size_t i = 0; i < map.leaves.size(); ++i)
    add(OperandKind::leaf, i, map.leaves[i].dtype, map.leaves[i].is_gathered);
  if (map.uses_position()) add(OperandKind::position, 0, Scalar::int64);
  // At least one operand must say how the elements are arranged.
  if (operands.empty() || std::ranges::any_of(folds, is_arg))
    add(OperandKind::place, 0, Scalar::int64);
  for (std::size_t i = 0; i < epilogue.outputs.size(); ++i)
    add(OperandKind::output, i, epilogue.dtype_of(epilogue.outputs[i]));
  for (std::size_t i = folds.size(); i < epilogue.leaves.size(); ++i)
    add(OperandKind::result_leaf, i - folds.size(), epilogue.leaves[i].dtype);
  return operands;
}

namespace {

std::size_t bytes_of_fields(const ReductionExpression& expression, bool has_left_out) {
  std::size_t bytes = 0, alignment = 1;
  const auto add = [&](Scalar dtype) {
    // Sizes of value_type(): float16 is held as float, bool as int.
    const std::size_t size =
        dtype == Scalar::float16 || dtype == Scalar::boolean ? 4 : DType(dtype).size_bytes();
    const std::size_t aligned =
        dtype == Scalar::float16 || dtype == Scalar::boolean ? 4 : DType(dtype).alignment();
    bytes = (bytes + aligned - 1) / aligned * aligned + size;
    alignment = std::max(alignment, aligned);
  };
  for (std::size_t i = 0; i < expression.folds.size(); ++i) {
    const Scalar dtype = expression.map.dtype_of(expression.map.outputs[i]).scalar();
    add(dtype);
    if (is_arg(expression.folds[i])) add(Scalar::int64);
    if (has_left_out && is_summed_exactly(expression.folds[i], dtype)) add(dtype);
  }
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

std::size_t bytes_of_partial(const ReductionExpression& expression) {
  return bytes_of_fields(expression, true);
}
std::size_t bytes_of_accumulator(const ReductionExpression& expression) {
  return bytes_of_fields(expression, false);
}

ReductionTarget target_of(const ReductionExpression& expression, const Tiling& tiling,
                          unsigned compute_units) {
  const std::size_t partial = bytes_of_partial(expression),
                    accumulator = bytes_of_accumulator(expression);
  return {.tiling = tiling,
          .compute_units = compute_units,
          .partial_bytes = partial,
          .accumulator_bytes = accumulator,
          .map_cost = expression.map.cost(),
          .has_runs = partial != accumulator};
}

ReductionText generate_reduction(const ReductionExpression& expression, const ReductionClass& loop,
                                 const Tiling& tiling, const Dialect& dialect) {
  return ReductionWriter(*element_of(expression, dialect), loop, tiling, dialect).write();
}

}  // namespace treadle::codegen
