// SPDX-License-Identifier: MIT
#include "treadle/codegen/elementwise.hpp"

#include <algorithm>
#include <array>

#include "elementwise_writer.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/element_text.hpp"

namespace treadle::codegen {
namespace {

using Kind = ElementwiseOperand::Kind;
using Role = ElementwiseParameter::Role;
using What = SpaceParameter::What;

}  // namespace

std::vector<ElementwiseOperand> operands_of(const Expression& expression) {
  std::vector<ElementwiseOperand> operands;
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

ElementwiseText generate_elementwise(const Expression& expression, const LoopClass& loop,
                                     const Tiling& tiling, const Dialect& dialect) {
  return ElementwiseWriter(expression, loop, tiling, dialect).write();
}

ElementwiseWriter::ElementwiseWriter(const Expression& expression, const LoopClass& loop,
                                     const Tiling& tiling, const Dialect& dialect)
    : expression_(expression),
      loop_(loop),
      tiling_(tiling),
      dialect_(dialect),
      types_(dialect),
      // Wide kernels also read and write variables, which hold neighbours.
      steps_(expression, dialect, [this](const Instruction& step) { return input_name(step); },
             {.is_global = tiling.schedule == Schedule::narrow}) {
  name_operands();
  find_constants();
}

ElementwiseText ElementwiseWriter::write() {
  const std::string name = kernel_name(expression_);
  const std::vector<ElementwiseParameter> all = parameters();
  write_comment(name);
  write_types();
  write_signature(name, all);
  write_offsets();
  switch (loop_.kind) {
    case SpaceKind::linear:
      is_wide() ? write_wide_linear() : write_narrow_linear();
      break;
    case SpaceKind::rows:
      is_wide() ? write_wide_rows() : write_narrow_rows();
      break;
    case SpaceKind::strided:
      write_wide_strided();
      break;
    case SpaceKind::tiled:
      is_wide() ? write_wide_tiled() : write_narrow_tiled();
      break;
  }
  text_.close();
  return {name, with_functions(), all};
}

/// The whole text: behind the comment comes what makes arithmetic exact, and the functions that the
/// kernel calls.
std::string ElementwiseWriter::with_functions() const {
  const std::string& text = text_.text();
  return comment_ + dialect_.exact_preamble + device_functions(text, dialect_) + text;
}

void ElementwiseWriter::name_operands() {
  const auto operands = operands_of(expression_);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& [kind, index, dtype, is_indirect] = operands[i];
    const bool is_output = kind == Kind::output;
    const std::size_t alike = is_output ? expression_.outputs.size() : expression_.leaves.size();
    std::string name = kind == Kind::position ? "position" : is_output ? "z" : "x";
    if (kind != Kind::position && alike > 1) name += number(index);
    operands_.push_back({kind, index, dtype, is_indirect, loop_.steps[i], name});
  }
}

const ElementwiseWriter::Operand& ElementwiseWriter::operand_of(const Instruction& leaf) const {
  const LeafSpec& spec = expression_.leaves[leaf.leaf()];
  const Kind kind = spec.in_place < 0 ? Kind::leaf : Kind::output;
  const int index = spec.in_place < 0 ? static_cast<int>(leaf.leaf()) : spec.in_place;
  return *std::ranges::find_if(
      operands_, [&](const Operand& o) { return o.kind == kind && o.index == index; });
}

bool ElementwiseWriter::is_read(const Operand& operand) const {
  if (operand.kind == Kind::leaf) return true;
  return std::ranges::any_of(expression_.leaves, [&](const LeafSpec& leaf) {
    return operand.is_output() && leaf.in_place == operand.index;
  });
}

/// What does not change along the innermost axis is computed before the loop over it. A tile's
/// other axis changes it all the same.
void ElementwiseWriter::find_constants() {
  for (const Instruction& step : expression_.instructions) {
    bool is_constant = step.op != Op::iota;
    if (step.op == Op::leaf || step.op == Op::gather)
      is_constant = loop_.kind != SpaceKind::tiled && operand_of(step).step == Step::zero;
    for (std::size_t i = 0; i < op_info(step.op).arity; ++i)
      is_constant = is_constant && constants_[step.operands[i]];
    constants_.push_back(is_constant);
  }
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

std::vector<ElementwiseParameter> ElementwiseWriter::parameters() const {
  std::vector<ElementwiseParameter> all;
  for (const Operand& operand : operands_) {
    const Role role = operand.is_output()          ? Role::output
                      : operand.kind == Kind::leaf ? Role::leaf
                                                   : Role::position;
    all.push_back({role, operand.index, {}, Scalar::int64, operand.name});
    if (dialect_.has_addresses || !operand.is_memory()) continue;
    all.push_back({operand.is_output() ? Role::output_offset : Role::leaf_offset,
                   operand.index,
                   {},
                   Scalar::int64,
                   operand.name + "_offset"});
  }
  for (std::size_t i = 0; i < expression_.scalars.size(); ++i)
    all.push_back({Role::scalar,
                   static_cast<std::uint8_t>(i),
                   {},
                   expression_.scalars[i],
                   joined({"s", number(i)})});
  for (const SpaceParameter& space : space_parameters(loop_, tiling_.schedule))
    all.push_back({Role::space, 0, space, space.dtype(tiling_.schedule),
                   space_name(space, operands_[space.operand].name)});
  return all;
}

std::string ElementwiseWriter::pointer_to(const std::string& element,
                                          const Operand& operand) const {
  return (operand.is_output() ? "" : "const ") + dialect_.global + element + " *";
}

std::string ElementwiseWriter::declared(const ElementwiseParameter& parameter) const {
  if (parameter.role == Role::scalar)
    return joined({stored_type(parameter.dtype, dialect_), " ", parameter.name});
  if (parameter.role != Role::output && parameter.role != Role::leaf)
    return joined({type(parameter.dtype), " ", parameter.name});
  const auto& operand = *std::ranges::find(operands_, parameter.name, &Operand::name);
  // Of fresh memory only: with it, an output that is read in place would be promised to no input.
  const bool is_fresh = operand.is_output() && !is_read(operand);
  return pointer_to(memory_type(operand.dtype, dialect_), operand) +
         (is_fresh ? dialect_.restrict + " " : "") + operand.name;
}

void ElementwiseWriter::write_comment(const std::string& name) {
  text_.line({"// ", name, ", made by treadle's elementwise generator:"});
  for (const Operand& operand : operands_) {
    if (!operand.is_output()) continue;
    const std::string place =
        expression_.scatter ? joined({"[", steps_.formula(*expression_.scatter), "]"}) : "";
    text_.line(
        {"//   ", operand.name, place, " = ", steps_.formula(expression_.outputs[operand.index])});
  }
  std::string shape(space_kind_name(loop_.kind));
  shape += " loop, " + std::string(schedule_name(tiling_.schedule)) + " schedule";
  if (loop_.outer_rank > 0) shape += ", outer axes: " + number(loop_.outer_rank);
  if (is_wide() && loop_.kind != SpaceKind::tiled)
    shape += ", elements at a time: " + number(loop_.items) +
             (loop_.has_vectors ? " by one access" : "");
  text_.line({"// ", shape});
  comment_ = text_.text();
  text_ = {};
}

std::string ElementwiseWriter::vector_type(const Operand& operand) const {
  return neighbours_type(operand.dtype, loop_.items);
}

/// Records are moved whole, so their fields need no names: they are as many words as they have.
void ElementwiseWriter::write_records() {
  std::vector<std::string> written;
  for (const Operand& operand : operands_) {
    const std::string name = memory_type(operand.dtype, dialect_);
    if (operand.dtype.scalar() != Scalar::structure ||
        std::ranges::find(written, name) != written.end())
      continue;
    written.push_back(name);
    const std::size_t word = std::min<std::size_t>(operand.dtype.alignment(), 8);
    const Scalar scalar = word == 8   ? Scalar::uint64
                          : word == 4 ? Scalar::uint32
                          : word == 2 ? Scalar::uint16
                                      : Scalar::uint8;
    text_.line({"typedef struct { ", type(scalar), " words[",
                number(operand.dtype.size_bytes() / word), "]; } ", name, ";"});
  }
}

void ElementwiseWriter::write_types() {
  write_records();
  if (loop_.has_vectors) {
    std::vector<DType> dtypes;
    for (const Operand& operand : operands_)
      if (operand.is_memory() && !operand.is_indirect && operand.step != Step::zero)
        dtypes.push_back(operand.dtype);
    write_vector_types(text_, dtypes, loop_.items, tiling_.access_bytes, dialect_);
  }
  const auto space = space_parameters(loop_, tiling_.schedule);
  const bool divides = std::ranges::any_of(space, [](const SpaceParameter& p) {
    return p.what == What::extent_divider || p.what == What::row_divider;
  });
  if (divides) write_divided(text_, dialect_, types_);
}

void ElementwiseWriter::write_signature(const std::string& name,
                                        const std::vector<ElementwiseParameter>& all) {
  const std::array size{number(tiling_.group_size)};
  text_.line({dialect_.kernel, " ", fill_holes(dialect_.group_size, size), " ", name, "("});
  std::vector<std::string> list;
  for (const ElementwiseParameter& parameter : all) list.push_back(declared(parameter));
  text_.open_parameters(list);
}

void ElementwiseWriter::write_offsets() {
  if (dialect_.has_addresses) return;
  for (const Operand& operand : operands_)
    if (operand.is_memory()) text_.line({operand.name, " += ", operand.name, "_offset;"});
}

/// Of a leaf, a scalar or the position.
std::string ElementwiseWriter::input_name(const Instruction& step) const {
  if (step.op == Op::scalar) return joined({"s", number(step.operands[0])});
  return input(step).name;
}
const ElementwiseWriter::Operand& ElementwiseWriter::input(const Instruction& step) const {
  if (step.op == Op::leaf || step.op == Op::gather) return operand_of(step);
  return *std::ranges::find(operands_, Kind::position, &Operand::kind);
}

void ElementwiseWriter::write_value(Value value, const Place& place) {
  steps_.write_value(text_, value, [&](const Instruction& step) { return place(input(step)); });
}

void ElementwiseWriter::write_constants() {
  for (std::size_t value = 0; value < constants_.size(); ++value)
    if (constants_[value])
      write_value(static_cast<Value>(value),
                  [&](const Operand& operand) { return element(operand, "0"); });
}

void ElementwiseWriter::write_element(const Place& read, const Place& written) {
  for (std::size_t value = 0; value < constants_.size(); ++value)
    if (!constants_[value]) write_value(static_cast<Value>(value), read);
  const std::string behind = expression_.scatter ? steps_.value_name(*expression_.scatter) : "";
  for (const Operand& operand : operands_) {
    if (!operand.is_output()) continue;
    const std::string place = written(operand);
    text_.line({behind.empty() ? "" : joined({"if (", behind, " >= 0) "}),
                (is_wide() ? store_text : write_text)(
                    operand.dtype.scalar(), behind.empty() ? place : place_behind(place, behind),
                    steps_.value_name(expression_.outputs[operand.index]), dialect_),
                ";"});
  }
}

std::string ElementwiseWriter::step_to(const Operand& operand, const std::string& index) const {
  if (operand.step == Step::zero) return "0";
  if (operand.step == Step::unit) return index;
  return joined({index, " * ", operand.name, "_step"});
}

std::string ElementwiseWriter::element(const Operand& operand, const std::string& index) const {
  const std::string name = operand.name + moved_;
  return operand.is_memory() ? name + "[" + index + "]" : name + " + " + index;
}

void ElementwiseWriter::write_element_at(const std::string& index) {
  const Place place = [&](const Operand& operand) {
    return element(operand, step_to(operand, index));
  };
  write_element(place, place);
}

IndexText ElementwiseWriter::indices() const {
  return {type(is_wide() ? Scalar::uint32 : Scalar::int64), !is_wide()};
}
void ElementwiseWriter::write_indices(const std::string& position, unsigned axes) {
  indices().write(text_, position, axes);
}
std::string ElementwiseWriter::outer_offset(const Operand& operand, unsigned axes) const {
  return indices().offset(operand.name, axes);
}

void ElementwiseWriter::advance(const Operand& operand, const std::string& by) {
  text_.line({operand.name, " += ", by, ";"});
}

/// Pointers to the row or the matrix that index0, index1, ... say, where a loop goes through many.
void ElementwiseWriter::write_moved_operands() {
  if (loop_.outer_rank == 0) return;
  for (const Operand& operand : operands_)
    text_.line({operand.is_memory() ? pointer_to(memory_type(operand.dtype, dialect_), operand)
                                    : "const " + type(Scalar::int64) + " ",
                operand.name, "_row = ", operand.name, " + ",
                outer_offset(operand, loop_.outer_rank), ";"});
  moved_ = "_row";
}

/// Of the element at (b, a) of a tiled loop.
std::string ElementwiseWriter::tile_index(const Operand& operand) const {
  const std::string along = step_to(operand, "a");
  if (operand.step == Step::crossed) return joined({"b + ", along});
  const std::string down = joined({"b * ", operand.name, "_second"});
  return operand.step == Step::zero ? down : down + " + " + along;
}

}  // namespace treadle::codegen
