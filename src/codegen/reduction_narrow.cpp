// SPDX-License-Identifier: MIT
// The loops of the narrow schedule: a group is one work-item, and compilers for processors
// vectorise its loops.
#include <algorithm>

#include "reduction_tiling.hpp"
#include "reduction_writer.hpp"
#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {

void ReductionWriter::write_narrow() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  if (loop_.is_split) {
    code_.declare({"const ", uint}, "tile", {dialect_.group_id, " / splits"});
    code_.declare({"const ", uint}, "split", {dialect_.group_id, " - tile * splits"});
  } else {
    code_.declare({"const ", integer}, "first",
                  {"(", integer, ")", dialect_.group_id, " * group_tiles"});
    code_.declare({"const ", integer}, "last",
                  "tiles - first < group_tiles ? tiles : first + group_tiles");
    code_.open_for(integer, "tile", "first", "last");
  }
  has_strips() ? write_narrow_strip() : write_narrow_row();
  if (!loop_.is_split) code_.close();
}

void ReductionWriter::write_narrow_row() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const auto same = [](const std::string& name) { return name; };
  write_kept_move("tile", true, true);
  declare_accumulators();
  if (!has_place_blocks()) declare_parts(number(lanes_));
  if (loop_.folded.kind == SpaceKind::linear) {
    code_.declare({"const ", integer}, "start",
                  loop_.is_split ? joined({"(", integer, ")split * piece_length"}) : "0");
    code_.declare({"const ", integer}, "end",
                  "n - start < piece_length ? n : start + piece_length");
    write_constants();
    write_narrow_lanes("start", "end");
  } else {
    write_narrow_pieces();
  }
  if (!has_place_blocks()) places_ascend() ? fold_places() : fold_lanes();
  if (loop_.is_split) {
    write_partial(dialect_.group_id, same);
    hand_over().open_last(code_);
    write_start();
    code_.open_for(uint, "other", "0", "splits");
    combine(same, partial(joined({"(", integer, ")tile * splits + other"})));
    code_.close();
  }
  write_epilogue("");
  if (loop_.is_split) code_.close();
}

/// Folds accumulators that stored the step of their winner instead of its place. If there was no
/// step, the accumulators are empty and their places are invalid.
void ReductionWriter::fold_places() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string lanes = number(lanes_), few = number(std::min(lanes_, tiling_.vector_lanes));
  const auto same = [](const std::string& name) { return name; };
  const auto place = [&](const std::string& name, const std::string& k) {
    return joined({"(", integer, ")", name, "_step_part[", k, "] * ", lanes, " + ", k});
  };
  code_.open_if("step > 0");
  for (const FoldText& fold : folds_)
    if (fold.has_place()) code_.declare_array(integer, {fold.fields()[1].name, "_part"}, few);
  // Not unrolled, so that compilers vectorise the loop; unrolling would split the array into
  // variables.
  code_.directive("pragma", "unroll 1");
  code_.open_for(uint, "k", "0", few);
  for (const FoldText& fold : folds_) {
    const std::string& name = fold.fields()[0].name;
    if (fold.has_place()) code_.assign({fold.fields()[1].name, "_part[k]"}, place(name, "k"));
    code_.open_for(uint, "j", few, lanes, few);
    if (fold.has_place()) code_.declare({"const ", integer}, "at", place(name, "k + j"));
    fold.combine(
        code_, [](const std::string& field) { return field + "_part[k]"; },
        [&](const std::string& field) {
          return fold.has_place() && field != name ? "at" : field + "_part[k + j]";
        });
    code_.close();
  }
  code_.close();
  code_.open_for(uint, "k", "0", few);
  const Operand& first = element_.operand(Kind::place, 0);
  for (const FoldText& fold : folds_)
    fold.combine(code_, same, [&](const std::string& field) {
      if (!fold.has_place() || field == fold.fields()[0].name) return field + "_part[k]";
      return joined({"(", element(first, along(first, "(start + " + field + "_part[k])")), ")"});
    });
  code_.close();
  code_.close();
}

void ReductionWriter::write_narrow_pieces() {
  const std::string integer = type(Scalar::int64);
  code_.declare(integer, "piece",
                loop_.is_split ? joined({"(", integer, ")split * group_pieces"}) : "0");
  code_.declare({"const ", integer}, "last_piece",
                "pieces - piece < group_pieces ? pieces : piece + group_pieces");
  code_.open_loop({}, "piece < last_piece", "++piece");
  code_.declare({"const ", integer}, "row", "piece / row_pieces");
  code_.declare({"const ", integer}, "start", "(piece - row * row_pieces) * piece_length");
  code_.declare({"const ", integer}, "end",
                "inner - start < piece_length ? inner : start + piece_length");
  const std::string row = moved_;
  write_folded_move("row", "");
  write_constants();
  write_narrow_lanes("start", "end");
  moved_ = row;
  code_.close();
}

/// Folds the elements of a contiguous range: one for each accumulator at a time, then the rest.
void ReductionWriter::write_narrow_lanes(const std::string& start, const std::string& end) {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string lanes = number(lanes_);
  code_.declare(integer, "i", start);
  if (has_runs()) return has_totals() ? write_long_row(end) : write_blocks(end);
  if (has_place_blocks()) return write_place_blocks(end);
  if (places_ascend()) code_.declare(uint, "step", "0");
  code_.open_loop({}, {"i + ", lanes, " <= ", end}, {"i += ", lanes});
  code_.open_for(uint, "k", "0", lanes);
  write_fold_at(
      "(i + k)", [](const std::string& name) { return name + "_part[k]"; },
      places_ascend() ? "step" : "");
  code_.close();
  if (places_ascend()) code_.evaluate("++step");
  code_.close();
  code_.open_loop({}, {"i < ", end}, "++i");
  write_fold_at("i", [](const std::string& name) { return name; });
  code_.close();
}

/// Whether the winner's place is searched in its block when all are folded: for narrow integers,
/// where keeping a step for each element would cost more than the comparisons.
bool ReductionWriter::has_place_blocks() const {
  return places_ascend() && folds_.size() == 1 && folds_[0].has_place() &&
         folds_[0].is_of_narrow_integers();
}

void ReductionWriter::write_place_blocks(const std::string& end) {
  const std::string integer = type(Scalar::int64);
  const FoldText& fold = folds_[0];
  const BlockField &value = fold.fields()[0], &place = fold.fields()[1];
  const Operand& first = element_.operand(Kind::place, 0);
  code_.declare(value.type, "most", fold.neutral(0));
  code_.declare(integer, "block", "i");
  // Long blocks first, because their accumulators are folded less often; short blocks take the
  // rest.
  for (const unsigned length : {long_block(), lanes_}) {
    code_.open_loop({}, {"i + ", number(length), " <= ", end}, {"i += ", number(length)});
    write_best_of_block("i", length);
    code_.assign("block", {fold.beats("best", "most"), " ? i : block"});
    fold.combine_in_run(code_, "most", "best");
    code_.close();
  }
  // A range of one length is searched whatever the elements are, so that the arguments tell how
  // long the kernel takes. What it has before the winner's block is worse.
  const bool is_one = loop_.folded.kind == SpaceKind::linear;
  const std::string is_new =
      fold.beats("most", value.name) + " | (" + place.name + " == " + fold.neutral(1) + ")";
  code_.open_if(is_one ? "i > start" : "i > start & (" + is_new + ")");
  write_search_of_block();
  code_.assign(value.name, "most");
  code_.assign(place.name, element(first, along(first, "(from + found)")));
  code_.close();
  code_.open_loop({}, {"i < ", end}, "++i");
  write_fold_at("i", [](const std::string& name) { return name; });
  code_.close();
}

/// The best of `length` elements from `at` on.
void ReductionWriter::write_best_of_block(const std::string& at, unsigned length) {
  const FoldText& fold = folds_[0];
  code_.declare(fold.fields()[0].type, "best", fold.neutral(0));
  code_.open_for(type(Scalar::uint32), "k", "0", number(length));
  write_values_at("(" + at + " + k)");
  fold.combine_in_run(code_, "best", element_.value(0));
  code_.close();
}

/// Where in the winner's block its first winner is. One loop over all of the block: as a loop of
/// parts, compilers did not vectorise it.
void ReductionWriter::write_search_of_block() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string whole = number(long_block());
  code_.declare({"const ", uint}, "searched",
                {"i - start < ", whole, " ? (", uint, ")(i - start) : ", whole});
  code_.declare({"const ", integer}, "from", "block < i - searched ? block : i - searched");
  code_.declare(uint, "found", "searched");
  code_.open_for(uint, "k", "0", "searched");
  write_values_at("(from + k)");
  code_.declare({"const ", uint}, "here", {element_.value(0), " == most ? k : searched"});
  code_.assign("found", "here < found ? here : found");
  code_.close();
}

void ReductionWriter::write_values_at(const std::string& index) {
  element_.write_values(code_, false, [&](const Operand& operand) {
    return element(operand, along(operand, index));
  });
}

/// The name of a field with `suffix` if its fold rounds, and with `otherwise` if not.
std::string ReductionWriter::of_run(const std::string& name, const std::string& suffix,
                                    const std::string& otherwise) const {
  const auto has_field = [&](const FoldText& fold) {
    return fold.has_runs() &&
           std::ranges::find(fold.fields(), name, &BlockField::name) != fold.fields().end();
  };
  return name + (std::ranges::any_of(folds_, has_field) ? suffix : otherwise);
}

/// Folds a short row of floats, or a part of a row, in blocks: a few accumulators for each block,
/// then a tree. A row is halved until a half is short enough, as NumPy does, because a full block
/// and a short block have a larger error than two halves.
void ReductionWriter::write_blocks(const std::string& end) {
  const std::string integer = type(Scalar::int64), lanes = number(lanes_);
  const unsigned most = lanes_ == 1 ? 2 * tiling_.block_elements : tiling_.block_elements;
  const bool is_one = loop_.folded.kind == SpaceKind::linear && !has_blocks();
  if (has_blocks()) {
    code_.declare(integer, "length", {end, " - i"});
    code_.open_while({"length > ", number(std::max(most, 2 * lanes_))});
    code_.assign("length", {"length / ", number(2 * lanes_), " * ", lanes}, "-=");
    code_.close();
    code_.declare({"const ", integer}, "block_length",
                  {"(length + ", number(lanes_ - 1), ") / ", lanes, " * ", lanes});
    code_.open_while({"i < ", end});
  }
  code_.declare(
      {"const ", integer}, "block_end",
      has_blocks() ? joined({end, " - i < block_length ? ", end, " : i + block_length"}) : end);
  code_.open_loop({}, {"i + ", lanes, " <= block_end"}, {"i += ", lanes});
  code_.open_for(type(Scalar::uint32), "k", "0", lanes);
  write_fold_at("(i + k)", [](const std::string& name) { return name + "_part[k]"; });
  code_.close();
  code_.close();
  for (const FoldText& fold : folds_) {
    if (!fold.has_runs()) continue;
    const std::string name = fold.result().name;
    std::vector<std::string> sums;
    for (unsigned k = 0; k < lanes_; ++k) sums.push_back(joined({name, "_part[", number(k), "]"}));
    const std::vector<std::string> parts = sums;
    for (; sums.size() > 1; sums.resize(sums.size() / 2))
      for (std::size_t k = 0; k < sums.size() / 2; ++k)
        sums[k] = joined({"(", fold.folded(sums[2 * k], sums[2 * k + 1]), ")"});
    code_.declare(fold.result().type, {name, "_block"}, sums[0]);
    if (is_one) continue;
    for (const std::string& part : parts) code_.assign(part, fold.neutral(0));
  }
  code_.open_loop({}, "i < block_end", "++i");
  write_fold_at("i", [&](const std::string& name) { return of_run(name, "_block", ""); });
  code_.close();
  for (const FoldText& fold : folds_) {
    if (!fold.has_runs()) continue;
    const std::string& name = fold.result().name;
    if (is_one)
      code_.assign(name, {name, "_block"});
    else
      fold.combine_value(code_, [](const std::string& field) { return field; }, name + "_block");
  }
  if (has_blocks()) code_.close();
}

/// Folds a long row of floats: the elements of a run are `lanes_` elements apart.
void ReductionWriter::write_long_row(const std::string& end) {
  if (std::ranges::none_of(folds_, &FoldText::is_exact)) return write_long_runs(end);
  const std::string uint = type(Scalar::uint32), lanes = number(lanes_);
  // Sums of several runs are added at once, so that rounding errors are computed less often.
  const std::string turn = number(std::uint64_t{lanes_} * run_elements_ * run_elements_),
                    most = number(run_elements_);
  code_.open_loop({}, {"i + ", turn, " <= ", end}, {"i += ", turn});
  code_.open_for(uint, "k", "0", lanes);
  const auto declare = [&](const char* suffix) {
    for (const FoldText& fold : folds_)
      if (fold.has_runs())
        code_.declare(fold.result().type, {fold.result().name, suffix}, fold.neutral(0));
  };
  declare("_runs");
  // Unrolled completely before vectorisation; otherwise PoCL's compiler adds the elements one by
  // one.
  code_.directive("pragma", "unroll");
  code_.open_for(uint, "r", "0", most);
  declare("_run");
  code_.directive("pragma", "unroll");
  code_.open_for(uint, "t", "0", most);
  write_fold_at(joined({"(i + (r * ", most, " + t) * ", lanes, " + k)"}),
                [&](const std::string& name) { return of_run(name, "_run", "_part[k]"); });
  code_.close();
  for (const FoldText& fold : folds_)
    if (fold.has_runs())
      fold.combine_in_run(code_, fold.result().name + "_runs", fold.result().name + "_run");
  code_.close();
  for (const FoldText& fold : folds_)
    if (fold.has_runs())
      fold.combine_value(
          code_, [](const std::string& name) { return name + "_total[k]"; },
          fold.result().name + "_runs");
  code_.close();
  code_.close();
  code_.open_loop({}, {"i < ", end}, {"i += ", lanes});
  code_.declare({"const ", uint}, "left",
                {end, " - i < ", lanes, " ? (", uint, ")(", end, " - i) : ", lanes});
  code_.open_for(uint, "k", "0", "left");
  write_fold_at("(i + k)",
                [&](const std::string& name) { return of_run(name, "_total[k]", "_part[k]"); });
  code_.close();
  code_.close();
}

/// Like write_long_row() without rounding errors: the runs are longer and the accumulators stay in
/// an array, which every compiler vectorises.
void ReductionWriter::write_long_runs(const std::string& end) {
  const std::string lanes = number(lanes_), run = number(std::uint64_t{lanes_} * run_elements_);
  code_.open_while({"i + ", lanes, " <= ", end});
  code_.declare({"const ", type(Scalar::int64)}, "run_end",
                {end, " - i < ", run, " ? ", end, " : i + ", run});
  code_.open_loop({}, {"i + ", lanes, " <= run_end"}, {"i += ", lanes});
  code_.open_for(type(Scalar::uint32), "k", "0", lanes);
  write_fold_at("(i + k)", [](const std::string& name) { return name + "_part[k]"; });
  code_.close();
  code_.close();
  end_run(lanes);
  code_.close();
  code_.open_loop({}, {"i < ", end}, "++i");
  write_fold_at("i", [](const std::string& name) { return name; });
  code_.close();
}

/// Folds all accumulators into one.
void ReductionWriter::fold_lanes() {
  const auto same = [](const std::string& name) { return name; };
  if (!has_totals() && std::ranges::all_of(folds_, &FoldText::has_runs)) return;
  // A loop and not a tree of loops with constant lengths: compilers would unroll the tree and split
  // the accumulators into variables, and the CPU device's compiler would then not vectorise them.
  code_.open_for(type(Scalar::uint32), "k", "0", number(lanes_));
  for (const FoldText& fold : folds_) {
    if (fold.has_runs() && !has_totals()) continue;
    const std::string suffix = fold.has_runs() ? "_total[k]" : "_part[k]";
    fold.combine(code_, same, [&](const std::string& name) { return name + suffix; });
  }
  code_.close();
}

/// Adds rows to a strip of results.
void ReductionWriter::write_narrow_strip() {
  const std::string integer = type(Scalar::int64),
                    width = number(strip_length(tiling_, element_.accumulator_bytes));
  code_.declare({"const ", integer}, "line", "tile / out_row_pieces");
  code_.declare({"const ", integer}, "start", {"(tile - line * out_row_pieces) * ", width});
  code_.declare({"const ", integer}, "width",
                {"out_inner - start < ", width, " ? out_inner - start : ", width});
  kept_moved_ = moved_ = "";
  kept_indices().write(code_, "line", kept_axes());
  for (const Operand& operand : operands_) {
    const std::string outer = kept_offset(operand);
    const std::string inner = inner_step(operand) == Step::zero ? "" : along(operand, "start");
    move(operand, outer.empty() || inner.empty() ? outer + inner : outer + " + " + inner, "_row");
  }
  kept_moved_ = moved_ = "_row";
  declare_parts(width);
  if (loop_.is_split) {
    code_.declare({"const ", integer}, "first", {"(", integer, ")split * group_pieces"});
    code_.declare({"const ", integer}, "last",
                  "n - first < group_pieces ? n : first + group_pieces");
  }
  write_strip_rows(loop_.is_split ? "first" : "0", loop_.is_split ? "last" : "n");
  moved_ = "_row";
  write_strip_results();
}

/// Sums that round, by runs of a few rows. Several rows are added while an accumulator is in a
/// register: alone, each would load and store it.
void ReductionWriter::write_strip_rows(const std::string& first, const std::string& last) {
  const std::string integer = type(Scalar::int64), run = number(tiling_.run_rows);
  const unsigned rows = has_totals() ? std::min(tiling_.run_elements, tiling_.run_rows) : 1;
  if (!has_totals()) {
    code_.open_for(integer, "i", first, last);
    write_rows_at_once(1);
    return code_.close();
  }
  code_.open_for(integer, "run", first, last, run);
  code_.declare({"const ", integer}, "run_end",
                {last, " - run < ", run, " ? ", last, " : run + ", run});
  code_.declare(integer, "i", "run");
  if (rows > 1) {
    code_.open_loop({}, {"i + ", number(rows), " <= run_end"}, {"i += ", number(rows)});
    write_rows_at_once(rows);
    code_.close();
  }
  code_.open_loop({}, "i < run_end", "++i");
  write_rows_at_once(1);
  code_.close();
  end_run("width");
  code_.close();
}

/// Folds rows from i on into a strip of accumulators.
void ReductionWriter::write_rows_at_once(unsigned rows) {
  const std::string strip = moved_;
  const Name part = [](const std::string& name) { return name + "_part[k]"; };
  const auto write_move = [&](const std::string& row) {
    write_folded_move(row, "");
    write_constants();
  };
  if (rows == 1) write_move("i");
  code_.open_for(type(Scalar::int64), "k", "0", "width");
  for (unsigned row = 0; row < rows; ++row) {
    if (rows > 1) {
      code_.open();  // where a row begins does not depend on k, which every compiler sees
      write_move(row == 0 ? "i" : joined({"(i + ", number(row), ")"}));
    }
    write_fold_at("k", part);
    if (rows > 1) code_.close();
    if (rows > 1) moved_ = strip;
  }
  code_.close();
  moved_ = strip;
}

void ReductionWriter::write_strip_results() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string width = number(strip_length(tiling_, element_.accumulator_bytes));
  const auto open_strip = [&] { code_.open_for(integer, "k", "0", "width"); };
  const auto part = [this](const FoldText& fold) {
    const std::string suffix = fold.has_runs() && has_totals() ? "_total[k]" : "_part[k]";
    return [suffix](const std::string& name) { return name + suffix; };
  };
  if (loop_.is_split) {
    const auto own = partial(joined({"(", integer, ")", dialect_.group_id, " * ", width, " + k"})),
               others =
                   partial(joined({"((", integer, ")tile * splits + other) * ", width, " + k"}));
    open_strip();
    for (const FoldText& fold : folds_)
      for (const BlockField& field : fold.fields())
        code_.assign(own(field.name), part(fold)(field.name));
    code_.close();
    hand_over().open_last(code_);
    open_strip();
    for (const FoldText& fold : folds_)
      for (std::size_t i = 0; i < fold.fields().size(); ++i)
        code_.assign(part(fold)(fold.fields()[i].name), fold.neutral(i));
    code_.close();
    code_.open_for(uint, "other", "0", "splits");
    open_strip();
    for (const FoldText& fold : folds_) fold.combine(code_, part(fold), others);
    code_.close();
    code_.close();
  }
  open_strip();
  for (const FoldText& fold : folds_) {
    const BlockField& result = fold.result();
    code_.declare({"const ", result.type}, result.name,
                  has_totals() ? fold.settled(part(fold)) : part(fold)(result.name));
  }
  write_epilogue("k");
  code_.close();
  if (loop_.is_split) code_.close();
}

}  // namespace treadle::codegen
