// SPDX-License-Identifier: MIT
// The narrow schedule's loops: a group is one work-item, which a compiler for processors makes
// vector loops of.
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

/// Opens a block in which the last group of a tile is, with the parts of all of them written.
void ReductionWriter::open_last_group() {
  text_.line("// What a group has written is seen by whoever takes a later ticket.");
  text_.line({dialect_.fence, ";"});
  text_.open({"if (", dialect_.atomic_add, "(tickets + tile, 1u) == splits - 1)"});
  text_.line({dialect_.fence, ";"});
  text_.line("tickets[tile] = 0;");
}

void ReductionWriter::write_narrow_row() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const auto same = [](const std::string& name) { return name; };
  write_kept_move("tile", true, true);
  declare_accumulators();
  declare_parts(number(lanes_));
  if (loop_.folded.kind == SpaceKind::linear) {
    text_.line({"const ", integer, " start = ",
                loop_.is_split ? joined({"(", integer, ")split * piece_length"}) : "0", ";"});
    text_.line({"const ", integer, " end = n - start < piece_length ? n : start + piece_length;"});
    write_constants();
    write_narrow_lanes("start", "end");
  } else {
    write_narrow_pieces();
  }
  // Not a tree of constant loops: unrolled, it takes the accumulators apart, and then the compiler
  // of the CPU device makes no vectors of them.
  text_.open({"for (", uint, " k = 0; k < ", number(lanes_), "; ++k)"});
  combine(same, [](const std::string& name) { return name + "_part[k]"; });
  text_.close();
  if (loop_.is_split) {
    write_partial(dialect_.group_id, same);
    open_last_group();
    write_start();
    text_.open({"for (", uint, " other = 0; other < splits; ++other)"});
    combine(same, partial(joined({"(", integer, ")tile * splits + other"})));
    text_.close();
  }
  write_epilogue("");
  if (loop_.is_split) text_.close();
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
  text_.open({"for (; i + ", lanes, " <= ", end, "; i += ", lanes, ")"});
  text_.open({"for (", uint, " k = 0; k < ", lanes, "; ++k)"});
  write_fold_at("(i + k)", [](const std::string& name) { return name + "_part[k]"; });
  text_.close();
  text_.close();
  text_.open({"for (; i < ", end, "; ++i)"});
  write_fold_at("i", [](const std::string& name) { return name; });
  text_.close();
}

/// Adds rows to a strip of results.
void ReductionWriter::write_narrow_strip() {
  const std::string integer = type(Scalar::int64), width = number(strip_length(partial_bytes_));
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
  text_.open({"for (", integer, " i = ", loop_.is_split ? "first" : "0", "; i < ",
              loop_.is_split ? "last" : "n", "; ++i)"});
  write_folded_move("i", "");
  write_constants();
  text_.open({"for (", integer, " k = 0; k < width; ++k)"});
  write_fold_at("k", [](const std::string& name) { return name + "_part[k]"; });
  text_.close();
  text_.close();
  moved_ = "_row";
  write_strip_results();
}

void ReductionWriter::write_strip_results() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string width = number(strip_length(partial_bytes_));
  const auto open_strip = [&] { text_.open({"for (", integer, " k = 0; k < width; ++k)"}); };
  const auto part = [](const std::string& name) { return name + "_part[k]"; };
  if (loop_.is_split) {
    open_strip();
    write_partial(joined({"(", integer, ")", dialect_.group_id, " * ", width, " + k"}), part);
    text_.close();
    open_last_group();
    open_strip();
    for (const FoldText& fold : folds_)
      for (std::size_t i = 0; i < fold.fields().size(); ++i)
        text_.line({part(fold.fields()[i].name), " = ", fold.neutral(i), ";"});
    text_.close();
    text_.open({"for (", uint, " other = 0; other < splits; ++other)"});
    open_strip();
    combine(part, partial(joined({"((", integer, ")tile * splits + other) * ", width, " + k"})));
    text_.close();
    text_.close();
  }
  open_strip();
  for (const FoldText& fold : folds_)
    for (const auto& [name, dtype] : fold.fields())
      text_.line({"const ", value_type(dtype, dialect_), " ", name, " = ", part(name), ";"});
  write_epilogue("k");
  text_.close();
  if (loop_.is_split) text_.close();
}

}  // namespace treadle::codegen
