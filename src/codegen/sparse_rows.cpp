// SPDX-License-Identifier: MIT
#include "treadle/codegen/sparse_rows.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "expression_text.hpp"
#include "program.hpp"
#include "sparse_row_text.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/number.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// The dtype in which products are summed.
Scalar sum_of(Scalar dtype) { return dtype == Scalar::float16 ? Scalar::float32 : dtype; }

std::string_view layout_name(SparseLayout layout) {
  constexpr std::string_view names[] = {"rows",      "columned", "sliced",
                                        "diagonals", "blocks",   "stencil"};
  return names[static_cast<std::size_t>(layout)];
}

class SparseRowsWriter {
 public:
  SparseRowsWriter(const SparseForm& form, const Dialect& dialect, tree::BlockBuilder& code,
                   const RowEnds& ends = {})
      : form_(form),
        dialect_(dialect),
        code_(code),
        ends_(ends),
        types_(dialect),
        sum_(sum_of(form.dtype)),
        integer_(types_.name_of(Scalar::int64)),
        item_(value_type(sum_, dialect)) {
    if (form.dtype == Scalar::structure || form.dtype == Scalar::boolean)
      throw DTypeError("a product of a sparse matrix in " + DType(form.dtype).name(),
                       "cast to a dtype whose elements are added");
  }

  void write_sum() {
    write_sums();
    write_entries();
  }

  SparseRowsText write() {
    write_places();
    write_sum();
    write_results();
    const std::string element = stored_type(form_.dtype, dialect_);
    const std::string results = form_.epilogue
                                    ? sparse_epilogue_parameters(*form_.epilogue, dialect_)
                                    : joined({element, " *result"});
    SparseRowsText made{
        .arguments = joined(
            {matrix_parameters(), "const ", element, " *x, ", results, ", ", sparse_numbers}),
        .operation = as_users_statements(code_.take(), dialect_),
        .preamble = {},
        .name = joined({"sparse_", layout_name(form_.layout), "_by_",
                        form_.across != 0 ? "columns_" : "vector_", DType(form_.dtype).name(),
                        form_.epilogue ? "_" + sparse_epilogue_name(*form_.epilogue) : ""})};
    made.preamble = joined({dialect_.exact_preamble, device_functions(made.operation, dialect_)});
    return made;
  }

  std::string matrix_parameters() const {
    const std::string stored = stored_type(form_.stored, dialect_),
                      column = types_.name_of(form_.column_dtype);
    const bool is_stencil = form_.layout == SparseLayout::stencil;
    std::string list;
    if (!is_stencil) list += joined({"const ", stored, " *data, "});
    if (form_.layout == SparseLayout::diagonals)
      list += "const long *shifts, ";
    else if (!is_stencil)
      list += joined({"const ", column, " *columns, "});
    else if (form_.has_bits)
      list += joined({"const ", column, " *bits, "});
    if (form_.layout == SparseLayout::rows || form_.layout == SparseLayout::sliced ||
        form_.layout == SparseLayout::blocks)
      list += "const long *starts, ";
    return list;
  }

 private:
  bool is_vector() const { return form_.across == 0; }

  void declare_integer(std::string_view name, tree::Part value) {
    code_.declare({"const ", integer_}, name, std::move(value));
  }
  void write_places() {
    if (is_vector()) return declare_integer("row", "i");
    const std::string across = number(form_.across);
    declare_integer("pieces", {"(width + ", number(form_.across - 1), ") / ", across});
    declare_integer("row", "i / pieces");
    declare_integer("first", {"i % pieces * ", across});
    if (form_.across > 1)
      declare_integer("few", {"width - first < ", across, " ? width - first : ", across});
  }

  void open_columns(std::string_view end) {
    code_.directive("pragma", "unroll");
    code_.open_for("int", "q", "0", end);
  }
  void write_sums() {
    const ElementBytes none = Number(0).as(sum_);
    const std::string zero =
        literal_text(sum_, std::span(none).first(DType(sum_).size_bytes()), dialect_);
    if (is_vector()) return code_.declare(item_, "sum", zero);
    const std::string across = number(form_.across);
    code_.declare_array(item_, "sums", across);
    open_columns(across);
    code_.assign("sums[q]", zero);
    code_.close();
  }

  std::string in_sum(const std::string& text, Scalar dtype) const {
    return dtype == sum_ ? text : cast_text({text, dtype}, sum_, dialect_);
  }
  /// Defines the element of the matrix at a place in memory, with its stored type.
  void declare_stored(const std::string& place) {
    if (form_.is_bfloat16)
      return code_.declare("const float", "stored",
                           sparse_element_text(form_, place, Scalar::float32, dialect_));
    code_.declare({"const ", value_type(form_.stored, dialect_)}, "stored",
                  read_text(form_.stored, place, dialect_));
  }

  /// Adds the products of `value`, an expression with the sums' dtype, and the other operand.
  void add_products(const std::string& value) {
    code_.declare({"const ", item_}, "value", value);
    if (is_vector()) return add_product("sum", "x[column]");
    // Most work-items have all their columns; their loop has a constant length.
    code_.declare({"const ", dialect_.global, stored_type(form_.dtype, dialect_), " *"}, "beside",
                  "x + column * width + first");
    const std::string across = number(form_.across);
    if (form_.across == 1) {
      add_product("sums[0]", "beside[0]");
      return;
    }
    code_.open_if({"few == ", across});
    open_columns(across);
    add_product("sums[q]", "beside[q]");
    code_.close();
    code_.close();
    code_.open_else();
    code_.open_for("int", "q", "0", "(int)few");
    add_product("sums[q]", "beside[q]");
    code_.close();
    code_.close();
  }
  void add_product(const std::string& sum, const std::string& place) {
    code_.declare({"const ", item_}, "other",
                  in_sum(read_text(form_.dtype, place, dialect_), value_scalar(form_.dtype)));
    const OperandText factors[] = {{"value", sum_}, {"other", sum_}};
    code_.declare({"const ", item_}, "product", op_text(Op::multiply, factors, dialect_));
    code_.declare({"const ", item_}, "before", sum);
    const OperandText summands[] = {{"before", sum_}, {"product", sum_}};
    code_.assign(sum, op_text(Op::add, summands, dialect_));
  }
  /// The dtype of a loaded element.
  static Scalar value_scalar(Scalar dtype) { return sum_of(dtype); }
  std::string stored_in_sum() const {
    return in_sum("stored", form_.is_bfloat16 ? Scalar::float32 : value_scalar(form_.stored));
  }
  /// A condition for layouts in which a zero is no entry.
  std::string is_entry() const {
    return DType(form_.stored).kind() == ScalarKind::complex ? "(stored.x != 0 || stored.y != 0)"
                                                             : "stored != 0";
  }

  void write_entries() {
    switch (form_.layout) {
      case SparseLayout::rows:
        if (ends_.at_once != 0) code_.directive("pragma", {"unroll ", number(ends_.at_once)});
        code_.open_for(integer_, "at", ends_.begin, ends_.behind, ends_.step);
        declare_integer("column", "columns[at]");
        declare_stored("data[at]");
        add_products(stored_in_sum());
        return code_.close();
      case SparseLayout::columned:
        code_.open_for(integer_, "k", "0", "depth");
        declare_integer("at", "k * pitch + row");
        add_at_column();
        return code_.close();
      case SparseLayout::sliced:
        declare_integer("slice", {"row / ", number(form_.side)});
        declare_integer("behind", "starts[slice + 1]");
        code_.open_for(integer_, "at", {"starts[slice] + row % ", number(form_.side)}, "behind",
                       number(form_.side));
        add_at_column();
        return code_.close();
      case SparseLayout::diagonals:
        return write_diagonals();
      case SparseLayout::blocks:
        return write_blocks();
      case SparseLayout::stencil:
        return write_stencil();
    }
  }
  void add_at_column() {
    declare_integer("column", "columns[at]");
    code_.open_if("column >= 0");
    declare_stored("data[at]");
    add_products(stored_in_sum());
    code_.close();
  }

  void write_diagonals() {
    if (form_.shift_count != 0) {
      for (unsigned k = 0; k < form_.shift_count; ++k) {
        code_.open();
        add_of_diagonal(number(k));
        code_.close();
      }
      return;
    }
    code_.open_for(integer_, "k", "0", "depth");
    add_of_diagonal("k");
    code_.close();
  }
  void add_of_diagonal(const std::string& which) {
    declare_integer("column", {"row + shifts[", which, "]"});
    code_.open_if("column >= 0 && column < column_count");
    declare_stored(joined({"data[", which, " * pitch + row]"}));
    code_.open_if(is_entry());
    add_products(stored_in_sum());
    code_.close();
    code_.close();
  }

  void write_blocks() {
    const std::string side = number(form_.side), across = number(form_.side_across);
    declare_integer("block_row", {"row / ", side});
    code_.open_for(integer_, "k", "starts[block_row]", "starts[block_row + 1]");
    declare_integer("in_block", {"(k * ", side, " + row % ", side, ") * ", across});
    declare_integer("block_column", {"(", integer_, ")columns[k] * ", across});
    code_.directive("pragma", "unroll");
    code_.open_for("int", "p", "0", across);
    declare_integer("column", "block_column + p");
    declare_stored("data[in_block + p]");
    code_.open_if(is_entry());
    add_products(stored_in_sum());
    code_.close();
    code_.close();
    code_.close();
  }

  void write_stencil() {
    const std::size_t size = DType(form_.dtype).size_bytes();
    if (form_.has_bits) code_.declare({"const ", column_type()}, "there", "bits[row]");
    for (std::size_t k = 0; k < form_.shifts.size(); ++k) {
      const std::int64_t shift = form_.shifts[k];
      code_.open();
      declare_integer("column", joined({"row ", shift < 0 ? "- " : "+ ",
                                        std::to_string(shift < 0 ? -shift : shift)}));
      code_.open_if(form_.has_bits ? joined({"(there >> ", number(k), " & 1) != 0"})
                                   : std::string("column >= 0 && column < column_count"));
      add_products(in_sum(
          literal_text(form_.dtype, std::span(form_.values).subspan(k * size, size), dialect_),
          value_scalar(form_.dtype)));
      code_.close();
      code_.close();
    }
  }
  std::string column_type() const { return types_.name_of(form_.column_dtype); }

  void write_results() {
    const auto store = [&](const std::string& place, const std::string& sum) {
      code_.evaluate(write_text(form_.dtype, place, sum, dialect_));
    };
    if (form_.epilogue) {
      code_.declare({"const ", item_}, "product", "sum");
      return code_.statements(sparse_epilogue_text(*form_.epilogue, dialect_));
    }
    if (is_vector()) return store("result[i]", "sum");
    if (form_.across == 1) return store("result[row * width + first]", "sums[0]");
    code_.open_for("int", "q", "0", number(form_.across));
    code_.open_if("q < few");
    store("result[row * width + first + q]", "sums[q]");
    code_.close();
    code_.close();
  }

  const SparseForm& form_;
  const Dialect& dialect_;
  tree::BlockBuilder& code_;
  RowEnds ends_;
  TypeNames types_;
  Scalar sum_;
  std::string integer_, item_;
};

}  // namespace

std::string sparse_element_text(const SparseForm& form, const std::string& place, Scalar dtype,
                                const Dialect& dialect) {
  const auto cast = [&](const std::string& value, Scalar own) {
    return own == dtype ? value : cast_text({value, own}, dtype, dialect);
  };
  if (form.is_bfloat16)
    return cast(expand_words(joined({"treadle_as_float((", stored_type(Scalar::uint32, dialect),
                                     ")", place, " << 16)"}),
                             dialect),
                Scalar::float32);
  return cast(read_text(form.stored, place, dialect), sum_of(form.stored));
}

namespace {

std::string result_name(std::size_t which) { return joined({"result", number(which)}); }
std::string beside_name(std::size_t leaf) { return joined({"beside", number(leaf - 1)}); }
std::string scalar_name(std::size_t which) { return joined({"scalar", number(which)}); }

}  // namespace

std::string sparse_epilogue_parameters(const SparseEpilogue& epilogue, const Dialect& dialect) {
  const Expression& expression = epilogue.expression;
  const auto type = [&](Scalar dtype) { return stored_type(dtype, dialect); };
  std::string list;
  for (std::size_t i = 0; i < expression.outputs.size(); ++i)
    list += joined({i == 0 ? "" : ", ", type(expression.dtype_of(expression.outputs[i]).scalar()),
                    " *", result_name(i)});
  for (std::size_t i = 1; i < expression.leaves.size(); ++i)
    list += joined({", const ", type(expression.leaves[i].dtype.scalar()), " *", beside_name(i)});
  for (std::size_t i = 0; i < expression.scalars.size(); ++i)
    list += joined({", ", type(expression.scalars[i]), " ", scalar_name(i)});
  return list;
}

std::string sparse_epilogue_text(const SparseEpilogue& epilogue, const Dialect& dialect) {
  const Expression& expression = epilogue.expression;
  const ExpressionText text(expression, dialect,
                            [](const Instruction& step) -> std::string {
                              if (step.op == Op::scalar) return scalar_name(step.operands[0]);
                              return step.leaf() == 0 ? std::string("product")
                                                      : beside_name(step.leaf());
                            },
                            {.variables = 1, .is_global = true});
  tree::BlockBuilder code;
  for (std::size_t value = 0; value < expression.instructions.size(); ++value)
    text.write_value(code, static_cast<Value>(value), [&](const Instruction& step) {
      return joined({beside_name(step.leaf()), epilogue.is_one[step.leaf() - 1] ? "[0]" : "[i]"});
    });
  for (std::size_t i = 0; i < expression.outputs.size(); ++i)
    code.evaluate(write_text(expression.dtype_of(expression.outputs[i]).scalar(),
                             result_name(i) + "[i]", text.value_name(expression.outputs[i]),
                             dialect));
  return as_users_statements(code.take(), dialect);
}

std::string sparse_epilogue_name(const SparseEpilogue& epilogue) {
  std::string name;
  for (const Instruction& step : epilogue.expression.instructions)
    if (is_operation(step.op) && name.size() < 60)
      name.append(name.empty() ? "" : "_").append(op_info(step.op).name);
  return name;
}

SparseRowsText generate_sparse_rows(const SparseForm& form, const Dialect& dialect) {
  tree::BlockBuilder code;
  return SparseRowsWriter(form, dialect, code).write();
}

std::string sparse_parameters(const SparseForm& form, const Dialect& dialect) {
  tree::BlockBuilder code;
  return SparseRowsWriter(form, dialect, code).matrix_parameters();
}

void write_sparse_row(tree::BlockBuilder& code, const SparseForm& form, const Dialect& dialect,
                      const RowEnds& ends) {
  SparseRowsWriter(form, dialect, code, ends).write_sum();
}

}  // namespace treadle::codegen
