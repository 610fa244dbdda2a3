// SPDX-License-Identifier: MIT
#include "expression_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "program.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "words.hpp"

namespace treadle::codegen {

namespace {

std::string record_type(const DType& dtype) {
  return joined({"record", number(dtype.size_bytes()), "_", number(dtype.alignment())});
}

}  // namespace

std::string memory_type(const DType& dtype, const Dialect& dialect) {
  const bool is_record = dtype.scalar() == Scalar::structure;
  return is_record ? record_type(dtype) : stored_type(dtype.scalar(), dialect);
}

std::string short_name(const DType& dtype) {
  constexpr char letters[] = {'b', 'i', 'u', 'f', 'c', 'v'};
  return letters[static_cast<std::size_t>(dtype.kind())] + std::to_string(8 * dtype.size_bytes());
}

bool is_operation(Op op) noexcept { return op != Op::leaf && op != Op::scalar && op != Op::iota; }

std::string neighbours_type(const DType& dtype, unsigned items) {
  const bool is_record = dtype.scalar() == Scalar::structure;  // the name is no identifier
  return (is_record ? record_type(dtype) : dtype.name()) + "_x" + number(items);
}

void write_vector_types(tree::BlockBuilder& code, const std::vector<DType>& dtypes, unsigned items,
                        std::size_t access_bytes, const Dialect& dialect) {
  std::vector<std::string> written;
  for (const DType& dtype : dtypes) {
    const std::string name = neighbours_type(dtype, items);
    if (std::ranges::find(written, name) != written.end()) continue;
    written.push_back(name);
    const std::size_t bytes = std::min(access_bytes, items * dtype.size_bytes());
    write_structure(code, name,
                    {tree::array(tree::value(memory_type(dtype, dialect), "at"), items)},
                    fill_holes(dialect.aligned, std::array{number(bytes)}));
  }
  code.blank();
}

bool ExpressionText::is_variable(const Instruction& step) const {
  return step.op == Op::leaf && step.operands[0] < beside_.variables;
}

std::string ExpressionText::value_name(Value value) const {
  const Instruction& step = expression_.instructions[value];
  if (step.op == Op::scalar) {
    const std::string name = name_(step);
    // A scalar gets a value of its own if it is passed in another form than it is computed in.
    return load_text(step.dtype, name, dialect_) == name ? name : name + "_value";
  }
  if (is_variable(step)) return name_(step);
  if (!is_operation(step.op)) return name_(step) + "_i";
  return std::string(op_info(step.op).name) + "_" + number(beside_.first_number + value);
}

std::string place_behind(const std::string& place, const std::string& offset) {
  const bool is_first = place.ends_with("[0]");
  return joined(
      {place.substr(0, place.size() - (is_first ? 2 : 1)), is_first ? "" : " + ", offset, "]"});
}

std::string ExpressionText::value_text(Value value, const Place& place) const {
  const Instruction& step = expression_.instructions[value];
  if (is_variable(step)) return name_(step);
  const auto read = [&](const std::string& from) {
    return beside_.is_global ? read_text(step.dtype, from, dialect_)
                             : load_text(step.dtype, from, dialect_);
  };
  if (step.op == Op::leaf) return read(place(step));
  if (step.op == Op::scalar) return load_text(step.dtype, name_(step), dialect_);
  if (step.op == Op::iota) return place(step);
  if (step.op == Op::gather) return read(place_behind(place(step), value_name(step.operands[0])));
  std::vector<OperandText> operands;
  for (std::size_t i = 0; i < op_info(step.op).arity; ++i)
    operands.push_back(
        {value_name(step.operands[i]), expression_.dtype_of(step.operands[i]).scalar()});
  if (step.op == Op::cast) return cast_text(operands[0], step.dtype, dialect_);
  if (step.dtype == Scalar::structure)
    return joined({operands[0].text, " ? ", operands[1].text, " : ", operands[2].text});
  return op_text(step.op, operands, dialect_);
}

void ExpressionText::write_value(tree::BlockBuilder& code, Value value, const Place& place) const {
  const std::string written = value_text(value, place), name = value_name(value);
  if (written == name) return;
  const DType dtype = expression_.dtype_of(value);
  code.declare(
      {"const ", dtype.scalar() == Scalar::structure ? memory_type(dtype, dialect_)
                                                     : value_type(dtype.scalar(), dialect_)},
      name, written);
}

void ExpressionText::find_constants(const std::function<bool(const Instruction&)>& is_constant) {
  for (const Instruction& step : expression_.instructions) {
    bool constant = step.op != Op::iota;
    if (step.op == Op::leaf || step.op == Op::gather) constant = is_constant(step);
    for (std::size_t i = 0; i < op_info(step.op).arity; ++i)
      constant = constant && constants_[step.operands[i]];
    constants_.push_back(constant);
  }
}

void ExpressionText::write_values(tree::BlockBuilder& code, bool constant,
                                  const Place& place) const {
  for (std::size_t value = 0; value < constants_.size(); ++value)
    if (constants_[value] == constant) write_value(code, static_cast<Value>(value), place);
}

std::string ExpressionText::formula(Value value) const {
  std::string text;
  append_formula(text, value);
  return text;
}

void ExpressionText::append_formula(std::string& text, Value value) const {
  constexpr std::size_t line = 90;
  if (text.size() > line) return;
  const Instruction& step = expression_.instructions[value];
  if (!is_operation(step.op)) {
    text += name_(step);
  } else if (step.op == Op::gather) {
    text += name_(step) + "[";
    append_formula(text, step.operands[0]);
    text += "]";
  } else {
    text += step.op == Op::cast ? DType(step.dtype).name() : op_info(step.op).name;
    for (std::size_t i = 0; i < op_info(step.op).arity; ++i) {
      text += i == 0 ? "(" : ", ";
      append_formula(text, step.operands[i]);
    }
    text += ")";
  }
  if (text.size() > line) text.replace(text.begin() + line, text.end(), "...");
}

}  // namespace treadle::codegen
