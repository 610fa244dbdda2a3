// SPDX-License-Identifier: MIT
// The narrow schedule's loops: each group is one work-item, which a compiler for processors makes a
// vector loop of.
#include "elementwise_writer.hpp"

namespace treadle::codegen {

void ElementwiseWriter::write_narrow_linear() {
  const std::string integer = user_ != nullptr ? user_->index : type(Scalar::int64),
                    length = user_ != nullptr ? number(user_->group_length) : "piece_length",
                    start = element_.own_name("start"), end = element_.own_name("end");
  text_.line(
      {"const ", integer, " ", start, " = (", integer, ")", dialect_.group_id, " * ", length, ";"});
  if (user_ != nullptr) text_.statements(user_->prep);
  if (user_ != nullptr && user_->has_range) {
    const std::string item = element_.own_name("item");
    return write_range(item, length, joined({start, " + ", item}));
  }
  text_.line({"const ", integer, " ", end, " = n - ", start, " < ", length, " ? n : ", start, " + ",
              length, ";"});
  write_constants();
  text_.open({"for (", integer, " i = ", start, "; i < ", end, "; ++i)"});
  write_element_at("i");
  text_.close();
}

void ElementwiseWriter::write_narrow_rows() {
  const std::string integer = type(Scalar::int64);
  text_.line({integer, " piece = (", integer, ")", dialect_.group_id, " * group_pieces;"});
  text_.line({"const ", integer,
              " last = pieces - piece < group_pieces ? pieces : piece + group_pieces;"});
  text_.open("for (; piece < last; ++piece)");
  text_.line({"const ", integer, " row = piece / row_pieces;"});
  text_.line({"const ", integer, " start = (piece - row * row_pieces) * piece_length;"});
  text_.line(
      {"const ", integer, " end = inner - start < piece_length ? inner : start + piece_length;"});
  write_indices("row", loop_.outer_rank);
  write_moved_operands();
  write_constants();
  text_.open({"for (", integer, " i = start; i < end; ++i)"});
  write_element_at("i");
  text_.close();
  text_.close();
}

void ElementwiseWriter::write_narrow_tiled() {
  const std::string integer = type(Scalar::int64),
                    side = std::to_string(tiling_.tile_side * loop_.items);
  text_.line({integer, " tile = (", integer, ")", dialect_.group_id, " * group_pieces;"});
  text_.line(
      {"const ", integer, " last = pieces - tile < group_pieces ? pieces : tile + group_pieces;"});
  text_.open("for (; tile < last; ++tile)");
  text_.line({"const ", integer, " column = tile / row_pieces, outer = column / column_pieces;"});
  text_.line({"const ", integer, " a0 = (tile - column * row_pieces) * ", side, ";"});
  text_.line({"const ", integer, " b0 = (column - outer * column_pieces) * ", side, ";"});
  text_.line({"const ", integer, " a1 = inner - a0 < ", side, " ? inner : a0 + ", side, ";"});
  text_.line({"const ", integer, " b1 = second - b0 < ", side, " ? second : b0 + ", side, ";"});
  write_indices("outer", loop_.outer_rank);
  write_moved_operands();
  text_.open({"for (", integer, " b = b0; b < b1; ++b)"});
  text_.open({"for (", integer, " a = a0; a < a1; ++a)"});
  const Place place = [&](const Operand& operand) { return element(operand, tile_index(operand)); };
  write_element(place, place);
  text_.close();
  text_.close();
  text_.close();
}

}  // namespace treadle::codegen
