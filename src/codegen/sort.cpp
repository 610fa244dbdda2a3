// SPDX-License-Identifier: MIT
#include "treadle/codegen/sort.hpp"

#include <vector>

#include "program.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

void require_order(Scalar dtype) {
  const ScalarKind kind = DType(dtype).kind();
  if (kind == ScalarKind::complex || kind == ScalarKind::structure)
    throw DTypeError("elements of dtype '" + DType(dtype).name() + "' have no order to sort by",
                     "sort real numbers, and carry an array of indices along");
}

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
    code_.open_kernel(name, parameters(), tiling_.group_size);
    if (!dialect_.has_addresses) {
      code_.assign("x", "x_offset", "+=");
      if (form_.carried) code_.assign("y", "y_offset", "+=");
    }
    if (form_.step == SortStep::pass)
      write_pass();
    else if (is_wide())
      write_wide_tile();
    else
      write_narrow_tile();
    code_.close();
    tree::BlockBuilder program;
    program.comment(comment(name));
    write_exact(program, code_.take(), dialect_);
    tree::NodePtr whole = program.take();
    std::string text = printed(whole, dialect_);
    return {name, std::move(text), tiling_.group_size, sort_tile_length(tiling_), std::move(whole)};
  }

 private:
  bool is_wide() const { return tiling_.schedule == Schedule::wide; }
  std::string group_size() const { return number(tiling_.group_size); }
  std::string comment(const std::string& name) const {
    return joined({name, ", made by treadle's sort generator: ",
                   form_.step == SortStep::tile ? "stages within tiles of "
                                                : "one pass over pairs, tiles of ",
                   length_, ", ", schedule_name(tiling_.schedule), " schedule"});
  }
  tree::Parts parameters() const {
    tree::Parts all;
    const auto add = [&](const std::string& type, const std::string& name) {
      all.push_back(pointer_parameter(type, name, {.is_apart = true}));
      if (!dialect_.has_addresses) all.push_back(tree::value(int64_, name + "_offset"));
    };
    add(type_, "x");
    if (form_.carried) add(carried_type_, "y");
    for (const char* name : {"total", "length", "inner", "first", "last"})
      all.push_back(tree::value(int64_, name));
    return all;
  }

  /// The element with this number, as an lvalue.
  std::string place(const std::string& element) const {
    if (form_.is_dense) return element;
    return joined({"(", element, " / length / inner * length + ", element, " % length) * inner + ",
                   element, " / length % inner"});
  }
  /// Whether `a` must come before `b`; both are variables with the type in memory.
  std::string before(const std::string& a, const std::string& b) const {
    if (DType(form_.dtype).kind() != ScalarKind::floating) return joined({a, " < ", b});
    const std::string x = load_text(form_.dtype, a, dialect_);
    const std::string y = load_text(form_.dtype, b, dialect_);
    return joined({x, " < ", y, " || (", y, " != ", y, " && ", x, " == ", x, ")"});
  }

  /// The places of two elements: `low` and `high` in `x`, and those of the carried elements in `y`.
  struct Places {
    std::string x, y, low, high;
  };
  /// Exchanges two elements of a stage if they are in the wrong order; the variable `low` is the
  /// number of the first element.
  void write_exchange(const Places& at, const std::string& stage) {
    const std::string x_low = joined({at.x, "[", at.low, "]"});
    const std::string x_high = joined({at.x, "[", at.high, "]"});
    code_.declare({"const ", type_}, "a", x_low);
    code_.declare({"const ", type_}, "b", x_high);
    code_.open_if(
        {"(low & (length - 1) & ", stage, ") == 0 ? ", before("b", "a"), " : ", before("a", "b")});
    code_.assign(x_low, "b");
    code_.assign(x_high, "a");
    if (form_.carried) {
      const std::string y_low = joined({at.y, "[", at.low, "]"});
      const std::string y_high = joined({at.y, "[", at.high, "]"});
      code_.declare({"const ", carried_type_}, "c", y_low);
      code_.assign(y_low, y_high);
      code_.assign(y_high, "c");
    }
    code_.close();
  }
  /// Exchanges the elements of pair `pair` in memory.
  void write_exchange_of_pair(const std::string& stage, const std::string& distance) {
    code_.declare({"const ", int64_}, "low", {"2 * pair - (pair & (", distance, " - 1))"});
    code_.declare({"const ", int64_}, "high", {"low + ", distance});
    if (!form_.is_dense) {
      code_.declare({"const ", int64_}, "low_place", place("low"));
      code_.declare({"const ", int64_}, "high_place", place("high"));
    }
    write_exchange(
        {"x", "y", form_.is_dense ? "low" : "low_place", form_.is_dense ? "high" : "high_place"},
        stage);
  }

  void write_pass() {
    const std::string half = number(sort_tile_length(tiling_) / 2);
    if (is_wide()) {
      code_.declare({"const ", int64_}, "pair",
                    {"(", int64_, ")", dialect_.group_id, " * ", half, " + ", dialect_.local_id});
      code_.when("pair >= total / 2", tree::return_());
      return write_exchange_of_pair("first", "last");
    }
    code_.declare({"const ", int64_}, "start", {"(", int64_, ")", dialect_.group_id, " * ", half});
    code_.declare({"const ", int64_}, "end",
                  {"total / 2 - start < ", half, " ? total / 2 : start + ", half});
    code_.open_for(int64_, "pair", "start", "end");
    write_exchange_of_pair("first", "last");
    code_.close();
  }

  void open_stages() {
    code_.open_loop(tree::initialize(tree::value(int64_, "stage"), "first"), "stage <= last",
                    "stage *= 2");
    code_.open_loop(tree::initialize(tree::value(uint_, "distance"),
                                     {"stage <= ", length_, " ? (", uint_,
                                      ")stage / 2 : ", number(sort_tile_length(tiling_) / 2)}),
                    "distance > 0", "distance /= 2");
  }
  void close_stages() {
    code_.close();
    code_.close();
  }
  void write_narrow_tile() {
    const std::string half = number(sort_tile_length(tiling_) / 2);
    code_.declare({"const ", int64_}, "start", {"(", int64_, ")", dialect_.group_id, " * ", half});
    code_.declare({"const ", int64_}, "end",
                  {"total / 2 - start < ", half, " ? total / 2 : start + ", half});
    open_stages();
    code_.open_for(int64_, "pair", "start", "end");
    write_exchange_of_pair("stage", "distance");
    code_.close();
    close_stages();
  }

  /// Copies the tile from or to memory; each work-item copies two elements.
  void write_copy(bool is_load) {
    for (const std::string& half : {std::string(), joined({" + ", group_size()})}) {
      code_.open_if({"start + item", half, " < total"});
      code_.declare({"const ", int64_}, "element", {"start + item", half});
      code_.declare({"const ", int64_}, "place", place("element"));
      const auto copy = [&](const char* memory, const char* tile) {
        const std::string there = joined({memory, "[place]"});
        const std::string here = joined({tile, "[item", half, "]"});
        code_.assign(is_load ? here : there, is_load ? there : here);
      };
      copy("x", "x_tile");
      if (form_.carried) copy("y", "y_tile");
      code_.close();
    }
  }
  void write_wide_tile() {
    code_.declare_local(type_, "x_tile", length_);
    if (form_.carried) code_.declare_local(carried_type_, "y_tile", length_);
    code_.declare({"const ", int64_}, "start",
                  {"(", int64_, ")", dialect_.group_id, " * ", length_});
    code_.declare({"const ", uint_}, "item", dialect_.local_id);
    write_copy(true);
    code_.evaluate(dialect_.barrier);
    open_stages();
    code_.declare({"const ", uint_}, "here", "2 * item - (item & (distance - 1))");
    code_.declare({"const ", int64_}, "low", "start + here");
    code_.open_if("low + distance < total");
    write_exchange({"x_tile", "y_tile", "here", "here + distance"}, "stage");
    code_.close();
    code_.evaluate(dialect_.barrier);
    close_stages();
    write_copy(false);
  }

  const SortForm& form_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  std::string type_, carried_type_, int64_, uint_, length_;
  tree::BlockBuilder code_;
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
