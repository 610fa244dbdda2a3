// SPDX-License-Identifier: MIT
// The wide schedule's loops: many work-items in lockstep, each with a few elements.
#include "elementwise_writer.hpp"

namespace treadle::codegen {
void ElementwiseWriter::write_wide_linear() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::uint64_t tile = std::uint64_t{tiling_.group_size} * loop_.items * loop_.rounds;
  code_.declare({"const ", uint}, "lane", dialect_.local_id);
  code_.declare({"const ", integer}, "start",
                {"(", integer, ")", dialect_.group_id, " * ", number(tile)});
  code_.declare({"const ", uint}, "left",
                {"n - start < ", number(tile), " ? (", uint, ")(n - start) : ", number(tile)});
  for (const Operand& operand : operands_)
    if (step_of(operand) != Step::zero) advance(operand, step_to(operand, "start"));
  write_wide_piece(number(tiling_.group_size), number(tile), loop_.rounds);
}

void ElementwiseWriter::write_wide_rows() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const std::string full = loop_.items == 1 ? "lanes" : "lanes * " + number(loop_.items);
  code_.comment("Short rows share a group: 1 << lanes_log2 work-items take a piece of a row.");
  code_.declare({"const ", uint}, "lanes", "1u << lanes_log2");
  code_.declare({"const ", uint}, "lane", {dialect_.local_id, " & (lanes - 1)"});
  code_.declare({"const ", uint}, "groups_row", {dialect_.local_id, " >> lanes_log2"});
  code_.declare({"const ", integer}, "any_piece",
                {"(", integer, ")", dialect_.group_id, " * (", number(tiling_.group_size),
                 " >> lanes_log2) + groups_row"});
  code_.when("any_piece >= pieces", tree::return_());
  code_.declare({"const ", uint}, "piece", {"(", uint, ")any_piece"});
  code_.declare({"const ", uint}, "row", "divided(piece, row_divider)");
  code_.declare({"const ", integer}, "start",
                {"(", integer, ")(piece - row * row_pieces) * (", full, ")"});
  code_.declare({"const ", uint}, "left",
                {"inner - start < ", full, " ? (", uint, ")(inner - start) : ", full});
  write_indices("row", loop_.outer_rank);
  for (const Operand& operand : operands_) {
    const std::string offset = outer_offset(operand, loop_.outer_rank);
    advance(operand,
            step_of(operand) == Step::zero ? offset : offset + " + " + step_to(operand, "start"));
  }
  write_wide_piece("lanes", full, 1);
}

/// Writes the loop around a user's text, which appears only once. The elements are counted before
/// the loop, because compilers do not move a load from behind a branch to before it.
void ElementwiseWriter::write_wide_counted() {
  const std::string uint = type(Scalar::uint32), start = element_.own_name("tile"),
                    item = element_.own_name("item"), most = number(tiling_.strided_items),
                    size = number(tiling_.group_size);
  code_.declare({"const ", user_->index}, start,
                {"(", user_->index, ")", dialect_.group_id, " * ", number(user_->group_length),
                 " + ", dialect_.local_id});
  code_.statements(user_->prep);
  const std::string position = joined({start, " + ", item, " * ", size});
  if (user_->has_range) {
    code_.directive("pragma", "unroll");
    return write_range(item, most, position);
  }
  const std::string items = element_.own_name("items");
  const std::string last = number((tiling_.strided_items - 1) * tiling_.group_size);
  code_.declare({"const ", uint}, items,
                {start, " + ", last, " < n ? ", most, " : ", start, " < n ? (", uint, ")((n - ",
                 start, " + ", number(tiling_.group_size - 1), ") / ", size, ") : 0"});
  code_.directive("pragma", {"unroll ", most});
  code_.open_for(uint, item, "0", items);
  code_.declare({"const ", user_->index}, "i", position);
  write_element_at("i");
  code_.close();
}

/// Computes the elements from the current pointers on: `full` elements, or the rest.
void ElementwiseWriter::write_wide_piece(const std::string& lanes, const std::string& full,
                                         unsigned rounds) {
  const std::string uint = type(Scalar::uint32);
  const unsigned accesses = loop_.has_vectors ? rounds : rounds * loop_.items;
  const std::string at = accesses == 1 ? "lane" : "k * " + lanes + " + lane";
  write_constants();
  code_.open_if({"left == ", full});
  if (accesses > 1) {
    code_.directive("pragma", "unroll");
    code_.open_for(uint, "k", "0", number(accesses));
  }
  if (loop_.has_vectors) {
    write_vector_round(accesses == 1 ? at : joined({"(", at, ")"}));
  } else {
    code_.declare({"const ", uint}, "i", at);
    write_element_at("i");
  }
  if (accesses > 1) code_.close();
  code_.close();
  code_.open_else();
  code_.open_for(uint, "i", "lane", "left", lanes);
  write_element_at("i");
  code_.close();
  code_.close();
}

/// Accesses `items` adjacent elements of each operand by one access.
void ElementwiseWriter::write_vector_round(const std::string& at) {
  const std::string uint = type(Scalar::uint32), items = number(loop_.items);
  code_.declare({"const ", uint}, "i", {at, " * ", items});
  const auto whole = [&](const Operand& operand) {
    return joined({"*(", pointer_to(vector_type(operand), operand), ")(", operand.name, " + i)"});
  };
  for (const Operand& operand : operands_) {
    if (!operand.is_memory() || operand.is_indirect || step_of(operand) == Step::zero) continue;
    const std::string vector = vector_type(operand), name = operand.name;
    if (operand.is_read) code_.declare({"const ", vector}, {name, "_in"}, whole(operand));
    if (operand.is_output()) code_.declare(vector, {name, "_out"});
  }
  code_.directive("pragma", "unroll");
  code_.open_for(uint, "j", "0", items);
  write_element(
      [&](const Operand& operand) {
        if (!operand.is_memory()) return operand.name + " + i + j";
        if (operand.is_indirect) return element(operand, step_to(operand, "(i + j)"));
        return operand.name + "_in.at[j]";
      },
      [](const Operand& operand) { return operand.name + "_out.at[j]"; });
  code_.close();
  for (const Operand& operand : operands_)
    if (operand.is_output()) code_.assign(whole(operand), {operand.name, "_out"});
}

void ElementwiseWriter::write_wide_strided() {
  const std::string uint = type(Scalar::uint32);
  const unsigned axes = loop_.outer_rank + 1u;
  const std::uint64_t tile = std::uint64_t{tiling_.group_size} * loop_.items;
  write_constants();
  code_.directive("pragma", "unroll");
  code_.open_for(uint, "k", "0", number(loop_.items));
  code_.declare({"const ", uint}, "i",
                {dialect_.group_id, " * ", number(tile), " + k * ", number(tiling_.group_size),
                 " + ", dialect_.local_id});
  code_.open_if("i < n");
  write_indices("i", axes);
  for (const Operand& operand : operands_)
    if (step_of(operand) != Step::zero)
      code_.declare({"const ", type(Scalar::int64)}, {operand.name, "_at"},
                    outer_offset(operand, axes));
  const Place place = [&](const Operand& operand) {
    return element(operand, step_of(operand) == Step::zero ? "0" : operand.name + "_at");
  };
  write_element(place, place);
  code_.close();
  code_.close();
}

void ElementwiseWriter::write_wide_tiled() {
  const std::string uint = type(Scalar::uint32), integer = type(Scalar::int64);
  const auto side = static_cast<unsigned>(tiling_.tile_side);
  const unsigned step = tiling_.group_size / side;
  for (const Operand& operand : operands_)
    if (step_of(operand) == Step::crossed)
      code_.declare_local(operand.type, {operand.name, "_tile[", number(side), "]"}, side + 1);
  code_.declare({"const ", uint}, "lane", {dialect_.local_id, " % ", number(side)});
  code_.declare({"const ", uint}, "line", {dialect_.local_id, " / ", number(side)});
  code_.declare({"const ", uint}, "column", {"divided(", dialect_.group_id, ", row_divider)"});
  code_.declare({"const ", uint}, "outer", "divided(column, column_divider)");
  code_.declare(
      {"const ", integer}, "a0",
      {"(", integer, ")(", dialect_.group_id, " - column * row_pieces) * ", number(side)});
  code_.declare({"const ", integer}, "b0",
                {"(", integer, ")(column - outer * column_pieces) * ", number(side)});
  if (loop_.outer_rank > 0) {
    write_indices("outer", loop_.outer_rank);
    for (const Operand& operand : operands_)
      advance(operand, outer_offset(operand, loop_.outer_rank));
  }
  write_constants();
  const auto open_lines = [&](const std::string& a, const std::string& b) {
    code_.directive("pragma", "unroll");
    code_.open_for(uint, "k", "0", number(side), number(step));
    code_.declare({"const ", integer}, "a", {"a0 + ", a});
    code_.declare({"const ", integer}, "b", {"b0 + ", b});
    code_.open_if("a < inner && b < second");
  };
  open_lines("line + k", "lane");
  for (const Operand& operand : operands_)
    if (step_of(operand) == Step::crossed)
      code_.assign({operand.name, "_tile[line + k][lane]"}, element(operand, tile_index(operand)));
  code_.close();
  code_.close();
  code_.evaluate(dialect_.barrier);
  open_lines("lane", "line + k");
  const Place place = [&](const Operand& operand) {
    if (step_of(operand) == Step::crossed) return operand.name + "_tile[lane][line + k]";
    return element(operand, tile_index(operand));
  };
  write_element(place, place);
  code_.close();
  code_.close();
}

}  // namespace treadle::codegen
