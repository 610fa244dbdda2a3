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
    each_column("table[own + column]", "0");
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
    write_sort();
    const std::string matrices = joined({"const ", column_, " *columns, const long *starts, const ",
                                         column_, " *other_columns, const long *other_starts, "});
    const std::string numbers = ", long *table, long row_count, long column_count, long interval";
    open("lengths", joined({matrices, "long *result_starts", numbers}));
    declare("own", "number * column_count");
    each_column("table[own + column]", "-1");
    code_.open_for(out_.integer, "row", "begin", "behind");
    code_.declare(out_.integer, "length", "0");
    open_products();
    code_.open_if("table[own + column] != row");
    code_.assign("table[own + column]", "row");
    code_.evaluate("++length");
    code_.close();
    close_products();
    code_.assign("result_starts[row + 1]", "length");
    code_.close();
    code_.close();

    open("sums", joined({matrices, "const ", element_, " *data, const ", element_, " *other_data, ",
                         column_, " *result_columns, ", element_,
                         " *result_data, const long *result_starts", numbers}));
    declare("own", "number * column_count");
    each_column("table[own + column]", "-1");
    code_.open_for(out_.integer, "row", "begin", "behind");
    declare("first", "result_starts[row]");
    code_.declare(out_.integer, "next", "first");
    open_products();
    code_.declare({"const ", element_}, "factor", "data[at]");
    code_.declare({"const ", element_}, "other", "other_data[with]");
    code_.declare({"const ", element_}, "product", product());
    declare("place", "table[own + column]");
    // Places of rows before are below.
    code_.open_if("place < first");
    code_.assign("table[own + column]", "next");
    code_.assign("result_columns[next]", {"(", column_, ")column"});
    code_.assign("result_data[next]", "product");
    code_.evaluate("++next");
    code_.close();
    code_.open_else();
    code_.declare({"const ", element_}, "before", "result_data[place]");
    code_.assign("result_data[place]", sum());
    code_.close();
    close_products();
    code_.evaluate("sort_row(result_columns + first, result_data + first, next - first)");
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
  void each_column(std::string_view place, std::string_view value) {
    code_.open_for(out_.integer, "column", "0", "column_count");
    code_.assign(std::string(place), std::string(value));
    code_.close();
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
  /// Rows are short and came in runs that are in order: by insertion over gaps (Shell 1959).
  void write_sort() {
    code_.open_function(called_function(
        "void", "sort_row",
        {pointer_parameter(column_, "columns", {}), pointer_parameter(element_, "data", {}),
         tree::value(out_.integer, "length")}));
    code_.declare(out_.integer, "gap", "1");
    code_.open_while("gap < length / 3");
    code_.assign("gap", "3 * gap + 1");
    code_.close();
    code_.open_loop(tree::Part(""), "gap > 0", "gap /= 3");
    code_.open_for(out_.integer, "k", "gap", "length");
    code_.declare({"const ", column_}, "column", "columns[k]");
    code_.declare({"const ", element_}, "element", "data[k]");
    code_.declare(out_.integer, "to", "k");
    code_.open_while("to >= gap && columns[to - gap] > column");
    code_.assign("columns[to]", "columns[to - gap]");
    code_.assign("data[to]", "data[to - gap]");
    code_.assign("to", "gap", "-=");
    code_.close();
    code_.assign("columns[to]", "column");
    code_.assign("data[to]", "element");
    code_.close();
    code_.close();
    code_.close();
  }

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
