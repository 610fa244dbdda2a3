// SPDX-License-Identifier: MIT
#include "treadle/codegen/product.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "expression_text.hpp"
#include "program.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// The operations of an epilogue, for the kernel's name: "add_maximum_".
std::string operations_of(const ProductEpilogue& epilogue) {
  std::string name;
  for (const Instruction& step : epilogue.expression.instructions)
    if (is_operation(step.op) && name.size() < 60) name += std::string(op_info(step.op).name) + "_";
  return name;
}

/// The dtype in which products are summed.
Scalar sum_dtype(Scalar dtype) {
  switch (dtype) {
    case Scalar::float16:
      return Scalar::float32;
    case Scalar::int8:
    case Scalar::int16:
      return Scalar::int32;
    case Scalar::uint8:
    case Scalar::uint16:
      return Scalar::uint32;
    default:
      return dtype;
  }
}

class ProductWriter {
 public:
  ProductWriter(const ProductForm& form, const Tiling& tiling, const Dialect& dialect)
      : form_(form),
        tiling_(tiling),
        dialect_(dialect),
        sum_(sum_dtype(form.dtype)),
        stored_(stored_type(form.dtype, dialect)),
        value_(value_type(sum_, dialect)),
        int64_(stored_type(Scalar::int64, dialect)),
        is_wide_(tiling.schedule == Schedule::wide),
        slice_depth_(tiling.product_depth) {
    // The work-items of a wide group form a square, or a rectangle twice as wide as high.
    if (is_wide_) {
      const unsigned digits = static_cast<unsigned>(std::bit_width(tiling.group_size)) - 1;
      across_ = 1u << (digits + 1) / 2;
      down_ = tiling.group_size / across_;
      rows_ = down_ * form.side;
      columns_ = across_ * form.side * tiling.product_stretch;
      while (slice_depth_ > 1 && slice_bytes() > tiling.local_bytes) slice_depth_ /= 2;
    } else {
      rows_ = tiling.product_rows;
      columns_ = static_cast<unsigned>(tiling.product_row_bytes / DType(sum_).size_bytes());
    }
    if (form.epilogue) name_results(*form.epilogue);
  }

  ProductText write() {
    const std::string name =
        joined({"product_", form_.epilogue ? operations_of(*form_.epilogue) : std::string(),
                DType(form_.dtype).name(), "_", number(form_.side)});
    if (is_wide_)
      code_.open_function(
          bounded_kernel(name, parameters(), tiling_.group_size, tiling_.product_groups));
    else
      code_.open_kernel(name, parameters(), tiling_.group_size);
    write_place();
    if (is_wide_)
      write_wide();
    else
      write_narrow();
    code_.close();
    tree::BlockBuilder program;
    program.comment(
        joined({name, ", made by treadle's product generator: blocks of ", number(rows_), " x ",
                number(columns_), ", ", schedule_name(tiling_.schedule), " schedule"}));
    if (form_.epilogue) {
      const ExpressionText text = epilogue_text();
      const std::vector<Value>& outputs = form_.epilogue->expression.outputs;
      for (std::size_t i = 0; i < outputs.size(); ++i)
        program.comment(joined({"  ", results_[i].name, " = ", text.formula(outputs[i])}));
    }
    if (is_wide_) {
      const Slice x = x_slice(), y = y_slice();
      for (const unsigned items : std::set{neighbours(x), neighbours(y)})
        write_vector_types(program, {DType(sum_)}, items, tiling_.access_bytes, dialect_);
    }
    write_exact(program, code_.take(), dialect_);
    tree::NodePtr whole = program.take();
    std::string text = printed(whole, dialect_);
    return {name, std::move(text), tiling_.group_size, rows_, columns_, std::move(whole)};
  }

 private:
  /// An output or a leaf of the epilogue.
  struct Result {
    std::string name;
    Scalar dtype;
    bool is_output, is_dense;
    /// The element in a row and a column of a block.
    std::string place(const std::string& row, const std::string& column) const {
      return joined({name, "[", row, " * ", name, "_row + ", column,
                     is_dense ? std::string() : joined({" * ", name, "_column"}), "]"});
    }
  };
  void name_results(const ProductEpilogue& epilogue) {
    const Expression& expression = epilogue.expression;
    const auto add = [&](const char* stem, std::size_t which, const DType& dtype, bool is_output) {
      results_.push_back({joined({stem, number(which)}), dtype.scalar(), is_output,
                          epilogue.is_dense[results_.size()]});
    };
    for (std::size_t i = 0; i < expression.outputs.size(); ++i)
      add("result", i, expression.dtype_of(expression.outputs[i]), true);
    for (std::size_t i = 1; i < expression.leaves.size(); ++i)
      add("beside", i - 1, expression.leaves[i].dtype, false);
  }
  const Result& leaf_result(std::size_t leaf) const {
    return results_[form_.epilogue->expression.outputs.size() + leaf - 1];
  }
  ExpressionText epilogue_text() const {
    return {form_.epilogue->expression,
            dialect_,
            [this](const Instruction& step) -> std::string {
              if (step.op == Op::scalar) return joined({"scalar", number(step.operands[0])});
              return step.leaf() == 0 ? std::string("product") : leaf_result(step.leaf()).name;
            },
            {.variables = 1}};
  }

  tree::Parts parameters() const {
    tree::Parts all;
    const auto pointer = [&](const std::string& type, const std::string& name, PointerForm form) {
      all.push_back(pointer_parameter(type, name, form));
      if (!dialect_.has_addresses) all.push_back(tree::value(int64_, joined({name, "_offset"})));
    };
    for (const char* name : {"x", "y"}) pointer(stored_, name, {.is_read_only = true});
    if (!form_.epilogue) pointer(stored_, "z", {.is_apart = true});
    for (const Result& result : results_)
      pointer(stored_type(result.dtype, dialect_), result.name,
              {.is_read_only = !result.is_output, .is_apart = result.is_output});
    for (const char* name : {"m", "n", "k", "x_row", "x_column", "y_row", "y_column", "inner",
                             "x_outer", "x_inner", "y_outer", "y_inner"})
      all.push_back(tree::value(int64_, name));
    for (const Result& result : results_)
      for (const char* stride : {"_outer", "_inner", "_row", "_column"})
        if (!result.is_dense || std::string_view(stride) != "_column")
          all.push_back(tree::value(int64_, joined({result.name, stride})));
    if (form_.epilogue) {
      const std::vector<Scalar>& scalars = form_.epilogue->expression.scalars;
      for (std::size_t i = 0; i < scalars.size(); ++i)
        all.push_back(
            tree::value(stored_type(scalars[i], dialect_), joined({"scalar", number(i)})));
    }
    return all;
  }
  std::string constant_int64(const char* name) const {
    return joined({"const ", int64_, " ", name});
  }
  void declare_int64(const std::string& name, const std::string& value) {
    code_.declare({"const ", int64_}, name, value);
  }

  /// Defines the matrix and the block of a group.
  void write_place() {
    if (!dialect_.has_addresses) {
      for (const char* name : {"x", "y", "z"})
        if (!form_.epilogue || *name != 'z') code_.assign(name, joined({name, "_offset"}), "+=");
      for (const Result& result : results_)
        code_.assign(result.name, joined({result.name, "_offset"}), "+=");
    }
    const std::string rows = number(rows_), columns = number(columns_);
    declare_int64("blocks_down", joined({"(m + ", number(rows_ - 1), ") / ", rows}));
    declare_int64("blocks_across", joined({"(n + ", number(columns_ - 1), ") / ", columns}));
    declare_int64("group", joined({"(", int64_, ")", dialect_.group_id}));
    declare_int64("matrix", "group / (blocks_down * blocks_across)");
    declare_int64("block", "group % (blocks_down * blocks_across)");
    declare_int64("top", joined({"block % blocks_down * ", rows}));
    declare_int64("left", joined({"block / blocks_down * ", columns}));
    code_.assign("x", "matrix / inner * x_outer + matrix % inner * x_inner + top * x_row", "+=");
    code_.assign("y", "matrix / inner * y_outer + matrix % inner * y_inner + left * y_column",
                 "+=");
    if (!form_.epilogue) code_.assign("z", "matrix * m * n + top * n + left", "+=");
    for (const Result& result : results_) {
      const auto stride = [&](const char* which) { return joined({result.name, "_", which}); };
      code_.assign(result.name,
                   joined({"matrix / inner * ", stride("outer"), " + matrix % inner * ",
                           stride("inner"), " + top * ", stride("row"), " + left",
                           result.is_dense ? std::string() : joined({" * ", stride("column")})}),
                   "+=");
    }
    code_.declare("const int", "height", {"m - top < ", rows, " ? (int)(m - top) : ", rows});
    code_.declare("const int", "width", {"n - left < ", columns, " ? (int)(n - left) : ", columns});
  }

  std::string zero() const {
    const std::byte nothing[16] = {};
    return literal_text(sum_, std::span(nothing).first(DType(sum_).size_bytes()), dialect_);
  }
  /// An element in memory as a number of the sums' dtype.
  std::string loaded(const std::string& place) const {
    return cast_text({load_text(form_.dtype, place, dialect_), form_.dtype}, sum_, dialect_);
  }
  /// sum + a * b
  std::string with_product(const std::string& sum, const std::string& a,
                           const std::string& b) const {
    if (DType(sum_).kind() == ScalarKind::floating)
      return joined({"fma(", a, ", ", b, ", ", sum, ")"});
    const OperandText factors[] = {{a, sum_}, {b, sum_}};
    const OperandText terms[] = {{sum, sum_}, {op_text(Op::multiply, factors, dialect_), sum_}};
    return op_text(Op::add, terms, dialect_);
  }
  /// Stores the sum of row i and column j of the block.
  void store(const std::string& sum) {
    const std::string product = cast_text({sum, sum_}, form_.dtype, dialect_);
    if (!form_.epilogue) {
      code_.evaluate(tree::as_written(store_text(form_.dtype, "z[i * n + j]", product, dialect_)));
      return;
    }
    code_.declare({"const ", value_type(form_.dtype, dialect_)}, "product", product);
    const Expression& expression = form_.epilogue->expression;
    const ExpressionText text = epilogue_text();
    for (std::size_t value = 0; value < expression.instructions.size(); ++value)
      text.write_value(code_, static_cast<Value>(value), [&](const Instruction& step) {
        return leaf_result(step.leaf()).place("i", "j");
      });
    for (std::size_t i = 0; i < expression.outputs.size(); ++i)
      code_.evaluate(
          tree::as_written(store_text(results_[i].dtype, results_[i].place("i", "j"),
                                      text.value_name(expression.outputs[i]), dialect_)));
  }

  // The wide schedule.

  /// A slice of x or y: `length` of i or j, and slice_depth_ of k. It is read into `next` while the
  /// slice before it is used, and then stored in one half of `tiles`; the halves alternate, so that
  /// one barrier for each slice is enough. Tiles are vectors of neighbours along i or j, so that
  /// one access loads several elements.
  struct Slice {
    std::string name;  ///< "x" or "y"
    const char *stride, *k_stride, *limit;
    unsigned length;
    bool is_along_k;
    /// The place of the work-item among the `others` work-items with rows or columns.
    const char* own;
    unsigned others = 1;  ///< their number along i or j
    /// The number of rows or columns of a work-item.
    unsigned side() const { return length / others; }
  };
  Slice x_slice() const {
    return {"x", "x_row", "x_column", "height", rows_, form_.x_along_k, "down", down_};
  }
  Slice y_slice() const {
    return {"y", "y_column", "y_row", "width", columns_, form_.y_along_k, "across", across_};
  }
  unsigned neighbours(const Slice& slice) const {
    return std::min(tiling_.product_quad, slice.side());
  }
  /// The place in a block of a work-item's row or column. A work-item's rows are vectors; each
  /// vector lies beside the vectors of the other work-items.
  std::string spread(const Slice& slice, const std::string& which) const {
    const unsigned together = neighbours(slice);
    if (slice.side() <= together) return joined({slice.own, " * ", number(together), " + ", which});
    return joined({which, " / ", number(together), " * ", number(together * slice.others), " + ",
                   slice.own, " * ", number(together), " + ", which, " % ", number(together)});
  }
  /// Vectors from one k to the next: one more than needed, to avoid conflicts of local memory's
  /// banks.
  unsigned pitch(const Slice& slice) const { return slice.length / neighbours(slice) + 1; }
  /// Bytes of local memory: two halves for each operand.
  std::uint64_t slice_bytes() const {
    std::uint64_t elements = 0;
    for (const Slice& slice : {x_slice(), y_slice()})
      elements += std::uint64_t{2} * slice_depth_ * pitch(slice) * neighbours(slice);
    return elements * DType(sum_).size_bytes();
  }
  unsigned elements_of(const Slice& slice) const { return slice_depth_ * slice.length; }
  unsigned rounds(const Slice& slice) const {
    return (elements_of(slice) + tiling_.group_size - 1) / tiling_.group_size;
  }
  /// The element t * group_size + item of a slice: its place along i or j, and along k.
  struct Element {
    std::string at, deep;                    ///< in round 0
    std::string at_of_round, deep_of_round;  ///< added in round t; empty: nothing
  };
  Element element_of(const Slice& slice) const {
    const unsigned length = slice.is_along_k ? slice_depth_ : slice.length;
    const unsigned items = tiling_.group_size;
    std::string fast = "item", slow = "0", fast_of_round, slow_of_round;
    if (items >= length) {
      fast = joined({"item % ", number(length)}), slow = joined({"item / ", number(length)});
      slow_of_round = joined({"t * ", number(items / length)});
    } else {
      const std::string turns = number(length / items);
      fast_of_round = joined({"t % ", turns, " * ", number(items)});
      slow_of_round = joined({"t / ", turns});
    }
    if (slice.is_along_k) return {slow, fast, slow_of_round, fast_of_round};
    return {fast, slow, fast_of_round, slow_of_round};
  }
  void declare_slice(const Slice& slice) {
    const std::string &name = slice.name, at = joined({name, "_at"}),
                      deep = joined({name, "_deep"});
    const Element element = element_of(slice);
    code_.declare("const int", at, element.at);
    code_.declare("const int", deep, element.deep);
    code_.declare_array(value_, joined({"next_", name}), number(rounds(slice)));
    code_.declare("int", joined({name, "_half"}), "0");
    code_.assign(name, joined({at, " * ", slice.stride, " + ", deep, " * ", slice.k_stride}), "+=");
  }
  static std::string plus(const std::string& place, const std::string& more) {
    return more.empty() ? place : joined({place, " + ", more});
  }
  /// Whether a work-item has an element of the slice.
  std::string has_element(const Slice& slice) const {
    return elements_of(slice) < tiling_.group_size
               ? joined({"item < ", number(elements_of(slice)), " && "})
               : std::string();
  }
  /// Reads a slice with `rest` more places along k; reads nothing if there are none.
  void read_slice(const Slice& slice) {
    const Element element = element_of(slice);
    const std::string& name = slice.name;
    std::string offset;
    for (const auto& [rounds, stride] : {std::pair(&element.at_of_round, slice.stride),
                                         std::pair(&element.deep_of_round, slice.k_stride)})
      if (!rounds->empty())
        offset = joined({offset, offset.empty() ? "" : " + ", *rounds, " * ", stride});
    unrolled("t", number(rounds(slice)));
    code_.assign(
        joined({"next_", name, "[t]"}),
        joined({has_element(slice), plus(joined({name, "_at"}), element.at_of_round), " < ",
                slice.limit, " && ", plus(joined({name, "_deep"}), element.deep_of_round),
                " < rest ? ", loaded(joined({name, "[", offset, "]"})), " : ", zero()}));
    code_.close();
    code_.assign(name, joined({number(slice_depth_), " * ", slice.k_stride}), "+=");
  }
  void store_slice(const Slice& slice) {
    const Element element = element_of(slice);
    const std::string &name = slice.name, together = number(neighbours(slice));
    if (!has_element(slice).empty()) code_.open_if({"item < ", number(elements_of(slice))});
    unrolled("t", number(rounds(slice)));
    code_.declare("const int", "at", plus(joined({name, "_at"}), element.at_of_round));
    code_.declare("const int", "deep", plus(joined({name, "_deep"}), element.deep_of_round));
    code_.assign(joined({name, "_tiles[", name, "_half + deep * ", number(pitch(slice)), " + at / ",
                         together, "].at[at % ", together, "]"}),
                 joined({"next_", name, "[t]"}));
    code_.close();
    if (!has_element(slice).empty()) code_.close();
  }
  /// Loads the elements of a work-item for the place `deep` along k, as vectors.
  void load_own(const Slice& slice) {
    const std::string vectors = number(slice.side() / neighbours(slice)), &name = slice.name;
    code_.declare_array(neighbours_type(DType(sum_), neighbours(slice)), joined({name, "s"}),
                        vectors);
    unrolled("q", vectors);
    code_.assign(joined({name, "s[q]"}),
                 joined({name, "_tiles[", name, "_half + deep * ", number(pitch(slice)), " + q * ",
                         number(slice.others), " + ", slice.own, "]"}));
    code_.close();
  }
  std::string own(const Slice& slice, const char* which) const {
    const std::string together = number(neighbours(slice));
    return joined({slice.name, "s[", which, " / ", together, "].at[", which, " % ", together, "]"});
  }
  void unrolled(const char* name, const std::string& end) {
    code_.directive("pragma", "unroll");
    code_.open_for("int", name, "0", end);
  }
  /// Opens the loops over the sums of a work-item.
  void open_sums() {
    unrolled("r", number(x_slice().side()));
    unrolled("c", number(y_slice().side()));
  }
  /// The number of places along k that remain, at most a slice.
  std::string rest() const {
    const std::string depth = number(slice_depth_);
    return joined({"k - from < ", depth, " ? (int)(k - from) : ", depth});
  }
  void write_wide() {
    const Slice x = x_slice(), y = y_slice();
    for (const Slice* slice : {&x, &y})
      code_.declare_local(neighbours_type(DType(sum_), neighbours(*slice)),
                          joined({slice->name, "_tiles"}),
                          number(2 * slice_depth_ * pitch(*slice)));
    code_.declare("const int", "item", {"(int)", dialect_.local_id});
    // A sub-group consists of 4 x 8 work-items, because this shape reads the fewest different
    // vectors.
    const std::string groups = number(across_ / 8);
    code_.declare("const int", "across", {"item % 8 + item / 32 % ", groups, " * 8"});
    code_.declare("const int", "down", {"item / 8 % 4 + item / 32 / ", groups, " * 4"});
    const std::string sum = joined({"sums[r * ", number(y.side()), " + c]"});
    code_.declare_array(value_, "sums", number(x.side() * y.side()));
    open_sums();
    code_.assign(sum, zero());
    code_.close();
    code_.close();
    code_.declare(int64_, "from", "0");
    code_.declare("int", "rest", rest());
    for (const Slice* slice : {&x, &y}) {
      declare_slice(*slice);
      read_slice(*slice);
    }
    code_.open_while("from < k");
    store_slice(x);
    store_slice(y);
    code_.evaluate(dialect_.barrier);
    code_.assign("from", number(slice_depth_), "+=");
    code_.assign("rest", rest());
    read_slice(x);
    read_slice(y);
    unrolled("deep", number(slice_depth_));
    load_own(x);
    load_own(y);
    open_sums();
    code_.assign(sum, with_product(sum, own(x, "r"), own(y, "c")));
    code_.close();
    code_.close();
    code_.close();
    for (const Slice* slice : {&x, &y})
      code_.assign(joined({slice->name, "_half"}),
                   joined({number(slice_depth_ * pitch(*slice)), " - ", slice->name, "_half"}));
    code_.close();
    unrolled("r", number(x.side()));
    code_.declare("const int", "i", spread(x, "r"));
    unrolled("c", number(y.side()));
    code_.declare("const int", "j", spread(y, "c"));
    code_.open_if("i < height && j < width");
    store(sum);
    code_.close();
    code_.close();
    code_.close();
  }

  // The narrow schedule.

  void write_narrow() {
    const std::string columns = number(columns_), depth = number(slice_depth_);
    code_.declare_array(value_, "sums", joined({number(rows_), " * ", columns}));
    code_.declare_array(value_, "panel", joined({depth, " * ", columns}));
    // The length of vector loops: whole vectors, of which the last may contain zeros.
    code_.declare("const int", "lanes",
                  {"(width + ", number(tiling_.vector_lanes - 1), ") / ",
                   number(tiling_.vector_lanes), " * ", number(tiling_.vector_lanes)});
    code_.open_loop("int e = 0", joined({"e < ", number(rows_), " * ", columns}), "++e");
    code_.assign("sums[e]", zero());
    code_.close();
    code_.open_loop(joined({int64_, " from = 0"}), "from < k", joined({"from += ", depth}));
    code_.declare("const int", "some", {"k - from < ", depth, " ? (int)(k - from) : ", depth});
    code_.declare("const int", "padded",
                  {"(some + ", number(tiling_.product_steps - 1), ") / ",
                   number(tiling_.product_steps), " * ", number(tiling_.product_steps)});
    write_panel(columns);
    code_.open_loop("int i = 0", "i < height", joined({"i += ", number(form_.side)}));
    write_rows(columns);
    code_.close();
    code_.close();
    code_.open_for("int", "i", "0", "height");
    code_.open_for("int", "j", "0", "width");
    store(joined({"sums[i * ", columns, " + j]"}));
    code_.close();
    code_.close();
  }
  void write_panel(const std::string& columns) {
    const auto line = [&](const char* stride) {
      code_.open_for("int", "j", "0", "width");
      code_.assign("to[j]", loaded(joined({"line[j", stride, "]"})));
      code_.close();
    };
    code_.open_for("int", "deep", "0", "padded");
    code_.declare({value_, " *"}, "to", {"panel + deep * ", columns});
    code_.open_if("deep < some");
    code_.declare({"const ", dialect_.global, stored_, " *"}, "line", "y + (from + deep) * y_row");
    code_.open_if("y_column == 1");
    line("");
    code_.close();
    code_.open_else();
    line(" * y_column");
    code_.close();
    code_.open_loop("int j = width", "j < lanes", "++j");
    code_.assign("to[j]", zero());
    code_.close();
    code_.close();
    code_.open_else();
    code_.open_for("int", "j", "0", "lanes");
    code_.assign("to[j]", zero());
    code_.close();
    code_.close();
    code_.close();
  }
  /// Computes `side` rows of the block: each step adds product_steps products to each sum.
  void write_rows(const std::string& columns) {
    code_.open_loop("int deep = 0", "deep < padded",
                    joined({"deep += ", number(tiling_.product_steps)}));
    const auto named = [](const char* stem, unsigned r, unsigned q) {
      return joined({stem, number(r), "_", number(q)});
    };
    for (unsigned q = 0; q < tiling_.product_steps; ++q) {
      code_.declare({"const ", value_, " *"}, joined({"y", number(q)}),
                    {"panel + (deep + ", number(q), ") * ", columns});
      for (unsigned r = 0; r < form_.side; ++r)
        code_.declare({"const ", value_}, named("x", r, q),
                      {"i + ", number(r), " < height && deep + ", number(q), " < some ? ",
                       loaded(joined({"x[(i + ", number(r), ") * x_row + (from + deep + ",
                                      number(q), ") * x_column]"})),
                       " : ", zero()});
    }
    for (unsigned r = 0; r < form_.side; ++r)
      code_.declare({value_, " *"}, joined({"z", number(r)}),
                    {"sums + (i + ", number(r), ") * ", columns});
    code_.open_for("int", "j", "0", "lanes");
    for (unsigned r = 0; r < form_.side; ++r) {
      const std::string sum = joined({"z", number(r), "[j]"});
      code_.declare(value_, joined({"s", number(r)}), sum);
    }
    for (unsigned q = 0; q < tiling_.product_steps; ++q)
      for (unsigned r = 0; r < form_.side; ++r) {
        const std::string sum = joined({"s", number(r)});
        code_.assign(sum, with_product(sum, named("x", r, q), joined({"y", number(q), "[j]"})));
      }
    for (unsigned r = 0; r < form_.side; ++r)
      code_.assign(joined({"z", number(r), "[j]"}), joined({"s", number(r)}));
    code_.close();
    code_.close();
  }

  const ProductForm& form_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const Scalar sum_;
  const std::string stored_, value_, int64_;
  const bool is_wide_;
  unsigned slice_depth_;
  unsigned across_ = 1, down_ = 1, rows_ = 1, columns_ = 1;
  std::vector<Result> results_;  // the epilogue's outputs, and its leaves after the first
  tree::BlockBuilder code_;
};

}  // namespace

unsigned product_side(Scalar dtype, const Tiling& tiling, std::uint64_t m, std::uint64_t n,
                      std::uint64_t groups) noexcept {
  if (tiling.schedule == Schedule::narrow) return tiling.product_side;
  const auto words = static_cast<unsigned>(DType(sum_dtype(dtype)).size_bytes() / 4);
  unsigned side = std::max(tiling.product_side / std::max(words, 1u), 2u);
  const std::uint64_t root = std::uint64_t{1} << std::bit_width(tiling.group_size) / 2;
  const auto blocks = [&](std::uint64_t extent, std::uint64_t each) {
    return (extent + root * each - 1) / (root * each);
  };
  while (side > 2 && blocks(m, side) * blocks(n, side * tiling.product_stretch) < groups) side /= 2;
  return side;
}

ProductText generate_product(const ProductForm& form, const Tiling& tiling,
                             const Dialect& dialect) {
  if (form.dtype == Scalar::structure)
    throw DTypeError("a product of records", "multiply matrices of one of their fields");
  return ProductWriter(form, tiling, dialect).write();
}

}  // namespace treadle::codegen
