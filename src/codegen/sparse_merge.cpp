// SPDX-License-Identifier: MIT
#include "treadle/codegen/sparse_merge.hpp"

#include "family_code.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class SparseMergeWriter {
 public:
  SparseMergeWriter(const SparseForm& form, const Tiling& tiling, const Dialect& dialect)
      : name_("sparse_merge_" + DType(form.dtype).name()),
        out_(name_, "generator of products by merged rows", tiling, dialect),
        items_(number(tiling.ranked_items)),
        tile_(number(merged_items(tiling))),
        element_(out_.types.name_of(form.dtype)),
        column_(out_.types.name_of(form.column_dtype)) {}

  FamilyText write() {
    write_search();
    out_.open_kernel(name_, joined({"const ", element_, " *data, const ", column_,
                                    " *columns, const long *starts, const ", element_, " *x, ",
                                    element_, " *result, long *left_rows, ", element_,
                                    " *left_sums, long row_count, long entries"}));
    declare_memory();
    write_products();
    write_items();
    write_scan();
    write_ends();
    code_.close();
    write_rest();
    return out_.take();
  }

 private:
  void declare(std::string_view name, tree::Part value) {
    code_.declare({"const ", out_.integer}, name, std::move(value));
  }
  /// Finds how many rows end before a work-item's first item of the list.
  void write_search() {
    code_.open_function(
        called_function(out_.integer, "rows_before",
                        {pointer_parameter(out_.integer, "starts", {.is_read_only = true}),
                         tree::value(out_.integer, "low"), tree::value(out_.integer, "high"),
                         tree::value(out_.integer, "items")}));
    code_.open_while("low < high");
    declare("middle", "(low + high) / 2");
    code_.open_if("starts[middle + 1] + middle + 1 <= items");
    code_.assign("low", "middle + 1");
    code_.close();
    code_.open_else();
    code_.assign("high", "middle");
    code_.close();
    code_.close();
    code_.return_value("low");
    code_.close();
  }
  void declare_memory() {
    code_.declare_local(element_, "products", tile_);
    code_.declare_local(out_.integer, "rows", out_.size);
    code_.declare_local(element_, "sums", out_.size);
  }
  void write_products() {
    const std::string id = out_.dialect.local_id;
    declare("total", "row_count + entries");
    declare("first", {"(", out_.integer, ")", out_.dialect.group_id, " * ", tile_});
    declare("last", {"total - first < ", tile_, " ? total : first + ", tile_});
    declare("first_row",
            "rows_before(starts, first > entries ? first - entries : 0, "
            "first < row_count ? first : row_count, first)");
    declare("last_row",
            "rows_before(starts, first_row, last < row_count ? last : row_count, last)");
    declare("first_entry", "first - first_row");
    declare("entry_count", "last - last_row - first_entry");
    code_.open_for(out_.integer, "k", id, "entry_count", out_.size);
    code_.assign("products[k]", "data[first_entry + k] * x[columns[first_entry + k]]");
    code_.close();
    code_.evaluate(out_.dialect.barrier);
  }
  void write_items() {
    declare("from", {"first + (", out_.integer, ")", out_.dialect.local_id, " * ", items_});
    declare("mine", "from < last ? from : last");
    declare("behind", {"last - mine < ", items_, " ? last : mine + ", items_});
    code_.declare(out_.integer, "row", "rows_before(starts, first_row, last_row, mine)");
    code_.declare(out_.integer, "at", "mine - row - first_entry");
    code_.declare(element_, "sum", "0");
    code_.declare(out_.integer, "head_row", "-1");
    code_.declare(element_, "head_sum", "0");
    code_.open_for(out_.integer, "item", "mine", "behind");
    code_.open_if("starts[row + 1] - first_entry > at");
    code_.assign("sum", "products[at]", "+=");
    code_.assign("at", "1", "+=");
    code_.close();
    code_.open_else();
    code_.open_if("head_row < 0");
    code_.assign("head_row", "row");
    code_.assign("head_sum", "sum");
    code_.close();
    code_.open_else();
    code_.assign("result[row]", "sum");
    code_.close();
    code_.assign("sum", "0");
    code_.assign("row", "1", "+=");
    code_.close();
    code_.close();
  }
  /// Adds the remaining sums of earlier work-items that belong to the same row.
  void write_scan() {
    const std::string id = out_.dialect.local_id;
    code_.declare({"const ", out_.uint}, "id", id);
    code_.assign("rows[id]", "row");
    code_.assign("sums[id]", "sum");
    code_.evaluate(out_.dialect.barrier);
    code_.open_loop(joined({out_.uint, " step = 1"}), {"step < ", out_.size}, "step *= 2");
    code_.declare("int", "is_same", "0");
    code_.declare(element_, "before", "0");
    code_.open_if("id >= step && rows[id - step] == row");
    code_.assign("is_same", "1");
    code_.assign("before", "sums[id - step]");
    code_.close();
    code_.evaluate(out_.dialect.barrier);
    code_.open_if("is_same != 0");
    code_.assign("sum", "before + sum");
    code_.assign("sums[id]", "sum");
    code_.close();
    code_.evaluate(out_.dialect.barrier);
    code_.close();
  }
  void write_ends() {
    code_.open_if("head_row >= 0");
    code_.open_if("id > 0");
    code_.assign("head_sum", "sums[id - 1] + head_sum");
    code_.close();
    code_.assign("result[head_row]", "head_sum");
    code_.close();
    code_.open_if({"id == ", out_.size, " - 1"});
    code_.assign({"left_rows[", out_.dialect.group_id, "]"}, "row");
    code_.assign({"left_sums[", out_.dialect.group_id, "]"}, "sum");
    code_.close();
  }
  void write_rest() {
    out_.open_kernel(name_ + "_rest",
                     joined({"const long *left_rows, const ", element_, " *left_sums, ", element_,
                             " *result, long row_count, long group_count"}));
    declare("which", {"(", out_.integer, ")", out_.dialect.group_id, " * ", out_.size, " + ",
                      out_.dialect.local_id});
    code_.open_if("which < group_count");
    declare("row", "left_rows[which]");
    code_.open_if("row < row_count && (which == 0 || left_rows[which - 1] != row)");
    code_.declare(element_, "sum", "left_sums[which]");
    code_.open_loop(joined({out_.integer, " k = which + 1"}),
                    "k < group_count && left_rows[k] == row", "++k");
    code_.assign("sum", "left_sums[k]", "+=");
    code_.close();
    code_.assign("result[row]", "sum", "+=");
    code_.close();
    code_.close();
    code_.close();
  }

  std::string name_;
  FamilyCode out_;
  tree::BlockBuilder& code_ = out_.code;
  std::string items_, tile_, element_, column_;
};

}  // namespace

bool can_merge(const SparseForm& form, const Tiling& tiling) {
  const DType dtype(form.dtype);
  return tiling.schedule == Schedule::wide && form.layout == SparseLayout::rows &&
         form.across == 0 && !form.is_bfloat16 && form.stored == form.dtype &&
         form.dtype != Scalar::float16 && dtype.size_bytes() >= 4 && dtype.size_bytes() <= 8 &&
         dtype.kind() != ScalarKind::complex;
}

unsigned merged_items(const Tiling& tiling) { return tiling.group_size * tiling.ranked_items; }

FamilyText generate_sparse_merge(const SparseForm& form, const Tiling& tiling,
                                 const Dialect& dialect) {
  return SparseMergeWriter(form, tiling, dialect).write();
}

}  // namespace treadle::codegen
