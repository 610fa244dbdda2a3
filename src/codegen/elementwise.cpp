// SPDX-License-Identifier: MIT
// The frame of elementwise kernels, and parts of their loops.
#include "treadle/codegen/elementwise.hpp"

#include <algorithm>
#include <array>

#include "elementwise_writer.hpp"
#include "treadle/codegen/element_text.hpp"

namespace treadle::codegen {
namespace {

using Kind = KernelOperand::Kind;
using Role = ElementwiseParameter::Role;
using What = SpaceParameter::What;

}  // namespace

ElementwiseText generate_elementwise(const Expression& expression, const LoopClass& loop,
                                     const Tiling& tiling, const Dialect& dialect) {
  return ElementwiseWriter(*element_of(expression, tiling.schedule, dialect), loop, tiling, dialect)
      .write();
}

ElementwiseWriter::ElementwiseWriter(ElementwiseElement& element, const LoopClass& loop,
                                     const Tiling& tiling, const Dialect& dialect)
    : element_(element),
      operands_(element.operands),
      loop_(loop),
      tiling_(tiling),
      dialect_(dialect),
      types_(dialect),
      user_(element.text_loop()) {
  // In a tiled loop nothing is constant: a value that is constant along the innermost axis changes
  // along the tile's other axis.
  element.find_constants([this](const Operand& operand) {
    return loop_.kind != SpaceKind::tiled && step_of(operand) == Step::zero;
  });
}

ElementwiseText ElementwiseWriter::write() {
  const std::vector<ElementwiseParameter> all = parameters();
  tree::BlockBuilder program;
  write_comment(program);
  write_types();
  write_signature(all);
  element_.write_start(code_);
  write_offsets();
  switch (loop_.kind) {
    case SpaceKind::linear:
      write_linear();
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
  if (user_ != nullptr) code_.statements(user_->after);
  code_.close();
  element_.write_program(program, code_.take());
  tree::NodePtr whole = program.take();
  std::string text = printed(whole, dialect_);
  return {element_.name, std::move(text), all, std::move(whole)};
}

void ElementwiseWriter::write_linear() {
  if (user_ != nullptr && user_->is_literal) return write_literal();
  if (!is_wide()) return write_narrow_linear();
  user_ != nullptr ? write_wide_counted() : write_wide_linear();
}

/// Work-items of a group. The literal loop is a GPU's: neighbouring work-items take neighbouring
/// elements.
unsigned ElementwiseWriter::group_size() const {
  return user_ != nullptr && user_->is_literal ? literal_group_size() : tiling_.group_size;
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
  for (std::size_t i = 0; i < element_.scalars.size(); ++i)
    all.push_back({Role::scalar,
                   static_cast<std::uint8_t>(i),
                   {},
                   element_.scalars[i],
                   joined({"s", number(i)})});
  if (user_ == nullptr)
    for (const SpaceParameter& space : space_parameters(loop_, tiling_.schedule))
      all.push_back({Role::space, 0, space, space.dtype(tiling_.schedule),
                     space_name(space, operands_[space.operand].name)});
  return all;
}

std::string ElementwiseWriter::pointer_to(const std::string& element,
                                          const Operand& operand) const {
  return (operand.is_output() ? "" : "const ") + dialect_.global + element + " *";
}

tree::NodePtr ElementwiseWriter::declared(const ElementwiseParameter& parameter) const {
  if (parameter.role == Role::scalar)
    return tree::value(stored_type(parameter.dtype, dialect_), parameter.name);
  if (parameter.role != Role::output && parameter.role != Role::leaf)
    return tree::value(type(parameter.dtype), parameter.name);
  const auto& operand = *std::ranges::find(operands_, parameter.name, &Operand::name);
  // Only fresh memory gets `restrict`: an output that is read in place is also an input.
  return pointer_parameter(operand.type, operand.name,
                           {.is_read_only = !operand.is_output(), .is_apart = !operand.is_read});
}

void ElementwiseWriter::write_comment(tree::BlockBuilder& code) const {
  element_.write_comment(code);
  if (user_ == nullptr) {
    std::string shape(space_kind_name(loop_.kind));
    shape += " loop, " + std::string(schedule_name(tiling_.schedule)) + " schedule";
    if (loop_.outer_rank > 0) shape += ", outer axes: " + number(loop_.outer_rank);
    if (is_wide() && loop_.kind != SpaceKind::tiled)
      shape += ", elements at a time: " + number(loop_.items) +
               (loop_.has_vectors ? " by one access" : "");
    code.comment(shape);
  }
}

std::string ElementwiseWriter::vector_type(const Operand& operand) const {
  return neighbours_type(operand.dtype, loop_.items);
}

/// A record is moved as a whole, as an array of words, so its fields need no names.
void ElementwiseWriter::write_records() {
  std::vector<std::string> written;
  for (const Operand& operand : operands_) {
    const std::string& name = operand.type;
    if (operand.dtype.scalar() != Scalar::structure ||
        std::ranges::find(written, name) != written.end())
      continue;
    written.push_back(name);
    const std::size_t word = std::min<std::size_t>(operand.dtype.alignment(), 8);
    const Scalar scalar = word == 8   ? Scalar::uint64
                          : word == 4 ? Scalar::uint32
                          : word == 2 ? Scalar::uint16
                                      : Scalar::uint8;
    write_structure(
        code_, name,
        {tree::array(tree::value(type(scalar), "words"), operand.dtype.size_bytes() / word)});
  }
}

void ElementwiseWriter::write_types() {
  write_records();
  if (loop_.has_vectors) {
    std::vector<DType> dtypes;
    for (const Operand& operand : operands_)
      if (operand.is_memory() && !operand.is_indirect && step_of(operand) != Step::zero)
        dtypes.push_back(operand.dtype);
    write_vector_types(code_, dtypes, loop_.items, tiling_.access_bytes, dialect_);
  }
  if (user_ != nullptr) return;
  const auto space = space_parameters(loop_, tiling_.schedule);
  const bool divides = std::ranges::any_of(space, [](const SpaceParameter& p) {
    return p.what == What::extent_divider || p.what == What::row_divider;
  });
  if (divides) write_divided(code_, dialect_, types_);
}

void ElementwiseWriter::write_signature(const std::vector<ElementwiseParameter>& all) {
  const bool is_any = user_ != nullptr && user_->any_launch;
  tree::Parts list = element_.parameters();
  for (const ElementwiseParameter& parameter : all) list.push_back(declared(parameter));
  code_.open_kernel(element_.name, std::move(list), is_any ? 0 : group_size());
}

void ElementwiseWriter::write_offsets() {
  if (dialect_.has_addresses) return;
  for (const Operand& operand : operands_)
    if (operand.is_memory()) code_.assign(operand.name, {operand.name, "_offset"}, "+=");
}

void ElementwiseWriter::write_constants() {
  element_.write_values(code_, true, [&](const Operand& operand) { return element(operand, "0"); });
}

void ElementwiseWriter::write_element(const Place& read, const Place& written) {
  element_.write_values(code_, false, read);
  element_.write_results(code_, written);
}

std::string ElementwiseWriter::step_to(const Operand& operand, const std::string& index) const {
  const Step step = step_of(operand);
  if (step == Step::zero) return "0";
  if (step == Step::unit) return index;
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
  indices().write(code_, position, axes);
}
std::string ElementwiseWriter::outer_offset(const Operand& operand, unsigned axes) const {
  return indices().offset(operand.name, axes);
}

void ElementwiseWriter::advance(const Operand& operand, const std::string& by) {
  code_.assign(operand.name, by, "+=");
}

/// Declares an operand after a move, under its name with this suffix.
tree::NodePtr ElementwiseWriter::moved(const Operand& operand, std::string_view suffix) const {
  tree::Part name{operand.name, suffix};
  if (!operand.is_memory()) return tree::value({"const ", type(Scalar::int64)}, std::move(name));
  return pointer_parameter(operand.type, std::move(name), {.is_read_only = !operand.is_output()});
}

/// Defines pointers to the row or matrix with the indices index0, index1, ..., if the loop goes
/// through several.
void ElementwiseWriter::write_moved_operands() {
  if (loop_.outer_rank == 0) return;
  for (const Operand& operand : operands_)
    code_.add(tree::initialize(moved(operand, "_row"),
                               {operand.name, " + ", outer_offset(operand, loop_.outer_rank)}));
  moved_ = "_row";
}

/// The index of the element at (b, a) of a tiled loop.
std::string ElementwiseWriter::tile_index(const Operand& operand) const {
  const std::string along = step_to(operand, "a");
  if (step_of(operand) == Step::crossed) return joined({"b + ", along});
  const std::string down = joined({"b * ", operand.name, "_second"});
  return step_of(operand) == Step::zero ? down : down + " + " + along;
}

}  // namespace treadle::codegen
