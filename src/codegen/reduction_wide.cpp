// SPDX-License-Identifier: MIT
// The loops of the wide schedule: the work-items of a group fold elements, and then their results.
#include <algorithm>

#include "reduction_writer.hpp"
#include "words.hpp"

namespace treadle::codegen {

BlockReduce ReductionWriter::block() const {
  std::vector<BlockField> fields;
  for (const FoldText& fold : folds_)
    fields.insert(fields.end(), fold.fields().begin(), fold.fields().end());
  return {.fields = std::move(fields),
          .combine =
              [this](tree::BlockBuilder& code, const BlockReduce::Other& other) {
                for (const FoldText& fold : folds_)
                  fold.combine(code, [](const std::string& name) { return name; }, other);
              },
          .group_size = group_size_,
          .depth = depth(),
          .lanes_are_adjacent = !loop_.has_columns,
          .parts_in_order = tiling_.parts_in_order,
          .dialect = dialect_};
}

void ReductionWriter::write_wide() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const BlockReduce block = this->block();
  block.declare(code_);
  if (loop_.is_split) hand_over().declare(code_);
  const std::string results = number(width()), lanes = number(depth());
  const std::string lane = loop_.has_columns ? " / " + results : " % " + lanes;
  const std::string result = loop_.has_columns ? " % " + results : " / " + lanes;
  code_.declare({"const ", uint}, "lane", {dialect_.local_id, lane});
  code_.declare({"const ", uint}, "result", {dialect_.local_id, result});
  if (loop_.is_split) {
    code_.declare({"const ", uint}, "tile", {dialect_.group_id, " / splits"});
    code_.declare({"const ", uint}, "split", {dialect_.group_id, " - tile * splits"});
  } else {
    code_.declare({"const ", uint}, "tile", dialect_.group_id);
  }
  code_.declare({"const ", integer}, "output", {"(", integer, ")tile * ", results, " + result"});
  declare_accumulators();
  code_.open_if("output < out_n");
  write_kept_move(loop_.kept_has_32_bits ? joined({"(", uint, ")output"}) : "output", true, false);
  declare_parts(number(parts()));
  if (places_ascend()) code_.declare(uint, "step", "0");
  if (loop_.folded.kind == SpaceKind::strided)
    write_wide_decoded();
  else
    write_wide_tiles();
  fold_parts();
  code_.close();
  block.write(code_, "lane");
  if (loop_.is_split) write_wide_last_group();
  code_.open_if({loop_.is_split ? "count > 0 && " : "", "lane == 0 && output < out_n"});
  write_kept_move(loop_.kept_has_32_bits ? joined({"(", uint, ")output"}) : "output", false, true);
  write_epilogue("");
  code_.close();
}

/// The place of the winner of part `k` of an accumulator, from its step; each step has one element
/// for each part. The initial step is 0: its element is a valid winner even if all elements equal
/// the initial value.
std::string ReductionWriter::place_of_part(const std::string& step) const {
  const LoopClass& inner = loop_.folded;
  const std::string integer = type(Scalar::int64), lanes = number(depth());
  const auto divided_by = [](const std::string& what, unsigned by) {
    return by == 1 ? what : joined({what, " / ", number(by)});
  };
  const unsigned steps = inner.rounds * elements_of_part();
  const std::string turn = joined({"(", integer, ")(", divided_by(step, steps), ")"});
  std::string place = base(element_.operand(Kind::place, 0)) + " + ";
  place += loop_.is_split ? joined({"(split + ", turn, " * splits)"}) : turn;
  place += joined({" * ", number(tile()), " + "});
  if (!inner.has_vectors) return place + joined({"(k * ", lanes, " + lane)"});
  const std::string within = joined({step, " % ", number(steps)});
  const std::string access = inner.rounds == 1
                                 ? "lane"
                                 : joined({"(", divided_by("(" + within + ")", elements_of_part()),
                                           " * ", lanes, " + lane)"});
  place += joined({access, " * ", number(inner.items), " + "});
  if (elements_of_part() > 1)
    place += joined({step, " % ", number(elements_of_part()), " * ", number(parts()), " + "});
  return place + "k";
}

/// Folds the parts of an accumulator into one.
void ReductionWriter::fold_parts() {
  // If every fold rounds, the end of the last run has folded the parts.
  if (std::ranges::all_of(folds_, &FoldText::has_runs)) return;
  const std::string uint = type(Scalar::uint32);
  const auto same = [](const std::string& name) { return name; };
  if (places_ascend()) code_.open_if("step > 0");
  code_.directive("pragma", "unroll");
  code_.open_for(uint, "k", "0", number(parts()));
  for (const FoldText& fold : folds_) {
    if (fold.has_runs()) continue;
    const std::string& name = fold.fields()[0].name;
    if (places_ascend() && fold.has_place())
      code_.declare({"const ", type(Scalar::int64)}, {fold.fields()[1].name, "_part"},
                    place_of_part(name + "_step_part[k]"));
    fold.combine(code_, same, [&](const std::string& field) {
      const bool is_place = field != name && places_ascend();
      return is_place ? field + "_part" : field + "_part[k]";
    });
  }
  code_.close();
  if (places_ascend()) code_.close();
}

/// Folds adjacent tiles, which the groups that share a result take in turn.
void ReductionWriter::write_wide_tiles() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string tile = number(this->tile());
  const std::string first = loop_.is_split ? "split" : "0", step = loop_.is_split ? "splits" : "1";
  const bool has_rows = loop_.folded.kind == SpaceKind::rows;
  const LoopClass& inner = loop_.folded;
  const unsigned accesses = inner.has_vectors ? inner.rounds : inner.rounds * inner.items;
  const unsigned in_run =
      turns_in_run(inner.has_vectors ? accesses * elements_of_part() : accesses / parts());
  if (has_rows) {
    const std::string position = folded_indices().integer;
    open_turns({"piece", position, first, "pieces", step, in_run});
    code_.declare({"const ", position}, "row",
                  loop_.folded_has_32_bits ? "divided(piece, row_divider)" : "piece / row_pieces");
    code_.declare({"const ", integer}, "start",
                  {"(", integer, ")(piece - row * row_pieces) * ", tile});
  } else {
    open_turns({"start", integer, joined({"(", integer, ")", first, " * ", tile}), "n",
                joined({"(", integer, ")", step, " * ", tile}), in_run});
  }
  const std::string extent = has_rows ? "inner" : "n";
  code_.declare({"const ", uint}, "left",
                {extent, " - start < ", tile, " ? (", uint, ")(", extent, " - start) : ", tile});
  const std::string row = moved_;
  write_folded_move("row", "start");
  write_wide_piece();
  moved_ = row;
  close_turns(number(parts()));
}

void ReductionWriter::write_wide_piece() {
  const std::string uint = type(Scalar::uint32), lanes = number(depth());
  const LoopClass& inner = loop_.folded;
  const unsigned accesses = inner.has_vectors ? inner.rounds : inner.rounds * inner.items;
  write_constants();
  code_.open_if({"left == ", number(tile())});
  code_.directive("pragma", "unroll");
  code_.open_for(uint, "k", "0", number(accesses));
  if (inner.has_vectors) {
    write_wide_vectors(joined({"(k * ", lanes, " + lane)"}));
  } else {
    code_.declare({"const ", uint}, "i", {"k * ", lanes, " + lane"});
    const std::string part = joined({"_part[k % ", number(parts()), "]"});
    write_fold_at(
        "i", [&](const std::string& name) { return name + part; }, places_ascend() ? "step" : "");
  }
  code_.close();
  if (places_ascend()) code_.assign("step", number(inner.rounds * elements_of_part()), "+=");
  code_.close();
  code_.open_else();
  if (inner.kind == SpaceKind::rows) {
    // The end of each row is frequent, so its loads must be in flight together.
    code_.directive("pragma", "unroll");
    code_.open_for(uint, "k", "0", number(inner.items));
    code_.declare({"const ", uint}, "i", {"k * ", lanes, " + lane"});
    code_.open_if("i < left");
    const std::string part = joined({"_part[k % ", number(parts()), "]"});
    write_fold_at("i", [&](const std::string& name) { return name + part; });
    code_.close();
  } else {
    code_.open_for(uint, "i", "lane", "left", lanes);
    write_fold_at("i", [](const std::string& name) { return name; });
  }
  code_.close();
  code_.close();
}

/// Accesses `items` adjacent elements of each operand by one access.
void ReductionWriter::write_wide_vectors(const std::string& at) {
  const std::string uint = type(Scalar::uint32), items = number(loop_.folded.items);
  code_.declare({"const ", uint}, "i", {at, " * ", items});
  for (const Operand& operand : operands_) {
    if (operand.kind != Kind::leaf || operand.is_indirect || inner_step(operand) == Step::zero)
      continue;
    const std::string vector = neighbours_type(operand.dtype, loop_.folded.items);
    code_.declare({"const ", vector}, {operand.name, "_in"},
                  {"*(", pointer_to(vector, operand), ")(", base(operand), " + i)"});
  }
  code_.directive("pragma", "unroll");
  code_.open_for(uint, "j", "0", items);
  std::string step = places_ascend() ? "step" : "";
  if (!step.empty() && loop_.folded.rounds > 1)
    step += elements_of_part() == 1 ? " + k" : joined({" + k * ", number(elements_of_part())});
  if (!step.empty() && elements_of_part() > 1) step += joined({" + j / ", number(parts())});
  const std::string part = joined({"_part[j % ", number(parts()), "]"});
  write_fold(
      [&](const Operand& operand) {
        if (operand.kind == Kind::leaf && !operand.is_indirect) return operand.name + "_in.at[j]";
        return element(operand, along(operand, "(i + j)"));
      },
      [&](const std::string& name) { return name + part; }, step);
  code_.close();
}

/// Folds elements whose positions are decoded one by one.
void ReductionWriter::write_wide_decoded() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string tile = number(std::uint64_t{depth()} * loop_.folded.items);
  write_constants();
  const std::string first = loop_.is_split ? "split" : "0", step = loop_.is_split ? "splits" : "1";
  open_turns({"start", integer, joined({"(", integer, ")", first, " * ", tile}), "n",
              joined({"(", integer, ")", step, " * ", tile}),
              turns_in_run(loop_.folded.items / parts())});
  code_.directive("pragma", "unroll");
  code_.open_for(uint, "k", "0", number(loop_.folded.items));
  code_.declare({"const ", integer}, "i", {"start + k * ", number(depth()), " + lane"});
  code_.open_if("i < n");
  const std::string row = moved_;
  write_folded_move(joined({"(", folded_indices().integer, ")i"}), "");
  const std::string part = joined({"_part[k % ", number(parts()), "]"});
  write_fold([&](const Operand& operand) { return element(operand, "0"); },
             [&](const std::string& name) { return name + part; });
  moved_ = row;
  code_.close();
  code_.close();
  close_turns(number(parts()));
}

/// Stores the group's partial. The last group of a tile folds all partials in the order of groups.
/// The other groups fold nothing, but all groups pass the same barriers.
void ReductionWriter::write_wide_last_group() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string results = number(width());
  const auto same = [](const std::string& name) { return name; };
  code_.open_if("lane == 0");
  write_partial(joined({"(", integer, ")", dialect_.group_id, " * ", results, " + result"}), same);
  code_.close();
  hand_over().write(code_);
  write_start();
  code_.open_for(uint, "other", "lane", "count", number(depth()));
  code_.declare({"const ", integer}, "at",
                {"((", integer, ")tile * splits + other) * ", results, " + result"});
  combine(same, partial("at"));
  code_.close();
  block().write(code_, "lane");
  hand_over().put_back(code_);
}

}  // namespace treadle::codegen
