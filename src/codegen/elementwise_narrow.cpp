// SPDX-License-Identifier: MIT
// The loops of the narrow schedule: each group is one work-item, and compilers for processors
// vectorise its loop.
#include "elementwise_writer.hpp"

namespace treadle::codegen {

void ElementwiseWriter::write_narrow_linear() {
  const std::string integer = user_ != nullptr ? user_->index : type(Scalar::int64),
                    length = user_ != nullptr ? number(user_->group_length) : "piece_length",
                    start = element_.own_name("start"), end = element_.own_name("end");
  code_.declare({"const ", integer}, start, {"(", integer, ")", dialect_.group_id, " * ", length});
  if (user_ != nullptr) code_.statements(user_->prep);
  if (user_ != nullptr && user_->has_range) {
    const std::string item = element_.own_name("item");
    return write_range(item, length, joined({start, " + ", item}));
  }
  code_.declare({"const ", integer}, end,
                {"n - ", start, " < ", length, " ? n : ", start, " + ", length});
  write_constants();
  code_.open_for(integer, "i", start, end);
  write_element_at("i");
  code_.close();
}

void ElementwiseWriter::write_narrow_rows() {
  const std::string integer = type(Scalar::int64);
  code_.declare(integer, "piece", {"(", integer, ")", dialect_.group_id, " * group_pieces"});
  code_.declare({"const ", integer}, "last",
                "pieces - piece < group_pieces ? pieces : piece + group_pieces");
  code_.open_loop({}, "piece < last", "++piece");
  code_.declare({"const ", integer}, "row", "piece / row_pieces");
  code_.declare({"const ", integer}, "start", "(piece - row * row_pieces) * piece_length");
  code_.declare({"const ", integer}, "end",
                "inner - start < piece_length ? inner : start + piece_length");
  write_indices("row", loop_.outer_rank);
  write_moved_operands();
  write_constants();
  code_.open_for(integer, "i", "start", "end");
  write_element_at("i");
  code_.close();
  code_.close();
}

void ElementwiseWriter::write_narrow_tiled() {
  const std::string integer = type(Scalar::int64),
                    side = std::to_string(tiling_.tile_side * loop_.items);
  code_.declare(integer, "tile", {"(", integer, ")", dialect_.group_id, " * group_pieces"});
  code_.declare({"const ", integer}, "last",
                "pieces - tile < group_pieces ? pieces : tile + group_pieces");
  code_.open_loop({}, "tile < last", "++tile");
  code_.declare({"const ", integer}, "column", "tile / row_pieces");
  code_.declare({"const ", integer}, "outer", "column / column_pieces");
  code_.declare({"const ", integer}, "a0", {"(tile - column * row_pieces) * ", side});
  code_.declare({"const ", integer}, "b0", {"(column - outer * column_pieces) * ", side});
  code_.declare({"const ", integer}, "a1", {"inner - a0 < ", side, " ? inner : a0 + ", side});
  code_.declare({"const ", integer}, "b1", {"second - b0 < ", side, " ? second : b0 + ", side});
  write_indices("outer", loop_.outer_rank);
  write_moved_operands();
  code_.open_for(integer, "b", "b0", "b1");
  code_.open_for(integer, "a", "a0", "a1");
  const Place place = [&](const Operand& operand) { return element(operand, tile_index(operand)); };
  write_element(place, place);
  code_.close();
  code_.close();
  code_.close();
}

}  // namespace treadle::codegen
