// SPDX-License-Identifier: MIT
#include "treadle/codegen/sparse_merge.hpp"

#include <algorithm>
#include <utility>

#include "block.hpp"
#include "family_code.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class SparseMergeWriter {
 public:
  SparseMergeWriter(const SparseForm& form, const Tiling& tiling, const Dialect& dialect)
      : name_("sparse_merge_" + DType(form.dtype).name()),
        out_(name_, "generator of products by merged rows", tiling.schedule, merged_group(tiling),
             dialect),
        items_(number(merged_items(tiling) / merged_group(tiling))),
        tile_(number(merged_items(tiling))),
        group_size_(merged_group(tiling)),
        element_(out_.types.name_of(form.dtype)),
        column_(out_.types.name_of(form.column_dtype)) {}

  FamilyText write() {
    out_.open_kernel(name_, joined({"const ", element_, " *data, const ", column_,
                                    " *columns, const long *starts, const ", element_, " *x, ",
                                    element_, " *result, long *left_rows, ", element_,
                                    " *left_sums, long row_count, long entries"}));
    declare_memory();
    write_search();
    write_products();
    write_items();
    scan().write(code_);
    write_ends();
    code_.close();
    write_rest();
    return out_.take();
  }

 private:
  void declare(std::string_view name, tree::Part value) {
    code_.declare({"const ", out_.integer}, name, std::move(value));
  }
  /// For indices within a group's part of the list.
  void declare_near(std::string_view name, tree::Part value) {
    code_.declare("const int", name, std::move(value));
  }
  void declare_memory() {
    code_.declare_local(element_, "products", tile_);
    code_.declare_local("int", "ends", {tile_, " + 1"});
    code_.declare_local("int", "rows", out_.size);
    code_.declare_local(element_, "sums", out_.size);
    code_.declare_local(out_.integer, "bounds", "4");
    scan().declare(code_);
  }
  /// Finds how many rows end before the group's first item, and before the item behind its last:
  /// each work-item asks about two rows at a time, since reads that wait for one another take
  /// longest here.
  void write_search() {
    const std::string id = out_.dialect.local_id;
    declare("total", "row_count + entries");
    declare("first", {"(", out_.integer, ")", out_.dialect.group_id, " * ", tile_});
    declare("last", {"total - first < ", tile_, " ? total : first + ", tile_});
    constexpr std::string_view items[] = {"first", "last"};
    code_.open_if({id, " == 0"});
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string item(items[k]);
      code_.assign(bound(2 * k), {item, " > entries ? ", item, " - entries : 0"});
      code_.assign(bound(2 * k + 1), {item, " < row_count ? ", item, " : row_count"});
    }
    code_.close();
    code_.evaluate(out_.dialect.barrier);
    code_.open_loop(joined({out_.integer, " span = row_count"}), "span > 0",
                    {"span /= ", out_.size});
    for (std::size_t k = 0; k < 4; ++k) declare("bound_" + number(k), bound(k));
    code_.evaluate(out_.dialect.barrier);
    for (std::size_t k = 0; k < 2; ++k) {
      code_.open();
      narrow(std::string(items[k]), 2 * k);
      code_.close();
    }
    code_.evaluate(out_.dialect.barrier);
    code_.close();
    declare("first_row", bound(0));
    declare("last_row", bound(2));
  }
  static std::string bound(std::size_t k) { return joined({"bounds[", number(k), "]"}); }
  /// Divides the interval between two bounds into as many parts as there are work-items.
  void narrow(const std::string& item, std::size_t which) {
    const std::string id = out_.dialect.local_id;
    declare("low", "bound_" + number(which));
    declare("high", "bound_" + number(which + 1));
    declare("step", {"(high - low + ", number(group_size_ - 1), ") / ", out_.size});
    declare("here", {"low + ", id, " * step"});
    declare("there", "here + step");
    const auto ends_before = [&](const std::string& row) {
      return joined({row, " < high && starts[", row, " + 1] + ", row, " + 1 <= ", item});
    };
    code_.declare("const int", "is_before", ends_before("here"));
    code_.declare("const int", "is_next_before", ends_before("there"));
    code_.open_if("is_before && !is_next_before");
    code_.assign(bound(which), "here + 1");
    code_.assign(bound(which + 1), "there < high ? there : high");
    code_.close();
    code_.open_if({id, " == 0 && !is_before"});
    code_.assign(bound(which + 1), "low");
    code_.close();
  }
  /// Reads the ends of rows and makes the products, all reads of a work-item at once.
  void write_products() {
    const std::string id = out_.dialect.local_id;
    declare("first_entry", "first - first_row");
    declare_near("entry_count", "(int)(last - last_row - first_entry)");
    declare_near("row_ends", "(int)(last_row - first_row)");
    code_.open_for("int", "k", joined({"(int)", id}), "row_ends", out_.size);
    code_.assign("ends[k]", "(int)(starts[first_row + k + 1] - first_entry)");
    code_.close();
    code_.open_if({id, " == 0"});
    code_.assign("ends[row_ends]", {tile_, " + 1"});  // the next one is another group's
    code_.close();
    code_.declare_array(column_, "own_columns", items_);
    for (const char* name : {"own_data", "own_others"}) code_.declare_array(element_, name, items_);
    const auto each = [&](std::string_view place, tree::Part value) {
      out_.open_loads(items_);
      declare_near("k", {"(int)(treadle_q * ", out_.size, " + ", id, ")"});
      if (place == "products[k]") code_.open_if("k < entry_count");
      code_.assign(place, std::move(value));
      if (place == "products[k]") code_.close();
      code_.close();
    };
    each("own_columns[treadle_q]", "k < entry_count ? columns[first_entry + k] : 0");
    each("own_data[treadle_q]", "k < entry_count ? data[first_entry + k] : 0");
    each("own_others[treadle_q]", "k < entry_count ? x[own_columns[treadle_q]] : 0");
    each("products[k]", "own_data[treadle_q] * own_others[treadle_q]");
    code_.evaluate(out_.dialect.barrier);
  }
  void write_items() {
    declare_near("count", "entry_count + row_ends");
    declare_near("from", {"(int)", out_.dialect.local_id, " * ", items_});
    declare_near("mine", "from < count ? from : count");
    declare_near("behind", {"count - mine < ", items_, " ? count : mine + ", items_});
    code_.declare("int", "row", "mine > entry_count ? mine - entry_count : 0");
    code_.declare("int", "high", "mine < row_ends ? mine : row_ends");
    code_.open_while("row < high");
    declare_near("middle", "(row + high) / 2");
    code_.open_if("ends[middle] + middle + 1 <= mine");
    code_.assign("row", "middle + 1");
    code_.close();
    code_.open_else();
    code_.assign("high", "middle");
    code_.close();
    code_.close();
    code_.declare("int", "at", "mine - row");
    code_.declare(element_, "sum", "0");
    code_.declare("int", "head_row", "-1");
    code_.declare(element_, "head_sum", "0");
    code_.open_for("int", "item", "mine", "behind");
    code_.open_if("ends[row] > at");
    code_.assign("sum", "products[at]", "+=");
    code_.assign("at", "1", "+=");
    code_.close();
    code_.open_else();
    code_.open_if("head_row < 0");
    code_.assign("head_row", "row");
    code_.assign("head_sum", "sum");
    code_.close();
    code_.open_else();
    code_.assign("result[first_row + row]", "sum");
    code_.close();
    code_.assign("sum", "0");
    code_.assign("row", "1", "+=");
    code_.close();
    code_.close();
  }
  /// Adds the remaining sums of earlier work-items that belong to the same row.
  BlockScan scan() const {
    return {.fields = {{{"row", "int"}, "rows"}, {{"sum", element_}, "sums"}},
            .combine =
                [](tree::BlockBuilder& code, const BlockScan::Earlier& earlier) {
                  code.open_if({earlier("row"), " == row"});
                  code.assign("sum", {earlier("sum"), " + sum"});
                  code.close();
                },
            .group_size = group_size_,
            .is_there = {},
            .prefix = "scan_",
            .dialect = out_.dialect};
  }
  void write_ends() {
    const std::string id = out_.dialect.local_id;
    code_.open_if("head_row >= 0");
    code_.open_if({id, " > 0 && rows[", id, " - 1] == head_row"});
    code_.assign("head_sum", {"sums[", id, " - 1] + head_sum"});
    code_.close();
    code_.assign("result[first_row + head_row]", "head_sum");
    code_.close();
    code_.open_if({id, " == ", out_.size, " - 1"});
    code_.assign({"left_rows[", out_.dialect.group_id, "]"}, "first_row + row");
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
  std::string items_, tile_;
  unsigned group_size_;
  std::string element_, column_;
};

}  // namespace

bool can_merge(const SparseForm& form, const Tiling& tiling) {
  const DType dtype(form.dtype);
  return tiling.schedule == Schedule::wide && form.layout == SparseLayout::rows &&
         form.across == 0 && !form.is_bfloat16 && form.stored == form.dtype &&
         form.dtype != Scalar::float16 && dtype.size_bytes() >= 4 && dtype.size_bytes() <= 8 &&
         dtype.kind() != ScalarKind::complex;
}

unsigned merged_group(const Tiling& tiling) { return std::min(tiling.group_size, 256u); }
unsigned merged_items(const Tiling& tiling) {
  // Of an item its product and the end of a row, of a work-item as much, and what scans declare.
  constexpr std::uint64_t item_bytes = 8 + 4, scan_bytes = 1024, most_bytes = 48 * 1024;
  const std::uint64_t room = std::min(local_bytes_of(tiling), most_bytes) - scan_bytes,
                      group = merged_group(tiling);
  const std::uint64_t items = std::max<std::uint64_t>(room / (group * item_bytes), 2) - 1;
  return static_cast<unsigned>(group * std::min<std::uint64_t>(tiling.ranked_items, items));
}

FamilyText generate_sparse_merge(const SparseForm& form, const Tiling& tiling,
                                 const Dialect& dialect) {
  return SparseMergeWriter(form, tiling, dialect).write();
}

}  // namespace treadle::codegen
