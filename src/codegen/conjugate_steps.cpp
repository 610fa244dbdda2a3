// SPDX-License-Identifier: MIT
#include "treadle/codegen/conjugate_steps.hpp"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "block.hpp"
#include "dealing.hpp"
#include "family_code.hpp"
#include "sparse_row_text.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

constexpr const char* state_names[] = {"rz", "norm", "steps", "end", "wanted"};

std::string code_of(ConjugateEnd end) { return number(static_cast<std::uint64_t>(end)); }

class ConjugateWriter {
 public:
  ConjugateWriter(const ConjugateForm& form, const Tiling& tiling, unsigned group_size,
                  const Dialect& dialect)
      : form_(form),
        tiling_(tiling),
        is_wide_(tiling.schedule == Schedule::wide),
        group_size_(group_size),
        name_("conjugate_gradients_" + DType(form.matrix.dtype).name()),
        out_(name_, "generator of conjugate gradients", tiling.schedule, group_size, dialect),
        element_(out_.types.name_of(form.matrix.dtype)) {
    if (form.matrix.dtype != Scalar::float32 && form.matrix.dtype != Scalar::float64)
      throw DTypeError("conjugate gradients of " + DType(form.matrix.dtype).name() + " in a kernel",
                       "cast to float32 or float64");
  }

  FamilyText write() {
    tree::BlockBuilder row;
    write_sparse_row(row, form_.matrix, out_.dialect);
    code_.lines(device_functions(as_users_statements(row.take(), out_.dialect), out_.dialect));
    if (form_.parts == ConjugateParts::three_kernels) {
      write_product_kernel();
      write_update_kernel();
      write_direction_kernel();
    } else {
      write_whole_kernel();
    }
    return out_.take();
  }

 private:
  using Names = std::vector<std::string>;

  bool has_meeting() const { return form_.parts == ConjugateParts::several_groups; }
  bool keeps_rows() const { return form_.rows_each != 0; }
  std::string first_item() const { return joined({out_.dialect.local_id, " == 0"}); }
  std::string first_of_all() const {
    return joined({out_.dialect.group_id, " == 0 && ", first_item()});
  }
  Names sums_of_update() const {
    return form_.has_factor ? Names{"next", "square"} : Names{"square"};
  }

  void open(const std::string& name) {
    const std::string vector = element_ + " *", x = keeps_rows() ? "direction, " : "x, ";
    out_.open_kernel(
        name, joined({sparse_parameters(form_.matrix, out_.dialect), vector, x, vector, "q, ",
                      vector, "r, ", vector, "solution, ",
                      form_.has_factor ? "const " + vector + "factor, " : std::string(),
                      "double *state, double *partials, uint *meeting, ", sparse_numbers,
                      ", long interval, long turns"}));
    declare_integer("begin", {"(", out_.integer, ")", out_.dialect.group_id, " * interval"});
    declare_integer("behind", "row_count - begin < interval ? row_count : begin + interval");
  }
  void declare_integer(std::string_view name, tree::Part value) {
    code_.declare({"const ", out_.integer}, name, std::move(value));
  }
  /// From the state, or from what the update has kept of it.
  void read_state(bool is_kept = false) {
    for (std::size_t k = 0; k < std::size(state_names); ++k)
      code_.declare("double", state_names[k],
                    joined({"state[", number(k + (is_kept ? std::size(state_names) : 0)), "]"}));
  }
  void write_state() {
    for (std::size_t k = 0; k < std::size(state_names); ++k)
      code_.assign(joined({"state[", number(k), "]"}), state_names[k]);
  }
  std::string is_running() const { return joined({"end == ", code_of(ConjugateEnd::running)}); }

  // Sums over all work-items.

  BlockReduce tree_of(const Names& names) const {
    std::vector<BlockField> fields;
    for (const std::string& name : names) fields.push_back({name, "double"});
    return {.fields = std::move(fields),
            .combine =
                [names](tree::BlockBuilder& code, const BlockReduce::Other& other) {
                  for (const std::string& name : names) code.assign(name, other(name), "+=");
                },
            .group_size = group_size_,
            .depth = group_size_,
            .lanes_are_adjacent = true,
            .parts_in_order = tiling_.parts_in_order,
            .dialect = out_.dialect};
  }
  /// In the kernel's outermost block: the memory, and the sums themselves.
  void declare_sums(const Names& names) {
    for (const std::string& name : names) code_.declare("double", name, "0");
    if (is_wide_) tree_of(names).declare(code_);
  }
  void fold_group(const Names& names) {
    if (is_wide_) tree_of(names).write(code_, out_.dialect.local_id);
  }
  /// A number that the first work-item decides, and others use.
  struct Told {
    std::string_view type, name;
  };
  std::vector<Told> told_of_length() const { return {{"int", "goes"}, {element_, "alpha"}}; }
  std::vector<Told> told_of_judge() const { return {{"double", "end"}, {element_, "beta"}}; }
  void declare_told(const std::vector<Told>& all) {
    for (const Told& one : all) {
      if (one.name != "end") code_.declare(one.type, one.name, "0");  // which is of the state
      if (is_wide_) code_.declare_local(one.type, {one.name, "_of_all"});
    }
  }
  /// The first work-item of a group decides and tells the others: divisions of float64 by all of
  /// them would take longer.
  void decide(const std::vector<Told>& all, const std::function<void()>& statements) {
    if (!is_wide_) return statements();
    code_.open_if(first_item());
    statements();
    for (const Told& one : all) code_.assign({one.name, "_of_all"}, one.name);
    code_.close();
    code_.evaluate(out_.dialect.barrier);
    for (const Told& one : all) code_.assign(one.name, {one.name, "_of_all"});
  }
  /// The place of a group's part of a sum.
  static std::string place_of(const std::string& name) {
    return name == "curvature" ? "0" : name == "next" ? "1" : "2";
  }
  std::string partial(const std::string& name, const std::string& group) const {
    return joined(
        {"partials[", place_of(name), " * ", out_.dialect.group_count, " + ", group, "]"});
  }
  void hand_over(const Names& names) {
    fold_group(names);
    code_.open_if(first_item());
    for (const std::string& name : names) code_.assign(partial(name, out_.dialect.group_id), name);
    code_.close();
  }
  void take_over(const Names& names) {
    for (const std::string& name : names) code_.assign(name, "0");
    code_.open_for(out_.uint, "group", out_.dialect.local_id, out_.dialect.group_count, out_.size);
    for (const std::string& name : names) code_.assign(name, partial(name, "group"), "+=");
    code_.close();
    fold_group(names);
  }
  /// In the kernel of all phases.
  void sum_up(const Names& names) {
    if (has_meeting()) {
      hand_over(names);
      meet();
      take_over(names);
    } else {
      fold_group(names);
    }
  }
  /// All groups wait for each other: each adds one, and the sum of all turns is known.
  void meet() {
    if (!is_wide_) return;  // a group of one work-item, which is alone
    code_.evaluate(out_.dialect.barrier);
    if (!has_meeting()) return;
    code_.open_if(first_item());
    code_.evaluate(out_.dialect.fence);
    code_.assign("goal", out_.dialect.group_count, "+=");
    code_.evaluate(added_atomically("meeting", "1u", out_.dialect));
    code_.open_while(
        {fill_holes(out_.dialect.load_uint, std::array{std::string("meeting")}), " < goal"});
    code_.close();
    code_.evaluate(out_.dialect.fence);
    code_.close();
    code_.evaluate(out_.dialect.barrier);
  }

  // Passes over the rows of the interval.

  /// The place of the row's element of a vector: in memory, or in what the work-item keeps.
  std::string at(const std::string& vector) const {
    return vector + (keeps_rows() ? "_own[k]" : "[row]");
  }
  /// Opens a loop over the rows that a work-item keeps, of which some are behind the end.
  void open_own_rows() {
    code_.directive("pragma", "unroll");
    code_.open_for("int", "k", "0", number(form_.rows_each));
  }
  void declare_own_row() {
    if (keeps_rows()) declare_integer("row", joined({out_.dialect.local_id, " + k * ", out_.size}));
  }

  using Body = std::function<void(const std::function<std::string(const std::string&)>& sum)>;
  /// Calls `body` for the statements of the row `row`, which add to sum(name). A processor takes
  /// many rows in one loop, which needs as many sums.
  void each_row(const Names& sums, bool is_vector_loop, const Body& body) {
    const auto own = [](const std::string& name) { return name; };
    const auto of_lane = [](const std::string& name) { return name + "_lanes[lane]"; };
    if (keeps_rows()) {
      open_own_rows();
      body(own);
      return code_.close();
    }
    if (is_wide_ || !is_vector_loop) {
      code_.open_for(out_.integer, "row", joined({"begin + ", out_.dialect.local_id}), "behind",
                     out_.size);
      body(own);
      return code_.close();
    }
    const std::string count = number(tiling_.conjugate_lanes);
    for (const std::string& name : sums) code_.declare_array("double", name + "_lanes", count);
    const auto open_lanes = [&] {
      write_vector_loop(code_);
      code_.open_for(out_.uint, "lane", "0", count);
    };
    if (!sums.empty()) {
      open_lanes();
      for (const std::string& name : sums) code_.assign(of_lane(name), "0");
      code_.close();
    }
    code_.declare(out_.integer, "at", "begin");
    code_.open_loop(tree::Part(""), {"at + ", count, " <= behind"}, {"at += ", count});
    open_lanes();
    declare_integer("row", "at + lane");
    body(of_lane);
    code_.close();
    code_.close();
    code_.open_for(out_.integer, "row", "at", "behind");
    body(own);
    code_.close();
    if (sums.empty()) return;
    code_.open_for(out_.uint, "lane", "0", count);
    for (const std::string& name : sums) code_.assign(name, of_lane(name), "+=");
    code_.close();
  }
  void multiply() {
    each_row({"curvature"}, false, [&](const auto& sum) {
      declare_own_row();
      if (keeps_rows()) code_.open_if("row < behind");
      write_sparse_row(code_, form_.matrix, out_.dialect, ends_of_row());
      code_.assign(at("q"), "sum");
      code_.assign(sum("curvature"), "(double)x[row] * sum", "+=");
      if (keeps_rows()) code_.close();
    });
  }
  void find_length() {
    decide(told_of_length(), [&] {
      code_.assign("goes", "curvature > 0");
      code_.assign("alpha", {"(", element_, ")(rz / curvature)"});
    });
  }
  /// A direction in which A is not positive definite is not taken: sums stay what they are.
  void update() {
    const Names sums = sums_of_update();
    code_.open_if("goes");
    each_row(sums, true, [&](const auto& sum) {
      code_.declare({"const ", element_}, "rest", {at("r"), " - alpha * ", at("q")});
      code_.assign(at("r"), "rest");
      code_.assign(sum("square"), "(double)rest * rest", "+=");
      if (form_.has_factor)
        code_.assign(sum("next"), {"(double)(", at("factor"), " * rest) * rest"}, "+=");
    });
    code_.close();
    code_.open_else();
    code_.open_if(first_of_all());
    code_.assign("square", "norm * norm");
    if (form_.has_factor) code_.assign("next", "rz");
    code_.close();
    code_.close();
  }
  /// Counts the step, and decides whether it was the last.
  void judge() {
    if (!form_.has_factor) code_.declare("const double", "next", "square");
    code_.assign("norm", "sqrt(square)");
    code_.assign("steps", "1", "+=");
    code_.declare("const int", "is_finite", "curvature - curvature == 0 && norm - norm == 0");
    code_.open_if("!is_finite");
    code_.assign("end", code_of(ConjugateEnd::not_a_number));
    code_.close();
    code_.open_else();
    code_.open_if({"!(goes && norm > wanted", form_.has_factor ? " && next > 0" : "", ")"});
    code_.assign("end", joined({"goes && norm <= wanted ? ", code_of(ConjugateEnd::converged),
                                " : ", code_of(ConjugateEnd::not_definite)}));
    code_.close();
    code_.close();
    code_.assign("beta", {"(", element_, ")(next / rz)"});
    code_.assign("rz", "next");
  }
  void turn() {
    decide(told_of_judge(), [&] { judge(); });
    code_.open_if("goes");
    each_row({}, true, [&](const auto&) {
      declare_own_row();
      code_.declare({"const ", element_}, "way", "x[row]");
      code_.assign(at("solution"), "alpha * way", "+=");
      code_.assign("x[row]",
                   {form_.has_factor ? at("factor") + " * " : "", at("r"), " + beta * way"});
    });
    code_.close();
  }

  // Rows of a group that keeps them: the direction in local memory, all else in registers.

  Names kept_vectors() const {
    return form_.has_factor ? Names{"r", "solution", "factor"} : Names{"r", "solution"};
  }
  bool has_starts() const { return form_.matrix.layout == SparseLayout::rows; }
  RowEnds ends_of_row() const {
    if (!keeps_rows() || !has_starts()) return {};
    return {"begin_own[k]", "behind_own[k]", tiling_.conjugate_entries};
  }
  void load_rows() {
    code_.declare_local(element_, "x", number(form_.rows_each * group_size_));
    for (const std::string& name : kept_vectors())
      code_.declare_array(element_, name + "_own", number(form_.rows_each));
    code_.declare_array(element_, "q_own", number(form_.rows_each));
    if (has_starts())
      for (const char* name : {"begin_own", "behind_own"})
        code_.declare_array(out_.integer, name, number(form_.rows_each));
    open_own_rows();
    declare_own_row();
    code_.declare("const int", "is_there", "row < behind");
    const auto load = [&](const std::string& to, const std::string& from) {
      code_.assign(to, {"is_there ? ", from, " : 0"});
    };
    for (const std::string& name : kept_vectors()) load(at(name), name + "[row]");
    code_.assign("q_own[k]", "0");
    load("x[row]", "direction[row]");
    if (has_starts()) {
      load("begin_own[k]", "starts[row]");
      load("behind_own[k]", "starts[row + 1]");
    }
    code_.close();
    code_.evaluate(out_.dialect.barrier);
  }
  void store_rows() {
    open_own_rows();
    declare_own_row();
    code_.open_if("row < behind");
    for (const char* name : {"r", "solution"}) code_.assign(joined({name, "[row]"}), at(name));
    code_.assign("direction[row]", "x[row]");
    code_.close();
    code_.close();
  }

  // Kernels.

  void write_whole_kernel() {
    open(name_);
    declare_sums({"curvature"});
    declare_sums(sums_of_update());
    declare_told(told_of_length());
    declare_told(told_of_judge());
    if (has_meeting()) code_.declare(out_.uint, "goal", "0");
    read_state();
    if (keeps_rows()) load_rows();
    code_.open_loop(tree::initialize(tree::value(out_.integer, "step_number"), "0"),
                    joined({"step_number < turns && ", is_running()}), "++step_number");
    code_.assign("curvature", "0");
    multiply();
    sum_up({"curvature"});
    find_length();
    for (const std::string& name : sums_of_update()) code_.assign(name, "0");
    update();
    sum_up(sums_of_update());
    turn();
    meet();
    code_.close();
    if (keeps_rows()) store_rows();
    code_.open_if(first_of_all());
    write_state();
    code_.close();
    code_.close();
  }
  void write_product_kernel() {
    open(name_ + "_product");
    declare_sums({"curvature"});
    code_.open_if({"state[3] == ", code_of(ConjugateEnd::running)});
    multiply();
    hand_over({"curvature"});
    code_.close();
    code_.close();
  }
  void write_update_kernel() {
    open(name_ + "_update");
    declare_sums({"curvature"});
    declare_sums(sums_of_update());
    declare_told(told_of_length());
    read_state();
    // The kernel behind this one reads what it changes from a second place.
    code_.open_if(first_of_all());
    for (std::size_t k = 0; k < std::size(state_names); ++k)
      code_.assign(joined({"state[", number(k + std::size(state_names)), "]"}), state_names[k]);
    code_.close();
    code_.open_if(is_running());
    take_over({"curvature"});
    find_length();
    update();
    hand_over(sums_of_update());
    code_.close();
    code_.close();
  }
  void write_direction_kernel() {
    open(name_ + "_direction");
    Names all = sums_of_update();
    all.insert(all.begin(), "curvature");
    declare_sums(all);
    declare_told(told_of_length());
    declare_told(told_of_judge());
    read_state(true);
    code_.open_if(is_running());
    take_over(all);
    find_length();
    turn();
    code_.open_if(first_of_all());
    write_state();
    code_.close();
    code_.close();
    code_.close();
  }

  const ConjugateForm& form_;
  const Tiling& tiling_;
  bool is_wide_;
  unsigned group_size_;
  std::string name_;
  FamilyCode out_;
  tree::BlockBuilder& code_ = out_.code;
  std::string element_;
};

}  // namespace

FamilyText generate_conjugate_steps(const ConjugateForm& form, const Tiling& tiling,
                                    unsigned group_size, const Dialect& dialect) {
  return ConjugateWriter(form, tiling, group_size, dialect).write();
}

}  // namespace treadle::codegen
