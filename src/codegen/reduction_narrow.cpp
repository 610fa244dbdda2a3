// SPDX-License-Identifier: MIT
// The narrow schedule's loops: a group is one work-item, which a compiler for processors makes
// vector loops of.
#include <algorithm>

#include "reduction_tiling.hpp"
#include "reduction_writer.hpp"
#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {

void ReductionWriter::write_narrow() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  if (loop_.is_split) {
    text_.line({"const ", uint, " tile = ", dialect_.group_id, " / splits;"});
    text_.line({"const ", uint, " split = ", dialect_.group_id, " - tile * splits;"});
  } else {
    text_.line(
        {"const ", integer, " first = (", integer, ")", dialect_.group_id, " * group_tiles;"});
    text_.line(
        {"const ", integer, " last = tiles - first < group_tiles ? tiles : first + group_tiles;"});
    text_.open({"for (", integer, " tile = first; tile < last; ++tile)"});
  }
  has_strips() ? write_narrow_strip() : write_narrow_row();
  if (!loop_.is_split) text_.close();
}

void ReductionWriter::write_narrow_row() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const auto same = [](const std::string& name) { return name; };
  write_kept_move("tile", true, true);
  declare_accumulators();
  if (!has_place_blocks()) declare_parts(number(lanes_));
  if (loop_.folded.kind == SpaceKind::linear) {
    text_.line({"const ", integer, " start = ",
                loop_.is_split ? joined({"(", integer, ")split * piece_length"}) : "0", ";"});
    text_.line({"const ", integer, " end = n - start < piece_length ? n : start + piece_length;"});
    write_constants();
    write_narrow_lanes("start", "end");
  } else {
    write_narrow_pieces();
  }
  if (!has_place_blocks()) places_ascend() ? fold_places() : fold_lanes();
  if (loop_.is_split) {
    write_partial(dialect_.group_id, same);
    hand_over().open_last(text_);
    write_start();
    text_.open({"for (", uint, " other = 0; other < splits; ++other)"});
    combine(same, partial(joined({"(", integer, ")tile * splits + other"})));
    text_.close();
  }
  write_epilogue("");
  if (loop_.is_split) text_.close();
}

/// Makes one accumulator of parts that keep the step at which they met their winner. Without a step
/// they have met nothing, and their places are nobody's.
void ReductionWriter::fold_places() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string lanes = number(lanes_), few = number(std::min(lanes_, tiling_.vector_lanes));
  const auto same = [](const std::string& name) { return name; };
  const auto place = [&](const std::string& name, const std::string& k) {
    return joined({"(", integer, ")", name, "_step_part[", k, "] * ", lanes, " + ", k});
  };
  text_.open("if (step > 0)");
  for (const FoldText& fold : folds_)
    if (fold.has_place()) text_.line({integer, " ", fold.fields()[1].name, "_part[", few, "];"});
  // By vectors: unrolled it would be taken apart.
  text_.directive("#pragma unroll 1");
  text_.open({"for (", uint, " k = 0; k < ", few, "; ++k)"});
  for (const FoldText& fold : folds_) {
    const std::string& name = fold.fields()[0].name;
    if (fold.has_place()) text_.line({fold.fields()[1].name, "_part[k] = ", place(name, "k"), ";"});
    text_.open({"for (", uint, " j = ", few, "; j < ", lanes, "; j += ", few, ")"});
    if (fold.has_place()) text_.line({"const ", integer, " at = ", place(name, "k + j"), ";"});
    fold.combine(
        text_, [](const std::string& field) { return field + "_part[k]"; },
        [&](const std::string& field) {
          return fold.has_place() && field != name ? "at" : field + "_part[k + j]";
        });
    text_.close();
  }
  text_.close();
  text_.open({"for (", uint, " k = 0; k < ", few, "; ++k)"});
  const Operand& first = element_.operand(Kind::place, 0);
  for (const FoldText& fold : folds_)
    fold.combine(text_, same, [&](const std::string& field) {
      if (!fold.has_place() || field == fold.fields()[0].name) return field + "_part[k]";
      return joined({"(", element(first, along(first, "(start + " + field + "_part[k])")), ")"});
    });
  text_.close();
  text_.close();
}

void ReductionWriter::write_narrow_pieces() {
  const std::string integer = type(Scalar::int64);
  text_.line({integer, " piece = ",
              loop_.is_split ? joined({"(", integer, ")split * group_pieces"}) : "0", ";"});
  text_.line({"const ", integer,
              " last_piece = pieces - piece < group_pieces ? pieces : piece + group_pieces;"});
  text_.open("for (; piece < last_piece; ++piece)");
  text_.line({"const ", integer, " row = piece / row_pieces;"});
  text_.line({"const ", integer, " start = (piece - row * row_pieces) * piece_length;"});
  text_.line(
      {"const ", integer, " end = inner - start < piece_length ? inner : start + piece_length;"});
  const std::string row = moved_;
  write_folded_move("row", "");
  write_constants();
  write_narrow_lanes("start", "end");
  moved_ = row;
  text_.close();
}

/// Elements of a contiguous range: as many at a time as there are accumulators, and the rest.
void ReductionWriter::write_narrow_lanes(const std::string& start, const std::string& end) {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string lanes = number(lanes_);
  text_.line({integer, " i = ", start, ";"});
  if (has_runs()) return has_totals() ? write_long_row(end) : write_blocks(end);
  if (has_place_blocks()) return write_place_blocks(end);
  if (places_ascend()) text_.line({uint, " step = 0;"});
  text_.open({"for (; i + ", lanes, " <= ", end, "; i += ", lanes, ")"});
  text_.open({"for (", uint, " k = 0; k < ", lanes, "; ++k)"});
  write_fold_at(
      "(i + k)", [](const std::string& name) { return name + "_part[k]"; },
      places_ascend() ? "step" : "");
  text_.close();
  if (places_ascend()) text_.line("++step;");
  text_.close();
  text_.open({"for (; i < ", end, "; ++i)"});
  write_fold_at("i", [](const std::string& name) { return name; });
  text_.close();
}

/// Whether places are looked for in blocks that have a new winner alone: of integers so narrow that
/// a step beside each would be most of what is computed.
bool ReductionWriter::has_place_blocks() const {
  return places_ascend() && folds_.size() == 1 && folds_[0].is_of_narrow_integers();
}

void ReductionWriter::write_place_blocks(const std::string& end) {
  const std::string uint = type(Scalar::uint32);
  const FoldText& fold = folds_[0];
  const BlockField &value = fold.fields()[0], &place = fold.fields()[1];
  const Operand& first = element_.operand(Kind::place, 0);
  const auto at = [this](const char* index) {
    return
        [this, index](const Operand& operand) { return element(operand, along(operand, index)); };
  };
  // Short ones behind long ones, whose lanes are folded less often.
  for (const unsigned length : {8 * lanes_, lanes_}) {
    const std::string block = number(length);
    text_.open({"for (; i + ", block, " <= ", end, "; i += ", block, ")"});
    text_.line({value.type, " best = ", fold.neutral(0), ";"});
    text_.open({"for (", uint, " k = 0; k < ", block, "; ++k)"});
    element_.write_values(text_, false, at("(i + k)"));
    fold.combine_in_run(text_, "best", element_.value(0));
    text_.close();
    text_.open({"if (", fold.beats("best", value.name), " | (", place.name, " == ", fold.neutral(1),
                "))"});
    text_.line({uint, " found = ", block, ";"});
    text_.open({"for (", uint, " k = 0; k < ", block, "; ++k)"});
    element_.write_values(text_, false, at("(i + k)"));
    text_.line({"const ", uint, " here = ", element_.value(0), " == best ? k : ", block, ";"});
    text_.line("found = here < found ? here : found;");
    text_.close();
    text_.line({value.name, " = best;"});
    text_.line({place.name, " = ", element(first, along(first, "(i + found)")), ";"});
    text_.close();
    text_.close();
  }
  text_.open({"for (; i < ", end, "; ++i)"});
  write_fold_at("i", [](const std::string& name) { return name; });
  text_.close();
}

/// The name of a field with a suffix, if it is one of a fold that rounds, else with another.
std::string ReductionWriter::of_run(const std::string& name, const std::string& suffix,
                                    const std::string& otherwise) const {
  const auto has_field = [&](const FoldText& fold) {
    return fold.has_runs() &&
           std::ranges::find(fold.fields(), name, &BlockField::name) != fold.fields().end();
  };
  return name + (std::ranges::any_of(folds_, has_field) ? suffix : otherwise);
}

/// The same of a short row of floats, or a part of one: blocks by a few accumulators and a tree.
/// A row is halved until a half is short enough, as NumPy does: a full block and a short one round
/// more than two halves.
void ReductionWriter::write_blocks(const std::string& end) {
  const std::string integer = type(Scalar::int64), lanes = number(lanes_);
  const unsigned most = lanes_ == 1 ? 2 * tiling_.block_elements : tiling_.block_elements;
  const bool is_one = loop_.folded.kind == SpaceKind::linear && !has_blocks();
  if (has_blocks()) {
    text_.line({integer, " length = ", end, " - i;"});
    text_.line({"while (length > ", number(std::max(most, 2 * lanes_)), ") length -= length / ",
                number(2 * lanes_), " * ", lanes, ";"});
    text_.line({"const ", integer, " block_length = (length + ", number(lanes_ - 1), ") / ", lanes,
                " * ", lanes, ";"});
    text_.open({"while (i < ", end, ")"});
  }
  text_.line(
      {"const ", integer, " block_end = ",
       has_blocks() ? joined({end, " - i < block_length ? ", end, " : i + block_length"}) : end,
       ";"});
  text_.open({"for (; i + ", lanes, " <= block_end; i += ", lanes, ")"});
  text_.open({"for (", type(Scalar::uint32), " k = 0; k < ", lanes, "; ++k)"});
  write_fold_at("(i + k)", [](const std::string& name) { return name + "_part[k]"; });
  text_.close();
  text_.close();
  for (const FoldText& fold : folds_) {
    if (!fold.has_runs()) continue;
    const std::string name = fold.result().name;
    std::vector<std::string> sums;
    for (unsigned k = 0; k < lanes_; ++k) sums.push_back(joined({name, "_part[", number(k), "]"}));
    const std::vector<std::string> parts = sums;
    for (; sums.size() > 1; sums.resize(sums.size() / 2))
      for (std::size_t k = 0; k < sums.size() / 2; ++k)
        sums[k] = joined({"(", fold.folded(sums[2 * k], sums[2 * k + 1]), ")"});
    text_.line({fold.result().type, " ", name, "_block = ", sums[0], ";"});
    if (is_one) continue;
    for (const std::string& part : parts) text_.line({part, " = ", fold.neutral(0), ";"});
  }
  text_.open("for (; i < block_end; ++i)");
  write_fold_at("i", [&](const std::string& name) { return of_run(name, "_block", ""); });
  text_.close();
  for (const FoldText& fold : folds_) {
    if (!fold.has_runs()) continue;
    const std::string& name = fold.result().name;
    if (is_one)
      text_.line({name, " = ", name, "_block;"});
    else
      fold.combine_value(text_, [](const std::string& field) { return field; }, name + "_block");
  }
  if (has_blocks()) text_.close();
}

/// The same of a long row: runs whose elements are as far apart as there are accumulators.
void ReductionWriter::write_long_row(const std::string& end) {
  if (std::ranges::none_of(folds_, &FoldText::is_exact)) return write_long_runs(end);
  const std::string uint = type(Scalar::uint32), lanes = number(lanes_);
  // Sums of runs, so that what is left out is asked for less often.
  const std::string turn = number(std::uint64_t{lanes_} * run_elements_ * run_elements_),
                    most = number(run_elements_);
  text_.open({"for (; i + ", turn, " <= ", end, "; i += ", turn, ")"});
  text_.open({"for (", uint, " k = 0; k < ", lanes, "; ++k)"});
  const auto declare = [&](const char* suffix) {
    for (const FoldText& fold : folds_)
      if (fold.has_runs())
        text_.line(
            {fold.result().type, " ", fold.result().name, suffix, " = ", fold.neutral(0), ";"});
  };
  declare("_runs");
  // Whole before vectors are looked for: PoCL's compiler else has one thread add one by one.
  text_.directive("#pragma unroll");
  text_.open({"for (", uint, " r = 0; r < ", most, "; ++r)"});
  declare("_run");
  text_.directive("#pragma unroll");
  text_.open({"for (", uint, " t = 0; t < ", most, "; ++t)"});
  write_fold_at(joined({"(i + (r * ", most, " + t) * ", lanes, " + k)"}),
                [&](const std::string& name) { return of_run(name, "_run", "_part[k]"); });
  text_.close();
  for (const FoldText& fold : folds_)
    if (fold.has_runs())
      fold.combine_in_run(text_, fold.result().name + "_runs", fold.result().name + "_run");
  text_.close();
  for (const FoldText& fold : folds_)
    if (fold.has_runs())
      fold.combine_value(
          text_, [](const std::string& name) { return name + "_total[k]"; },
          fold.result().name + "_runs");
  text_.close();
  text_.close();
  text_.open({"for (; i < ", end, "; i += ", lanes, ")"});
  text_.line({"const ", uint, " left = ", end, " - i < ", lanes, " ? (", uint, ")(", end,
              " - i) : ", lanes, ";"});
  text_.open({"for (", uint, " k = 0; k < left; ++k)"});
  write_fold_at("(i + k)",
                [&](const std::string& name) { return of_run(name, "_total[k]", "_part[k]"); });
  text_.close();
  text_.close();
}

/// The same where nothing is left out: runs are longer, and their accumulators stay in memory,
/// which every compiler makes vectors of.
void ReductionWriter::write_long_runs(const std::string& end) {
  const std::string lanes = number(lanes_), run = number(std::uint64_t{lanes_} * run_elements_);
  text_.open({"while (i + ", lanes, " <= ", end, ")"});
  text_.line({"const ", type(Scalar::int64), " run_end = ", end, " - i < ", run, " ? ", end,
              " : i + ", run, ";"});
  text_.open({"for (; i + ", lanes, " <= run_end; i += ", lanes, ")"});
  text_.open({"for (", type(Scalar::uint32), " k = 0; k < ", lanes, "; ++k)"});
  write_fold_at("(i + k)", [](const std::string& name) { return name + "_part[k]"; });
  text_.close();
  text_.close();
  end_run(lanes);
  text_.close();
  text_.open({"for (; i < ", end, "; ++i)"});
  write_fold_at("i", [](const std::string& name) { return name; });
  text_.close();
}

/// Makes one accumulator of all lanes.
void ReductionWriter::fold_lanes() {
  const auto same = [](const std::string& name) { return name; };
  if (!has_totals() && std::ranges::all_of(folds_, &FoldText::has_runs)) return;
  // Not a tree of constant loops: unrolled, it takes the accumulators apart, and then the compiler
  // of the CPU device makes no vectors of them.
  text_.open({"for (", type(Scalar::uint32), " k = 0; k < ", number(lanes_), "; ++k)"});
  for (const FoldText& fold : folds_) {
    if (fold.has_runs() && !has_totals()) continue;
    const std::string suffix = fold.has_runs() ? "_total[k]" : "_part[k]";
    fold.combine(text_, same, [&](const std::string& name) { return name + suffix; });
  }
  text_.close();
}

/// Adds rows to a strip of results.
void ReductionWriter::write_narrow_strip() {
  const std::string integer = type(Scalar::int64),
                    width = number(strip_length(tiling_, element_.accumulator_bytes));
  text_.line({"const ", integer, " line = tile / out_row_pieces;"});
  text_.line({"const ", integer, " start = (tile - line * out_row_pieces) * ", width, ";"});
  text_.line({"const ", integer, " width = out_inner - start < ", width,
              " ? out_inner - start : ", width, ";"});
  kept_moved_ = moved_ = "";
  kept_indices().write(text_, "line", kept_axes());
  for (const Operand& operand : operands_) {
    const std::string outer = kept_offset(operand);
    const std::string inner = inner_step(operand) == Step::zero ? "" : along(operand, "start");
    move(operand, outer.empty() || inner.empty() ? outer + inner : outer + " + " + inner, "_row");
  }
  kept_moved_ = moved_ = "_row";
  declare_parts(width);
  if (loop_.is_split) {
    text_.line({"const ", integer, " first = (", integer, ")split * group_pieces;"});
    text_.line({"const ", integer, " last = n - first < group_pieces ? n : first + group_pieces;"});
  }
  open_turns({"i", integer, loop_.is_split ? "first" : "0", loop_.is_split ? "last" : "n", "1",
              tiling_.run_rows});
  const std::string row = moved_;
  write_folded_move("i", "");
  write_constants();
  text_.open({"for (", integer, " k = 0; k < width; ++k)"});
  write_fold_at("k", [](const std::string& name) { return name + "_part[k]"; });
  text_.close();
  moved_ = row;
  close_turns("width");
  moved_ = "_row";
  write_strip_results();
}

void ReductionWriter::write_strip_results() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string width = number(strip_length(tiling_, element_.accumulator_bytes));
  const auto open_strip = [&] { text_.open({"for (", integer, " k = 0; k < width; ++k)"}); };
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
        text_.line({own(field.name), " = ", part(fold)(field.name), ";"});
    text_.close();
    hand_over().open_last(text_);
    open_strip();
    for (const FoldText& fold : folds_)
      for (std::size_t i = 0; i < fold.fields().size(); ++i)
        text_.line({part(fold)(fold.fields()[i].name), " = ", fold.neutral(i), ";"});
    text_.close();
    text_.open({"for (", uint, " other = 0; other < splits; ++other)"});
    open_strip();
    for (const FoldText& fold : folds_) fold.combine(text_, part(fold), others);
    text_.close();
    text_.close();
  }
  open_strip();
  for (const FoldText& fold : folds_) {
    const BlockField& result = fold.result();
    text_.line({"const ", result.type, " ", result.name, " = ",
                has_totals() ? fold.settled(part(fold)) : part(fold)(result.name), ";"});
  }
  write_epilogue("k");
  text_.close();
  if (loop_.is_split) text_.close();
}

}  // namespace treadle::codegen
