// SPDX-License-Identifier: MIT
// The parts of reduction kernels that both schedules share.
#include <algorithm>
#include <array>

#include "reduction_tiling.hpp"
#include "reduction_writer.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {

ReductionWriter::ReductionWriter(ReductionElement& element, const ReductionClass& loop,
                                 const Tiling& tiling, const Dialect& dialect)
    : element_(element),
      loop_(loop),
      tiling_(tiling),
      dialect_(dialect),
      folds_(element.folds),
      operands_(element.operands),
      group_size_(reduction_group_size(tiling, element.partial_bytes)) {
  if (element.has_lanes)
    lanes_ =
        loop_.has_short_rows ? tiling.short_row_lanes : lanes_of(tiling, element.largest_bytes);
  const bool is_exact = std::ranges::any_of(folds_, &FoldText::is_exact);
  run_elements_ = is_exact ? tiling.run_elements : tiling.text_run_elements;
  element.find_constants(
      [this](const Operand& operand) { return inner_step(operand) == Step::zero; });
}

ReductionText ReductionWriter::write() {
  const std::vector<ReductionParameter> all = parameters();
  tree::BlockBuilder program;
  write_comment(program);
  write_types();
  write_signature(all);
  element_.write_start(code_);
  for (const Operand& operand : operands_) {
    if (!operand.made_of.empty())
      code_.add(tree::initialize(declared(operand, ""),
                                 {operand.made_of, " + ", operand.name, "_offset"}));
    else if (operand.is_memory() && !dialect_.has_addresses)
      code_.assign(operand.name, {operand.name, "_offset"}, "+=");
  }
  is_wide() ? write_wide() : write_narrow();
  code_.close();
  element_.write_program(program, code_.take());
  tree::NodePtr whole = program.take();
  std::string text = printed(whole, dialect_);
  return {element_.name, std::move(text), all, std::move(whole)};
}

Step ReductionWriter::inner_step(const Operand& operand) const {
  return (has_strips() ? loop_.kept : loop_.folded).steps[number_of(operand)];
}

void ReductionWriter::append_space(std::vector<ReductionParameter>& all,
                                   ReductionParameter::Role role) const {
  const bool is_kept = role == ReductionParameter::Role::kept;
  const bool has_32_bits = is_kept ? loop_.kept_has_32_bits : loop_.folded_has_32_bits;
  const Schedule schedule = has_32_bits ? Schedule::wide : Schedule::narrow;
  std::vector<SpaceParameter> space =
      space_parameters(is_kept ? loop_.kept : loop_.folded, schedule);
  if (!is_kept && has_strips()) space.push_back({SpaceParameter::What::group_pieces});
  const auto is_unused = [&](const SpaceParameter& parameter) {
    using What = SpaceParameter::What;
    if (parameter.what == What::lanes_log2) return true;
    const bool has_pieces = !is_wide() && !is_kept;
    if (parameter.what == What::piece || parameter.what == What::group_pieces) return !has_pieces;
    if (!is_kept || is_wide()) return false;
    return parameter.what == (has_strips() ? What::pieces : What::count);
  };
  std::erase_if(space, is_unused);
  for (const SpaceParameter& parameter : space)
    all.push_back(
        {role, 0, parameter, parameter.dtype(schedule),
         space_name(parameter, operands_[parameter.operand].name, is_kept ? "out_" : "")});
}

std::vector<ReductionParameter> ReductionWriter::parameters() const {
  using Role = ReductionParameter::Role;
  std::vector<ReductionParameter> all;
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    const Operand& operand = operands_[k];
    const auto index = static_cast<std::uint8_t>(k);
    if (operand.made_of.empty())
      all.push_back({operand.is_memory() ? Role::pointer : Role::first,
                     index,
                     {},
                     Scalar::int64,
                     operand.name});
    if (operand.is_memory() && (!dialect_.has_addresses || !operand.made_of.empty()))
      all.push_back({Role::offset, index, {}, Scalar::int64, operand.name + "_offset"});
  }
  for (std::size_t k = 0; k < element_.scalars.size(); ++k)
    all.push_back({Role::scalar,
                   static_cast<std::uint8_t>(k),
                   {},
                   element_.scalars[k],
                   joined({"s", number(k)})});
  if (element_.passes_count) all.push_back({Role::count, 0, {}, Scalar::int64, "elements"});
  append_space(all, Role::kept);
  append_space(all, Role::folded);
  if (loop_.is_split) {
    all.push_back({Role::splits, 0, {}, Scalar::uint32, "splits"});
    all.push_back({Role::partials, 0, {}, Scalar::int8, "partials"});
    all.push_back({Role::tickets, 0, {}, Scalar::uint32, "tickets"});
  } else if (!is_wide()) {
    all.push_back({Role::tiles, 0, {}, Scalar::int64, "tiles"});
    all.push_back({Role::group_tiles, 0, {}, Scalar::int64, "group_tiles"});
  }
  return all;
}

std::string ReductionWriter::pointer_to(const std::string& element, const Operand& operand) const {
  return (operand.kind == Kind::output ? "" : "const ") + dialect_.global + element + " *";
}

/// Declares an operand under its name with this suffix.
tree::NodePtr ReductionWriter::declared(const Operand& operand, std::string_view suffix) const {
  tree::Part name{operand.name, suffix};
  if (!operand.is_memory()) return tree::value({"const ", type(Scalar::int64)}, std::move(name));
  return pointer_parameter(operand.type, std::move(name),
                           {.is_read_only = operand.kind != Kind::output});
}

tree::NodePtr ReductionWriter::declared(const ReductionParameter& parameter) const {
  using Role = ReductionParameter::Role;
  switch (parameter.role) {
    case Role::pointer: {
      const Operand& operand = operands_[parameter.index];
      return pointer_parameter(
          operand.type, operand.name,
          {.is_read_only = operand.kind != Kind::output, .is_apart = operand.kind == Kind::output});
    }
    case Role::scalar:
      return tree::value(stored_type(parameter.dtype, dialect_), parameter.name);
    case Role::partials:
      return pointer_parameter("partial", "partials");
    case Role::tickets:
      return pointer_parameter(type(Scalar::uint32), "tickets");
    default:
      return tree::value(type(parameter.dtype), parameter.name);
  }
}

void ReductionWriter::write_comment(tree::BlockBuilder& code) const {
  element_.write_comment(code);
  std::string shape = loop_.has_columns ? "columns, " : "rows, ";
  shape += std::string(space_kind_name(loop_.folded.kind)) + " loop, ";
  shape += std::string(schedule_name(tiling_.schedule)) + " schedule";
  if (is_wide()) shape += ", work-items on a result: " + number(depth());
  if (loop_.is_split) shape += ", results are shared by groups";
  code.comment(shape);
}

void ReductionWriter::write_types() {
  if (loop_.folded.has_vectors) {
    std::vector<DType> dtypes;
    for (const Operand& operand : operands_)
      if (operand.kind == Kind::leaf && !operand.is_indirect && inner_step(operand) == Step::unit)
        dtypes.push_back(operand.dtype);
    write_vector_types(code_, dtypes, loop_.folded.items, tiling_.access_bytes, dialect_);
  }
  const bool divides =
      (loop_.kept_has_32_bits && kept_axes() > 1) ||
      (loop_.folded_has_32_bits && (folded_axes() > 1 || loop_.folded.kind == SpaceKind::rows));
  if (divides) write_divided(code_, dialect_, TypeNames(dialect_));
  if (loop_.is_split) write_partials_type();
}

void ReductionWriter::write_partials_type() {
  tree::Parts members;
  for (const FoldText& fold : folds_)
    for (const BlockField& field : fold.fields())
      members.push_back(tree::value(field.type, field.name));
  write_structure(code_, "partial", std::move(members));
  code_.blank();
}

void ReductionWriter::write_signature(const std::vector<ReductionParameter>& all) {
  tree::Parts list = element_.parameters();
  for (const ReductionParameter& parameter : all) list.push_back(declared(parameter));
  code_.open_kernel(element_.name, std::move(list), group_size_);
}

IndexText ReductionWriter::kept_indices() const {
  const bool is_small = loop_.kept_has_32_bits;
  return {type(is_small ? Scalar::uint32 : Scalar::int64), !is_small, "out_"};
}
IndexText ReductionWriter::folded_indices() const {
  const bool is_small = loop_.folded_has_32_bits;
  return {type(is_small ? Scalar::uint32 : Scalar::int64), !is_small};
}
unsigned ReductionWriter::kept_axes() const {
  return loop_.kept.outer_rank + (loop_.kept.kind == SpaceKind::strided ? 1u : 0u);
}
unsigned ReductionWriter::folded_axes() const {
  return loop_.folded.outer_rank + (loop_.folded.kind == SpaceKind::strided ? 1u : 0u);
}

std::string ReductionWriter::base(const Operand& operand) const {
  return operand.name + (operand.is_of_elements() ? moved_ : kept_moved_);
}
std::string ReductionWriter::element(const Operand& operand, const std::string& index) const {
  return operand.is_memory() ? base(operand) + "[" + index + "]" : base(operand) + " + " + index;
}
/// The distance in elements by which an index of the innermost loop moves an operand.
std::string ReductionWriter::along(const Operand& operand, const std::string& index) const {
  const Step step = inner_step(operand);
  if (step == Step::zero) return "0";
  if (step == Step::unit) return index;
  return joined({index, " * ", operand.name, has_strips() ? "_out_step" : "_step"});
}

/// Defines an operand, moved by `by` elements, under its name with this suffix.
void ReductionWriter::move(const Operand& operand, const std::string& by,
                           const std::string& suffix) {
  code_.add(
      tree::initialize(declared(operand, suffix), {base(operand), by.empty() ? "" : " + ", by}));
}

std::string ReductionWriter::kept_offset(const Operand& operand) const {
  const bool moves = has_strips() || loop_.kept.steps[number_of(operand)] != Step::zero;
  return moves ? kept_indices().offset(operand.name, kept_axes()) : "";
}

/// Moves operands to the result at a position: the operands of elements, those of results, or both.
void ReductionWriter::write_kept_move(const std::string& position, bool elements, bool results) {
  if (elements) moved_ = "";
  if (results) kept_moved_ = "";
  const auto moves = [&](const Operand& operand) {
    return (operand.is_of_elements() ? elements : results) && !kept_offset(operand).empty();
  };
  if (std::ranges::any_of(operands_, moves)) kept_indices().write(code_, position, kept_axes());
  for (const Operand& operand : operands_)
    if (operand.is_of_elements() ? elements : results) move(operand, kept_offset(operand), "_row");
  if (elements) moved_ = "_row";
  if (results) kept_moved_ = "_row";
}

/// Moves operands to the elements at a position of the folded outer axes, and by `start` along the
/// innermost axis.
void ReductionWriter::write_folded_move(const std::string& position, const std::string& start) {
  const unsigned axes = folded_axes();
  folded_indices().write(code_, position, axes);
  for (const Operand& operand : operands_) {
    if (!operand.is_of_elements()) continue;
    const bool moves = loop_.folded.kind != SpaceKind::strided ||
                       loop_.folded.steps[number_of(operand)] != Step::zero;
    std::string by = moves ? folded_indices().offset(operand.name, axes) : "";
    if (!start.empty() && inner_step(operand) != Step::zero)
      by += joined({by.empty() ? "" : " + ", along(operand, start)});
    move(operand, by, "_tile");
  }
  moved_ = "_tile";
}

void ReductionWriter::write_constants() {
  element_.write_values(code_, true, [&](const Operand& operand) { return element(operand, "0"); });
}

/// Computes an element and folds it into accumulators. If the places of an accumulator ascend, it
/// stores the step of its winner.
void ReductionWriter::write_fold(const Place& place, const Name& into, const std::string& step) {
  element_.write_values(code_, false, place);
  for (std::size_t i = 0; i < folds_.size(); ++i) {
    const FoldText& fold = folds_[i];
    const std::string value = element_.value(i);
    const std::string& name = fold.fields()[0].name;
    if (!step.empty() && fold.has_place())
      fold.combine_later(code_, {into(name), into(name + "_step")}, {value, step});
    else if (fold.has_place())
      fold.combine(code_, into, [&](const std::string& field) {
        return field == name ? value : joined({"(", place(element_.operand(Kind::place, 0)), ")"});
      });
    else if (into(name) == name || into(name) == name + "_total[k]")
      fold.combine_value(code_, into, value);
    else
      fold.combine_in_run(code_, into(name), value);
  }
}
void ReductionWriter::write_fold_at(const std::string& index, const Name& into,
                                    const std::string& step) {
  write_fold([&](const Operand& operand) { return element(operand, along(operand, index)); }, into,
             step);
}

/// Whether each accumulator gets places in ascending order, one for each step.
bool ReductionWriter::places_ascend() const {
  const auto place = std::ranges::find(operands_, Kind::place, &Operand::kind);
  const bool has_steps = is_wide() ? loop_.folded.has_vectors || parts() == loop_.folded.items
                                   : !has_strips() && !has_runs();
  return place != operands_.end() && has_steps && loop_.folded.kind == SpaceKind::linear &&
         inner_step(*place) == Step::unit;
}

void ReductionWriter::declare_accumulators() {
  for (const FoldText& fold : folds_)
    for (std::size_t i = 0; i < fold.fields().size(); ++i)
      code_.declare(fold.fields()[i].type, fold.fields()[i].name, fold.neutral(i));
}
void ReductionWriter::write_start() {
  for (const FoldText& fold : folds_)
    for (std::size_t i = 0; i < fold.fields().size(); ++i)
      code_.assign(fold.fields()[i].name, fold.neutral(i));
}
/// Declares adjacent accumulators, `count` of each field; a sum of floats gets accumulators for its
/// runs.
void ReductionWriter::declare_parts(const std::string& count) {
  struct Part {
    std::string name, start, type;
  };
  std::vector<Part> all;
  for (const FoldText& fold : folds_) {
    const BlockField& value = fold.fields()[0];
    const bool is_total = fold.has_runs() && !is_wide() && has_totals();
    if (!is_total || has_strips() || std::ranges::none_of(folds_, &FoldText::is_exact))
      all.push_back({value.name + "_part", fold.neutral(0), value.type});
    if (fold.has_place() && places_ascend())
      all.push_back({value.name + "_step_part", "0", type(Scalar::uint32)});
    else if (fold.has_place())
      all.push_back({fold.fields()[1].name + "_part", fold.neutral(1), fold.fields()[1].type});
    if (!is_total) continue;
    for (std::size_t i = 0; i < fold.fields().size(); ++i)
      all.push_back({fold.fields()[i].name + "_total", fold.neutral(i), value.type});
  }
  for (const Part& part : all) code_.declare_array(part.type, part.name, count);
  if (is_wide()) code_.directive("pragma", "unroll");
  code_.open_for(type(Scalar::uint32), "k", "0", count);
  for (const Part& part : all) code_.assign({part.name, "[k]"}, part.start);
  code_.close();
}

/// Opens a loop that is divided into runs.
void ReductionWriter::open_turns(const Turns& turns) {
  const auto& [variable, type, first, end, step, in_run] = turns;
  if (!has_runs() || (has_strips() && !has_totals()))
    return code_.open_for(type, variable, first, end, step);
  code_.declare(type, variable, first);
  code_.open_while({variable, " < ", end});
  code_.open_loop(tree::initialize(tree::value(this->type(Scalar::uint32), "turn"), "0"),
                  {"turn < ", number(in_run), " && ", variable, " < ", end},
                  {"++turn, ", variable, " += ", step});
}
void ReductionWriter::close_turns(const std::string& count) {
  code_.close();
  if (!has_runs() || (has_strips() && !has_totals())) return;
  end_run(count);
  code_.close();
}
/// The number of turns in which each accumulator gets this number of elements.
unsigned ReductionWriter::turns_in_run(unsigned elements) const {
  return std::max(1u, run_elements_ / std::max(1u, elements));
}

/// Folds the sums of `count` runs and resets them.
void ReductionWriter::end_run(const std::string& count) {
  if (is_wide()) code_.directive("pragma", "unroll");
  code_.open_for(type(Scalar::uint32), "k", "0", count);
  for (const FoldText& fold : folds_) {
    if (!fold.has_runs()) continue;
    const std::string run = fold.fields()[0].name + "_part[k]";
    fold.combine_value(
        code_, [&](const std::string& name) { return is_wide() ? name : name + "_total[k]"; }, run);
    code_.assign(run, fold.neutral(0));
  }
  code_.close();
}

void ReductionWriter::combine(const Name& into, const Name& from) {
  for (const FoldText& fold : folds_) fold.combine(code_, into, from);
}

/// Computes the result from the folded variables and stores it; for a strip the result at `index`.
void ReductionWriter::write_epilogue(const std::string& index) {
  const Place at = [&](const Operand& operand) {
    return element(operand, has_strips() ? along(operand, index) : "0");
  };
  if (!has_strips())
    for (const FoldText& fold : folds_)
      if (fold.is_exact())
        code_.assign(fold.result().name,
                     fold.settled([](const std::string& name) { return name; }));
  element_.write_results(code_, at);
}

FoldText::Name ReductionWriter::partial(const std::string& index) const {
  return [index](const std::string& field) { return joined({"partials[", index, "].", field}); };
}
void ReductionWriter::write_partial(const std::string& index, const Name& from) {
  for (const FoldText& fold : folds_)
    for (const BlockField& field : fold.fields())
      code_.assign(partial(index)(field.name), from(field.name));
}

}  // namespace treadle::codegen
