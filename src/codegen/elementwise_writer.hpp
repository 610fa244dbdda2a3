// SPDX-License-Identifier: MIT
// The parts of an elementwise kernel's text: elementwise.cpp writes what is computed for an element
// and the frame, elementwise_wide.cpp and elementwise_narrow.cpp the loops.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "expression_text.hpp"
#include "space_text.hpp"
#include "text_writer.hpp"
#include "treadle/codegen/elementwise.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {

/// Writes one kernel.
class ElementwiseWriter {
 public:
  ElementwiseWriter(const Expression& expression, const LoopClass& loop, const Tiling& tiling,
                    const Dialect& dialect);
  ElementwiseText write();

 private:
  /// An operand under the name that the text gives it.
  struct Operand {
    ElementwiseOperand::Kind kind;
    std::uint8_t index;
    DType dtype;
    bool is_indirect;
    Step step;
    std::string name;  ///< of the pointer, or of the position
    bool is_memory() const { return kind != ElementwiseOperand::Kind::position; }
    bool is_output() const { return kind == ElementwiseOperand::Kind::output; }
  };
  /// Where the text finds the element of an operand: an lvalue of its type in memory; of the
  /// position a number.
  using Place = std::function<std::string(const Operand&)>;

  // What is there, and what it is called.
  void name_operands();
  bool is_wide() const { return tiling_.schedule == Schedule::wide; }
  void find_constants();
  const Operand& operand_of(const Instruction& leaf) const;
  bool is_read(const Operand& operand) const;
  std::string type(Scalar scalar) const { return types_.name_of(scalar); }
  std::string vector_type(const Operand& operand) const;
  std::string pointer_to(const std::string& element, const Operand& operand) const;

  // The frame.
  std::vector<ElementwiseParameter> parameters() const;
  std::string declared(const ElementwiseParameter& parameter) const;
  void write_comment(const std::string& name);
  void write_records();
  void write_types();
  std::string with_functions() const;
  void write_signature(const std::string& name, const std::vector<ElementwiseParameter>& all);
  void write_offsets();

  // What is computed for one element.
  std::string input_name(const Instruction& step) const;
  const Operand& input(const Instruction& step) const;
  void write_value(Value value, const Place& place);
  void write_constants();
  void write_element(const Place& read, const Place& written);
  /// Of the element whose index along the innermost axis this is, from where the pointers are.
  void write_element_at(const std::string& index);
  std::string step_to(const Operand& operand, const std::string& index) const;
  std::string element(const Operand& operand, const std::string& index) const;

  // Parts of loops.
  IndexText indices() const;
  void write_indices(const std::string& position, unsigned axes);
  std::string outer_offset(const Operand& operand, unsigned axes) const;
  void advance(const Operand& operand, const std::string& by);
  void write_moved_operands();
  std::string tile_index(const Operand& operand) const;

  // The loops.
  void write_wide_linear();
  void write_wide_rows();
  void write_wide_piece(const std::string& lanes, const std::string& full, unsigned rounds);
  void write_vector_round(const std::string& at);
  void write_wide_strided();
  void write_wide_tiled();
  void write_narrow_linear();
  void write_narrow_rows();
  void write_narrow_tiled();

  const Expression& expression_;
  const LoopClass& loop_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  TypeNames types_;
  ExpressionText steps_;
  std::vector<Operand> operands_;
  std::vector<bool> constants_;  ///< values that are the same for every element of a piece
  std::string moved_;            ///< behind the names of pointers: "_row" where they are a row's
  std::string comment_;
  TextWriter text_;
};

}  // namespace treadle::codegen
