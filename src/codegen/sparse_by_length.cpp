// SPDX-License-Identifier: MIT
#include "treadle/codegen/sparse_by_length.hpp"

#include <algorithm>
#include <string>

#include "block.hpp"
#include "family_code.hpp"
#include "sparse_row_text.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class ByLengthWriter {
 public:
  ByLengthWriter(const SparseForm& form, const Tiling& tiling, const Dialect& dialect)
      : form_(form),
        tiling_(tiling),
        name_(joined({"sparse_by_length_", DType(form.dtype).name(),
                      form.epilogue ? "_" + sparse_epilogue_name(*form.epilogue) : ""})),
        out_(name_, "generator of products by rows of each length", tiling, dialect),
        element_(out_.types.name_of(form.dtype)) {}

  FamilyText write() {
    tree::BlockBuilder statements;
    write_sparse_row(statements, form_, out_.dialect);
    std::string used = as_users_statements(statements.take(), out_.dialect) + added("sum", "sum") +
                       stored("parts[0]");
    if (form_.epilogue) used += sparse_epilogue_text(*form_.epilogue, out_.dialect);
    code_.lines(out_.dialect.exact_preamble + device_functions(used, out_.dialect));
    write_rows();
    write_rest();
    return out_.take();
  }

 private:
  void open(const std::string& name) {
    const std::string results = form_.epilogue
                                    ? sparse_epilogue_parameters(*form_.epilogue, out_.dialect)
                                    : element_ + " *result";
    std::string counts;
    for (std::size_t k = 0; k < row_classes; ++k) counts += ", long count" + number(k);
    out_.open_kernel(
        name, joined({sparse_parameters(form_, out_.dialect), "const ", element_, " *x, ", results,
                      ", const int *order, ", element_, " *parts, long pieces", counts}));
  }
  void declare(std::string_view name, tree::Part value) {
    code_.declare({"const ", out_.integer}, name, std::move(value));
  }
  std::string added(const std::string& a, const std::string& b) const {
    const OperandText operands[] = {{a, form_.dtype}, {b, form_.dtype}};
    return op_text(Op::add, operands, out_.dialect);
  }
  std::string stored(const std::string& place) const {
    return write_text(form_.dtype, place, "sum", out_.dialect);
  }
  BlockReduce tree() const {
    return {.fields = {value_field("sum", form_.dtype, out_.dialect)},
            .combine =
                [this](tree::BlockBuilder& code, const BlockReduce::Other& other) {
                  code.assign("sum", added("sum", other("sum")));
                },
            .group_size = tiling_.group_size,
            .depth = tiling_.group_size,
            .lanes_are_adjacent = true,
            .parts_in_order = tiling_.parts_in_order,
            .dialect = out_.dialect,
            .depth_of_group = "lanes"};
  }

  void write_rows() {
    open(name_);
    tree().declare(code_);
    code_.declare(out_.integer, "group", out_.dialect.group_id);
    for (const char* name : {"place", "first_place", "begin", "behind"})
      code_.declare(out_.integer, name, "0");
    code_.declare(out_.uint, "lanes", "1");
    code_.declare("int", "is_there", "0");
    for (std::size_t k = 0; k < row_classes; ++k) write_class(k);
    code_.declare("const int", "is_piece", {out_.dialect.group_id, " < groups0"});
    declare("row", "is_there ? order[place] : 0");
    write_ends();
    code_.declare({"const ", out_.uint}, "lane", {out_.dialect.local_id, " % lanes"});
    write_sparse_row(code_, form_, out_.dialect,
                     {.begin = "begin + lane",
                      .behind = "behind",
                      .at_once = tiling_.sparse_entries,
                      .step = "lanes"});
    tree().write(code_, "lane");
    code_.open_if("lane == 0 && is_there");
    code_.open_if("is_piece");
    code_.evaluate(stored(joined({"parts[", out_.dialect.group_id, "]"})));
    code_.close();
    code_.open_else();
    store();
    code_.close();
    code_.close();
    code_.close();
  }
  /// Finds the place of a group that has rows of the class; others go on with the next one.
  void write_class(std::size_t which) {
    const unsigned lanes = row_lanes(tiling_)[which], each = tiling_.group_size / lanes;
    const std::string id = out_.dialect.local_id, count = "count" + number(which);
    const bool has_pieces = which == 0;
    declare("groups" + number(which),
            has_pieces  ? count + " * pieces"
            : each == 1 ? count
                        : joined({"(", count, " + ", number(each - 1), ") / ", number(each)}));
    code_.open_if({"group >= 0 && group < groups", number(which)});
    code_.assign("lanes", number(lanes));
    const std::string place = has_pieces ? "group / pieces"
                              : each == 1
                                  ? "group"
                                  : joined({"group * ", number(each), " + ", id, " / lanes"});
    code_.assign("place", {"first_place + ", place});
    code_.assign("is_there", {"place < first_place + ", count});
    code_.close();
    code_.assign("first_place", count, "+=");
    // Below 0 for a group whose class was found.
    if (which + 1 < row_classes) code_.assign("group", "groups" + number(which), "-=");
  }
  void write_ends() {
    code_.open_if("is_there");
    code_.assign("begin", "starts[row]");
    code_.assign("behind", "starts[row + 1]");
    code_.open_if("is_piece");
    declare("piece", {out_.dialect.group_id, " % pieces"});
    declare("first", "begin");
    declare("length", "behind - begin");
    code_.assign("begin", "first + length * piece / pieces");
    code_.assign("behind", "first + length * (piece + 1) / pieces");
    code_.close();
    code_.close();
  }
  void store() {
    if (!form_.epilogue) return code_.evaluate(stored("result[row]"));
    code_.declare({"const ", value_type(form_.dtype, out_.dialect)}, "product", "sum");
    declare("i", "row");
    code_.statements(sparse_epilogue_text(*form_.epilogue, out_.dialect));
  }

  void write_rest() {
    open(name_ + "_rest");
    declare("place", {"(", out_.integer, ")", out_.dialect.group_id, " * ", out_.size, " + ",
                      out_.dialect.local_id});
    code_.open_if("place < count0");
    declare("row", "order[place]");
    const auto part = [&](const std::string& which) {
      return read_text(form_.dtype, joined({"parts[place * pieces", which, "]"}), out_.dialect);
    };
    code_.declare(value_type(form_.dtype, out_.dialect), "sum", part(""));
    code_.open_for(out_.integer, "k", "1", "pieces");
    code_.assign("sum", added("sum", part(" + k")));
    code_.close();
    store();
    code_.close();
    code_.close();
  }

  const SparseForm& form_;
  const Tiling& tiling_;
  std::string name_;
  FamilyCode out_;
  tree::BlockBuilder& code_ = out_.code;
  std::string element_;
};

}  // namespace

std::array<std::int64_t, row_classes - 1> longest_rows(const Tiling& tiling) {
  return {tiling.sparse_long_row, tiling.sparse_middle_row, tiling.sparse_short_row,
          tiling.sparse_lone_row};
}

std::array<unsigned, row_classes> row_lanes(const Tiling& tiling) {
  // Sums go over parts of up to 32 work-items, or over a whole group.
  const auto within = [&](unsigned lanes) { return std::min({lanes, tiling.group_size, 32u}); };
  return {tiling.group_size, tiling.group_size, within(tiling.middle_row_depth),
          within(tiling.short_row_depth), 1};
}

std::uint64_t row_pieces(std::int64_t longest, std::int64_t piece, std::int64_t entries,
                         std::int64_t rows) {
  constexpr std::int64_t most = 512;
  const std::int64_t each = std::max<std::int64_t>(2 * (entries / piece + rows) / rows, 1);
  const std::int64_t wanted = (longest + piece - 1) / piece;
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(wanted, 1, std::min(most, each)));
}

bool can_go_by_length(const SparseForm& form, const Tiling& tiling) {
  return tiling.schedule == Schedule::wide && form.layout == SparseLayout::rows &&
         form.across == 0 && form.dtype != Scalar::float16;
}

FamilyText generate_sparse_by_length(const SparseForm& form, const Tiling& tiling,
                                     const Dialect& dialect) {
  return ByLengthWriter(form, tiling, dialect).write();
}

}  // namespace treadle::codegen
