// SPDX-License-Identifier: MIT
// Writes a reduction in parts: reduction_text.cpp the frame and the computation of elements and
// results, reduction_wide.cpp and reduction_narrow.cpp the loops.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "block.hpp"
#include "expression_text.hpp"
#include "fold_text.hpp"
#include "program.hpp"
#include "reduction_element.hpp"
#include "space_text.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/reduction.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

class ReductionWriter {
 public:
  ReductionWriter(ReductionElement& element, const ReductionClass& loop, const Tiling& tiling,
                  const Dialect& dialect);
  ReductionText write();

 private:
  using Kind = ReductionElement::Kind;
  using Operand = ReductionElement::Operand;
  using Place = ReductionElement::Place;
  /// Gives the text of a field of an accumulator.
  using Name = FoldText::Name;

  // Properties and names.
  bool is_wide() const { return tiling_.schedule == Schedule::wide; }
  bool has_strips() const { return !is_wide() && loop_.has_columns; }
  unsigned depth() const { return 1u << loop_.depth_log2; }
  unsigned width() const { return group_size_ / depth(); }
  /// Wide: elements of a result that its work-items take at a time.
  std::uint64_t tile() const {
    return std::uint64_t{depth()} * loop_.folded.items * loop_.folded.rounds;
  }
  /// Wide: adjacent accumulators.
  unsigned parts() const { return std::min<unsigned>(loop_.folded.items, tiling_.accumulators); }
  /// The elements that one access gives to each accumulator.
  unsigned elements_of_part() const {
    return loop_.folded.has_vectors ? loop_.folded.items / parts() : 1;
  }
  Step inner_step(const Operand& operand) const;
  std::size_t number_of(const Operand& operand) const {
    return static_cast<std::size_t>(&operand - operands_.data());
  }
  std::string type(Scalar scalar) const { return stored_type(scalar, dialect_); }
  std::string pointer_to(const std::string& element, const Operand& operand) const;

  // The frame.
  std::vector<ReductionParameter> parameters() const;
  void append_space(std::vector<ReductionParameter>& all, ReductionParameter::Role role) const;
  tree::NodePtr declared(const Operand& operand, std::string_view suffix) const;
  tree::NodePtr declared(const ReductionParameter& parameter) const;
  void write_comment(tree::BlockBuilder& code) const;
  void write_types();
  void write_signature(const std::vector<ReductionParameter>& all);

  // Indices and addresses.
  IndexText kept_indices() const;
  IndexText folded_indices() const;
  unsigned kept_axes() const;
  unsigned folded_axes() const;
  std::string base(const Operand& operand) const;
  std::string element(const Operand& operand, const std::string& index) const;
  std::string along(const Operand& operand, const std::string& index) const;
  std::string kept_offset(const Operand& operand) const;
  void move(const Operand& operand, const std::string& by, const std::string& suffix);
  void write_kept_move(const std::string& position, bool elements, bool results);
  void write_folded_move(const std::string& position, const std::string& along);

  // Computations of elements, accumulators and results.
  void write_constants();
  void write_fold(const Place& place, const Name& into, const std::string& step = "");
  void write_fold_at(const std::string& index, const Name& into, const std::string& step = "");
  /// Whether a fold rounds, so that elements are folded in runs.
  bool has_runs() const { return std::ranges::any_of(folds_, &FoldText::has_runs); }
  /// Narrow: whether runs are folded into adjacent accumulators.
  bool has_totals() const {
    return has_runs() && (has_strips() ? loop_.has_blocks || loop_.is_split
                                       : lanes_ > 1 && !loop_.has_short_rows);
  }
  /// Narrow: whether a row without such accumulators is divided into blocks.
  bool has_blocks() const { return loop_.has_blocks || !loop_.has_short_rows; }
  /// A loop that ends a run after a number of turns.
  struct Turns {
    std::string variable, type, first, end, step;
    unsigned in_run;
  };
  void open_turns(const Turns& turns);
  void close_turns(const std::string& count);
  unsigned turns_in_run(unsigned elements) const;
  void end_run(const std::string& count);
  void declare_accumulators();
  void declare_parts(const std::string& count);
  void combine(const Name& into, const Name& from);
  void write_start();
  void write_epilogue(const std::string& index);
  BlockReduce block() const;
  HandOver hand_over() const { return {dialect_, type(Scalar::uint32)}; }

  // Partials.
  void write_partials_type();
  Name partial(const std::string& index) const;
  void write_partial(const std::string& index, const Name& from);

  // The loops.
  void write_wide();
  bool places_ascend() const;
  void fold_places();
  bool has_place_blocks() const;
  unsigned long_block() const { return 8 * lanes_; }
  void write_place_blocks(const std::string& end);
  void write_best_of_block(const std::string& at, unsigned length);
  void write_search_of_block();
  void write_values_at(const std::string& index);
  void fold_parts();
  std::string place_of_part(const std::string& step) const;
  void write_wide_tiles();
  void write_wide_piece();
  void write_wide_vectors(const std::string& at);
  void write_wide_decoded();
  void write_wide_last_group();
  void write_narrow();
  void write_narrow_row();
  void write_narrow_pieces();
  std::string of_run(const std::string& name, const std::string& suffix,
                     const std::string& otherwise) const;
  void write_blocks(const std::string& end);
  void write_long_row(const std::string& end);
  void write_long_runs(const std::string& end);
  void fold_lanes();
  void write_narrow_lanes(const std::string& start, const std::string& end);
  void write_narrow_strip();
  void write_strip_rows(const std::string& first, const std::string& last);
  void write_rows_at_once(unsigned rows);
  void write_strip_results();

  ReductionElement& element_;
  const ReductionClass& loop_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const std::vector<FoldText>& folds_;
  const std::vector<Operand>& operands_;
  std::string kept_moved_;  ///< suffix of pointers to results: "_row"
  std::string moved_;       ///< suffix of pointers to elements: "_row", "_tile"
  unsigned lanes_ = 1;      ///< narrow: adjacent accumulators
  unsigned group_size_;
  unsigned run_elements_;  ///< elements of a run, which are folded without rounding errors
  tree::BlockBuilder code_;
};

}  // namespace treadle::codegen
