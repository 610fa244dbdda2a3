// SPDX-License-Identifier: MIT
#include "treadle/codegen/sparse_tables.hpp"

#include <string>
#include <string_view>

#include "family_code.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class SparseTableWriter {
 public:
  SparseTableWriter(const SparseTableForm& form, std::string name, const Dialect& dialect)
      : form_(form),
        name_(std::move(name)),
        out_(name_, "generator of tables of columns", Schedule::narrow, 1, dialect),
        column_(out_.types.name_of(form.column_dtype)),
        element_(stored_type(form.stored, dialect)) {}

  FamilyText write_transposition() {
    const std::string matrix = joined({"const ", column_, " *columns, const long *starts, "});
    const std::string numbers = "uint *table, long row_count, long column_count, long interval";
    open("count", matrix + numbers);
    declare("own", "number * column_count");
    code_.open_for(out_.integer, "column", "0", "column_count");
    code_.assign("table[own + column]", "0");
    code_.close();
    open_entries("starts[begin]", "starts[behind]");
    code_.evaluate("++table[own + columns[at]]");
    code_.close();
    code_.close();

    out_.open_kernel(name_ + "_places",
                     "uint *table, long *result_starts, long column_count, long interval_count, "
                     "long interval");
    declare("number", {"(", out_.integer, ")", out_.dialect.group_id});
    declare("begin", "number * interval");
    declare("behind", "column_count - begin < interval ? column_count : begin + interval");
    code_.open_for(out_.integer, "column", "begin", "behind");
    code_.declare(out_.uint, "sum", "0");
    code_.open_for(out_.integer, "k", "0", "interval_count");
    code_.declare({"const ", out_.uint}, "count", "table[k * column_count + column]");
    code_.assign("table[k * column_count + column]", "sum");
    code_.assign("sum", "count", "+=");
    code_.close();
    code_.assign("result_starts[column + 1]", "sum");
    code_.close();
    code_.close();

    open("scatter", joined({"const ", element_, " *data, ", matrix, column_, " *result_columns, ",
                            element_, " *result_data, const long *result_starts, ", numbers}));
    declare("own", "number * column_count");
    code_.open_for(out_.integer, "row", "begin", "behind");
    open_entries("starts[row]", "starts[row + 1]");
    declare("column", "columns[at]");
    declare("place", "result_starts[column] + table[own + column]++");
    code_.assign("result_columns[place]", {"(", column_, ")row"});
    code_.assign("result_data[place]", "data[at]");
    code_.close();
    code_.close();
    code_.close();
    return out_.take();
  }

  FamilyText write_product() {
    code_.lines(device_functions(product() + sum(), out_.dialect));
    const std::string matrices = joined({"const ", column_, " *columns, const long *starts, const ",
                                         column_, " *other_columns, const long *other_starts, "});
    const std::string numbers = ", uint *marks, long row_count, long column_count, long interval";
    open("lengths", joined({matrices, "long *result_starts", numbers}));
    write_marks();
    code_.open_for(out_.integer, "row", "begin", "behind");
    code_.declare(out_.integer, "length", "0");
    open_products();
    declare_mark();
    code_.assign(mark, "beside | bit");
    code_.assign("length", "(beside & bit) == 0", "+=");
    close_products();
    code_.assign("result_starts[row + 1]", "length");
    // The marks of a short row are taken away one by one.
    code_.open_if("length < words / 4");
    open_products();
    code_.assign(mark, "0");
    close_products();
    code_.close();
    code_.open_else();
    clear_marks("own + words");
    code_.close();
    code_.close();
    code_.close();

    open("sums",
         joined({matrices, "const ", element_, " *data, const ", element_, " *other_data, ",
                 column_, " *result_columns, ", element_,
                 " *result_data, const long *result_starts, ", element_, " *sums", numbers}));
    write_marks();
    declare("table", "number * column_count");
    code_.open_for(out_.integer, "row", "begin", "behind");
    open_products();
    code_.declare({"const ", element_}, "factor", "data[at]");
    code_.declare({"const ", element_}, "other", "other_data[with]");
    code_.declare({"const ", element_}, "product", product());
    open_new_column();
    code_.assign("sums[table + column]", "product");
    code_.close();
    code_.open_else();
    code_.declare({"const ", element_}, "before", "sums[table + column]");
    code_.assign("sums[table + column]", sum());
    code_.close();
    close_products();
    code_.declare(out_.integer, "next", "result_starts[row]");
    code_.open_for(out_.integer, "top", "0", "tops");
    open_bits("groups_left", "marks[top_marks + top]", "group", "top");
    open_bits("words_left", "marks[group_marks + group]", "word", "group");
    open_bits("columns_left", "marks[own + word]", "column", "word");
    code_.assign("result_columns[next]", {"(", column_, ")column"});
    code_.assign("result_data[next]", "sums[table + column]");
    code_.evaluate("++next");
    for (int level = 0; level < 4; ++level) code_.close();
    code_.close();
    code_.close();
    return out_.take();
  }

  FamilyText write_starts() {
    out_.open_kernel(name_, "long *starts, long count");
    code_.declare(out_.integer, "sum", "0");
    code_.assign("starts[0]", "0");
    code_.open_for(out_.integer, "k", "1", "count + 1");
    code_.assign("sum", "starts[k]", "+=");
    code_.assign("starts[k]", "sum");
    code_.close();
    code_.close();
    return out_.take();
  }

 private:
  void declare(std::string_view name, tree::Part value) {
    code_.declare({"const ", out_.integer}, name, std::move(value));
  }
  /// A kernel of an interval of rows; its number says which table it has.
  void open(std::string_view phase, const std::string& parameters) {
    out_.open_kernel(joined({name_, "_", phase}), parameters);
    declare("number", {"(", out_.integer, ")", out_.dialect.group_id});
    declare("begin", "number * interval");
    declare("behind", "row_count - begin < interval ? row_count : begin + interval");
  }
  void open_entries(std::string_view first, std::string_view end) {
    code_.open_for(out_.integer, "at", tree::Part(std::string(first)), end);
  }
  /// A bit for each column, for each 32 of these bits, and for each 32 of those: whether there is
  /// one. So a row's columns are found in order, and none of the others is looked at.
  void write_marks() {
    declare("words", "(column_count + 31) / 32");
    declare("groups", "(words + 31) / 32");
    declare("tops", "(groups + 31) / 32");
    declare("own", "number * (words + groups + tops)");
    declare("group_marks", "own + words");
    declare("top_marks", "group_marks + groups");
    clear_marks("top_marks + tops");
  }
  void clear_marks(std::string_view end) {
    code_.open_for(out_.integer, "k", "own", end);
    code_.assign("marks[k]", "0");
    code_.close();
  }
  static constexpr const char* mark = "marks[own + (column >> 5)]";
  void declare_mark() {
    const tree::Part bits{"const ", out_.uint};
    code_.declare(bits, "beside", mark);
    code_.declare(bits, "bit", "1u << (column & 31)");
  }
  /// Marks the column, and opens what is done if it was not marked.
  void open_new_column() {
    declare_mark();
    code_.open_if("(beside & bit) == 0");
    code_.assign(mark, "beside | bit");
    code_.open_if("beside == 0");
    code_.assign("marks[group_marks + (column >> 10)]", "1u << (column >> 5 & 31)", "|=");
    code_.assign("marks[top_marks + (column >> 15)]", "1u << (column >> 10 & 31)", "|=");
    code_.close();
  }
  /// For each bit of a place, which becomes 0, in order: its number, `from` being that of the
  /// place.
  void open_bits(const std::string& left, const std::string& place, std::string_view which,
                 std::string_view from) {
    code_.declare(out_.uint, left, place);
    code_.assign(place, "0");
    code_.open_while(left + " != 0");
    declare(
        which,
        joined({from, " * 32 + ",
                expand_words(joined({"treadle_popcount((", left, " & (0u - ", left, ")) - 1u)"}),
                             out_.dialect)}));
    code_.assign(left, left + " - 1u", "&=");
  }
  /// Each entry of the row by each of the row of the other matrix that it names.
  void open_products() {
    open_entries("starts[row]", "starts[row + 1]");
    declare("named", "columns[at]");
    code_.open_for(out_.integer, "with", "other_starts[named]", "other_starts[named + 1]");
    declare("column", "other_columns[with]");
  }
  void close_products() {
    code_.close();
    code_.close();
  }
  std::string applied(Op op, const char* one, const char* two) const {
    const OperandText operands[] = {{one, form_.stored}, {two, form_.stored}};
    return op_text(op, operands, out_.dialect);
  }
  std::string product() const { return applied(Op::multiply, "factor", "other"); }
  std::string sum() const { return applied(Op::add, "before", "product"); }

  SparseTableForm form_;
  std::string name_;
  FamilyCode out_;
  tree::BlockBuilder& code_ = out_.code;
  std::string column_, element_;
};

}  // namespace

FamilyText generate_sparse_transposition(const SparseTableForm& form, const Dialect& dialect) {
  return SparseTableWriter(form, "sparse_transposition", dialect).write_transposition();
}

FamilyText generate_sparse_product_tables(const SparseTableForm& form, const Dialect& dialect) {
  const DType dtype(form.stored);
  if (form.stored == Scalar::float16 || form.stored == Scalar::boolean ||
      dtype.kind() == ScalarKind::structure)
    throw DTypeError("a product of sparse matrices of " + dtype.name(),
                     "cast to a dtype whose elements are added");
  return SparseTableWriter(form, "sparse_product", dialect).write_product();
}

FamilyText generate_sparse_starts(const Dialect& dialect) {
  return SparseTableWriter({Scalar::int64, Scalar::int64}, "sparse_starts", dialect).write_starts();
}

}  // namespace treadle::codegen
