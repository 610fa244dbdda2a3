// SPDX-License-Identifier: MIT
// Writes an elementwise kernel in parts: elementwise.cpp the frame, elementwise_wide.cpp and
// elementwise_narrow.cpp the loops, snippet.cpp the parts that only users' texts need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "elementwise_element.hpp"
#include "expression_text.hpp"
#include "program.hpp"
#include "space_text.hpp"
#include "treadle/codegen/elementwise.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {

class ElementwiseWriter {
 public:
  ElementwiseWriter(ElementwiseElement& element, const LoopClass& loop, const Tiling& tiling,
                    const Dialect& dialect);
  ElementwiseText write();
  /// Work-items of a group in the literal loop.
  static unsigned literal_group_size() { return tiling_of(Schedule::wide).group_size; }

 private:
  using Operand = KernelElement::Operand;
  using Place = KernelElement::Place;

  // Properties and names.
  bool is_wide() const { return tiling_.schedule == Schedule::wide; }
  Step step_of(const Operand& operand) const {
    return loop_.steps[static_cast<std::size_t>(&operand - operands_.data())];
  }
  unsigned group_size() const;
  std::string type(Scalar scalar) const { return types_.name_of(scalar); }
  std::string vector_type(const Operand& operand) const;
  std::string pointer_to(const std::string& element, const Operand& operand) const;

  // The frame.
  std::vector<ElementwiseParameter> parameters() const;
  tree::NodePtr declared(const ElementwiseParameter& parameter) const;
  void write_comment(tree::BlockBuilder& code) const;
  void write_records();
  void write_types();
  void write_signature(const std::vector<ElementwiseParameter>& all);
  void write_offsets();

  // The computation of one element.
  void write_constants();
  void write_element(const Place& read, const Place& written);
  /// Computes the element with this index along the innermost axis, counted from the current
  /// pointers.
  void write_element_at(const std::string& index);
  std::string step_to(const Operand& operand, const std::string& index) const;
  std::string element(const Operand& operand, const std::string& index) const;

  // Parts of loops.
  IndexText indices() const;
  void write_indices(const std::string& position, unsigned axes);
  std::string outer_offset(const Operand& operand, unsigned axes) const;
  void advance(const Operand& operand, const std::string& by);
  tree::NodePtr moved(const Operand& operand, std::string_view suffix) const;
  void write_moved_operands();
  std::string tile_index(const Operand& operand) const;

  // The loops.
  void write_linear();
  void write_literal();
  void write_range(const std::string& item, const std::string& count, const std::string& position);
  void write_wide_counted();
  void write_wide_linear();
  void write_wide_rows();
  void write_wide_piece(const std::string& lanes, const std::string& full, unsigned rounds);
  void write_vector_round(const std::string& at);
  void write_wide_strided();
  void write_wide_tiled();
  void write_narrow_linear();
  void write_narrow_rows();
  void write_narrow_tiled();

  ElementwiseElement& element_;
  const std::vector<Operand>& operands_;
  const LoopClass& loop_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  TypeNames types_;
  const TextLoop* user_;  ///< null: an expression in a lowered space
  std::string moved_;     ///< suffix of the names of pointers: "_row" after a move to a row
  tree::BlockBuilder code_;
};

}  // namespace treadle::codegen
