// SPDX-License-Identifier: MIT
#include "treadle/codegen/sort.hpp"

#include <vector>

#include "text_writer.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

void require_order(Scalar dtype) {
  const ScalarKind kind = DType(dtype).kind();
  if (kind == ScalarKind::complex || kind == ScalarKind::structure)
    throw DTypeError("elements of dtype '" + DType(dtype).name() + "' have no order to sort by",
                     "sort real numbers, and carry an array of indices along");
}

/// Writes one kernel.
class SortWriter {
 public:
  SortWriter(const SortForm& form, const Tiling& tiling, const Dialect& dialect)
      : form_(form),
        tiling_(tiling),
        dialect_(dialect),
        type_(stored_type(form.dtype, dialect)),
        carried_type_(form.carried ? stored_type(*form.carried, dialect) : ""),
        int64_(stored_type(Scalar::int64, dialect)),
        uint_(stored_type(Scalar::uint32, dialect)),
        length_(number(sort_tile_length(tiling))) {}

  SortText write() {
    const std::string name = joined({form_.step == SortStep::tile ? "sort_tile_" : "sort_pass_",
                                     DType(form_.dtype).name(), form_.carried ? "_" : "",
                                     form_.carried ? DType(*form_.carried).name() : ""});
    text_.line(
        {dialect_.kernel, " ", fill_holes(dialect_.group_size, {{group_size()}}), " ", name, "("});
    text_.open_parameters(parameters());
    if (!dialect_.has_addresses) {
      text_.line("x += x_offset;");
      if (form_.carried) text_.line("y += y_offset;");
    }
    if (form_.step == SortStep::pass)
      write_pass();
    else if (is_wide())
      write_wide_tile();
    else
      write_narrow_tile();
    text_.close();
    const std::string body = expand_words(text_.text(), dialect_);
    return {
        name,
        joined({comment(name), dialect_.exact_preamble, device_functions(body, dialect_), body}),
        tiling_.group_size, sort_tile_length(tiling_)};
  }

 private:
  bool is_wide() const { return tiling_.schedule == Schedule::wide; }
  std::string group_size() const { return number(tiling_.group_size); }
  std::string comment(const std::string& name) const {
    return joined({"// ", name, ", made by treadle's sort generator: ",
                   form_.step == SortStep::tile ? "stages within tiles of "
                                                : "one pass over pairs, tiles of ",
                   length_, ", ", schedule_name(tiling_.schedule), " schedule\n"});
  }
  std::vector<std::string> parameters() const {
    std::vector<std::string> all{joined({dialect_.global, type_, " *", dialect_.restrict, " x"})};
    if (!dialect_.has_addresses) all.push_back(joined({int64_, " x_offset"}));
    if (form_.carried) {
      all.push_back(joined({dialect_.global, carried_type_, " *", dialect_.restrict, " y"}));
      if (!dialect_.has_addresses) all.push_back(joined({int64_, " y_offset"}));
    }
    for (const char* name : {"total", "length", "inner", "first", "last"})
      all.push_back(joined({int64_, " ", name}));
    return all;
  }

  /// The place in memory of the element with this number.
  std::string place(const std::string& element) const {
    if (form_.is_dense) return element;
    return joined({"(", element, " / length / inner * length + ", element, " % length) * inner + ",
                   element, " / length % inner"});
  }
  /// Whether `a` belongs in front of `b`: variables that hold elements as memory does.
  std::string before(const std::string& a, const std::string& b) const {
    if (DType(form_.dtype).kind() != ScalarKind::floating) return joined({a, " < ", b});
    const std::string x = load_text(form_.dtype, a, dialect_);
    const std::string y = load_text(form_.dtype, b, dialect_);
    return joined({x, " < ", y, " || (", y, " != ", y, " && ", x, " == ", x, ")"});
  }

  /// Where two elements are: at `low` and `high` of `x`, and what they carry of `y`.
  struct Places {
    std::string x, y, low, high;
  };
  /// Exchanges them in this stage if they are in the wrong order; the variable `low` has the number
  /// of the first.
  void write_exchange(const Places& at, const std::string& stage) {
    const std::string x_low = joined({at.x, "[", at.low, "]"});
    const std::string x_high = joined({at.x, "[", at.high, "]"});
    text_.line({"const ", type_, " a = ", x_low, ", b = ", x_high, ";"});
    text_.open({"if ((low & (length - 1) & ", stage, ") == 0 ? ", before("b", "a"), " : ",
                before("a", "b"), ")"});
    text_.line({x_low, " = b;"});
    text_.line({x_high, " = a;"});
    if (form_.carried) {
      const std::string y_low = joined({at.y, "[", at.low, "]"});
      const std::string y_high = joined({at.y, "[", at.high, "]"});
      text_.line({"const ", carried_type_, " c = ", y_low, ";"});
      text_.line({y_low, " = ", y_high, ";"});
      text_.line({y_high, " = c;"});
    }
    text_.close();
  }
  /// The same of pair `pair`, in memory.
  void write_exchange_of_pair(const std::string& stage, const std::string& distance) {
    text_.line({"const ", int64_, " low = 2 * pair - (pair & (", distance, " - 1));"});
    text_.line({"const ", int64_, " high = low + ", distance, ";"});
    if (!form_.is_dense) {
      text_.line({"const ", int64_, " low_place = ", place("low"), ";"});
      text_.line({"const ", int64_, " high_place = ", place("high"), ";"});
    }
    write_exchange(
        {"x", "y", form_.is_dense ? "low" : "low_place", form_.is_dense ? "high" : "high_place"},
        stage);
  }

  void write_pass() {
    const std::string half = number(sort_tile_length(tiling_) / 2);
    if (is_wide()) {
      text_.line({"const ", int64_, " pair = (", int64_, ")", dialect_.group_id, " * ", half, " + ",
                  dialect_.local_id, ";"});
      text_.line("if (pair >= total / 2) return;");
      return write_exchange_of_pair("first", "last");
    }
    text_.line({"const ", int64_, " start = (", int64_, ")", dialect_.group_id, " * ", half, ";"});
    text_.line({"const ", int64_, " end = total / 2 - start < ", half, " ? total / 2 : start + ",
                half, ";"});
    text_.open({"for (", int64_, " pair = start; pair < end; ++pair)"});
    write_exchange_of_pair("first", "last");
    text_.close();
  }

  void open_stages() {
    text_.open({"for (", int64_, " stage = first; stage <= last; stage *= 2)"});
    text_.open({"for (", uint_, " distance = stage <= ", length_, " ? (", uint_, ")stage / 2 : ",
                number(sort_tile_length(tiling_) / 2), "; distance > 0; distance /= 2)"});
  }
  void close_stages() {
    text_.close();
    text_.close();
  }
  void write_narrow_tile() {
    const std::string half = number(sort_tile_length(tiling_) / 2);
    text_.line({"const ", int64_, " start = (", int64_, ")", dialect_.group_id, " * ", half, ";"});
    text_.line({"const ", int64_, " end = total / 2 - start < ", half, " ? total / 2 : start + ",
                half, ";"});
    open_stages();
    text_.open({"for (", int64_, " pair = start; pair < end; ++pair)"});
    write_exchange_of_pair("stage", "distance");
    text_.close();
    close_stages();
  }

  /// Between memory and the tile: two elements of each work-item.
  void write_copy(bool is_load) {
    for (const std::string& half : {std::string(), joined({" + ", group_size()})}) {
      text_.open({"if (start + item", half, " < total)"});
      text_.line({"const ", int64_, " element = start + item", half, ";"});
      text_.line({"const ", int64_, " place = ", place("element"), ";"});
      const auto copy = [&](const char* memory, const char* tile) {
        const std::string there = joined({memory, "[place]"});
        const std::string here = joined({tile, "[item", half, "]"});
        text_.line({is_load ? here : there, " = ", is_load ? there : here, ";"});
      };
      copy("x", "x_tile");
      if (form_.carried) copy("y", "y_tile");
      text_.close();
    }
  }
  void write_wide_tile() {
    text_.line({dialect_.local, " ", type_, " x_tile[", length_, "];"});
    if (form_.carried) text_.line({dialect_.local, " ", carried_type_, " y_tile[", length_, "];"});
    text_.line(
        {"const ", int64_, " start = (", int64_, ")", dialect_.group_id, " * ", length_, ";"});
    text_.line({"const ", uint_, " item = ", dialect_.local_id, ";"});
    write_copy(true);
    text_.line({dialect_.barrier, ";"});
    open_stages();
    text_.line({"const ", uint_, " here = 2 * item - (item & (distance - 1));"});
    text_.line({"const ", int64_, " low = start + here;"});
    text_.open("if (low + distance < total)");
    write_exchange({"x_tile", "y_tile", "here", "here + distance"}, "stage");
    text_.close();
    text_.line({dialect_.barrier, ";"});
    close_stages();
    write_copy(false);
  }

  const SortForm& form_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  std::string type_, carried_type_, int64_, uint_, length_;
  TextWriter text_;
};

}  // namespace

std::uint64_t sort_tile_length(const Tiling& tiling) noexcept {
  return tiling.schedule == Schedule::wide ? 2 * tiling.group_size : tiling.sort_tile;
}

SortText generate_sort(const SortForm& form, const Tiling& tiling, const Dialect& dialect) {
  require_order(form.dtype);
  return SortWriter(form, tiling, dialect).write();
}

}  // namespace treadle::codegen
