// SPDX-License-Identifier: MIT
#include "treadle/codegen/scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "block.hpp"
#include "interval_text.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// Writes the kernels of one scan.
class ScanWriter {
 public:
  ScanWriter(const ScanSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
             const TypeNames& types)
      : snippet_(snippet),
        tiling_(tiling),
        dialect_(dialect),
        types_(types),
        is_wide_(tiling.schedule == Schedule::wide),
        is_segmented_(!snippet.segment_start.empty()),
        has_previous_(mentions(snippet.output, "prev_item")),
        has_last_(mentions(snippet.output, "last_item")),
        integer_(types.name_of(Scalar::int64)),
        uint_(types.name_of(Scalar::uint32)) {
    if (!is_wide_) return;
    const std::size_t size = std::max<std::size_t>(1, snippet.dtype.size_bytes());
    own_items_ = static_cast<unsigned>(
        std::clamp<std::size_t>(tiling.scan_bytes / size, 1, tiling.scan_items));
    group_size_ = static_cast<unsigned>(std::bit_floor(
        std::clamp<std::size_t>(tiling.scan_bytes / size / own_items_, 1, tiling.group_size)));
    tile_ = group_size_ * own_items_;
  }

  ScanText write() {
    require_valid();
    code_.comment({snippet_.name, ", made by treadle's scan generator around a user's text: ",
                   is_segmented_ ? "segmented, " : "", schedule_name(schedule()), " schedule"});
    code_.directive("define",
                    {"treadle_scan(a, b, across_seg_boundary) (", in_one_line(snippet_.scan), ")"});
    code_.lines(snippet_.preamble);
    code_.define_type(types_.name_of(snippet_.dtype), "treadle_item");
    code_.define_type(types_.name_of(snippet_.index_dtype), "treadle_index");
    ScanText made{.text = {},
                  .intervals = snippet_.name + "_intervals",
                  .totals = is_wide_ ? snippet_.name + "_totals" : "",
                  .outputs = snippet_.name + "_outputs",
                  .group_size = group_size_,
                  .items = own_items_,
                  .tile = is_wide_ ? tile_ : tiling_.interval_length,
                  .is_segmented = is_segmented_,
                  .keeps_starts = keeps_starts()};
    code_.blank();
    write_intervals(made.intervals);
    code_.blank();
    if (is_wide_) {
      write_totals(made.totals);
      code_.blank();
    }
    write_outputs(made.outputs);
    made.program = code_.take();
    made.text = printed(made.program, dialect_);
    return made;
  }

 private:
  /// What a group scans: how an element is loaded and where its sum is stored.
  struct Source {
    /// Writes statements that leave the element `treadle_at` in treadle_value, and of a segmented
    /// scan whether it has a start in treadle_flag.
    std::function<void()> load;
    std::string stored;  ///< where the sum of the elements up to `treadle_at` goes
    bool keeps_starts;   ///< whether flags are stored, too
  };

  Schedule schedule() const { return is_wide_ ? Schedule::wide : Schedule::narrow; }
  bool keeps_starts() const { return is_segmented_ && has_previous_; }
  /// The combination of two items; `across` counts in a segmented scan.
  std::string combined(std::string_view a, std::string_view b, std::string_view across) const {
    // In parentheses: users' texts stand where the macro's parameter does, as in `!across_...`.
    return joined(
        {"treadle_scan(", a, ", ", b, ", ", is_segmented_ ? joined({"(", across, ")"}) : "0", ")"});
  }

  void require_valid() const {
    const std::string who = "scan " + snippet_.name;
    require_index_dtype(snippet_.index_dtype, who);
    refuse_own_names(
        snippet_.parameters,
        std::initializer_list<std::string_view>{"i", "N", "item", "prev_item", "last_item"}, who);
    if (has_previous_ && snippet_.neutral.empty())
      throw InvalidArgument("the output of scan " + snippet_.name +
                                " uses prev_item, and there is no neutral element",
                            "pass what prev_item is where nothing is before");
    for (const ScanFetch& fetch : snippet_.fetches) fetched(fetch);
  }
  const ParameterSpec& fetched(const ScanFetch& fetch) const {
    if (fetch.offset != 0 && fetch.offset != -1)
      throw InvalidArgument("scan " + snippet_.name + " fetches " + fetch.name + " from " +
                                fetch.array + " at the offset " + std::to_string(fetch.offset),
                            "offsets are 0 and -1");
    const auto found = std::ranges::find(snippet_.parameters, fetch.array, &ParameterSpec::name);
    if (found == snippet_.parameters.end() || found->kind == ParameterSpec::Kind::scalar)
      throw InvalidArgument("scan " + snippet_.name + " fetches " + fetch.name + " from " +
                                fetch.array + ", which is no array among its arguments",
                            "name one of the pointers");
    return *found;
  }

  void open_kernel(const std::string& name) {
    tree::Parts list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      append_parameter(list, parameter, types_);
    list.push_back(tree::value("treadle_index", "N"));
    list.push_back(tree::value(integer_, "treadle_length"));
    list.push_back(tree::value(integer_, "treadle_count"));
    // Nobody else's memory: loads of it may be moved before stores to the user's.
    const auto own = [&](std::string_view type, std::string_view pointer) {
      list.push_back(pointer_parameter(type, pointer, {.is_apart = true}));
    };
    own("treadle_item", "treadle_scanned");
    own("treadle_item", "treadle_sums");
    if (is_segmented_) own(integer_, "treadle_first_starts");
    if (keeps_starts()) own(types_.name_of(Scalar::uint8), "treadle_starts");
    code_.open_kernel(name, std::move(list), group_size_);
    define_pointers(code_, snippet_.parameters, types_);
  }
  void write_intervals(const std::string& name) {
    open_kernel(name);
    declare_shared();
    write_interval_bounds(code_, integer_, dialect_);
    write_scan({[&] { write_input(); }, "treadle_scanned[treadle_at]", keeps_starts()});
    const std::string group = dialect_.group_id;
    if (is_wide_) code_.open_if({dialect_.local_id, " == 0"});
    code_.assign({"treadle_sums[", group, "]"}, "treadle_carry");
    if (is_segmented_) code_.assign({"treadle_first_starts[", group, "]"}, "treadle_first");
    if (is_wide_) code_.close();
    code_.close();
  }
  /// The sum of an interval, in treadle_value, and whether it has a start: its first one is before
  /// its end.
  void write_interval(std::string_view interval) {
    code_.declare("treadle_item", "treadle_value", {"treadle_sums[", interval, "]"});
    if (!is_segmented_) return;
    code_.declare({"const ", integer_}, "treadle_behind",
                  {"(", interval, " + 1) * treadle_length"});
    code_.declare(
        {"const ", uint_}, "treadle_flag",
        {"treadle_first_starts[", interval, "] < (treadle_behind < N ? treadle_behind : N)"});
  }
  void write_totals(const std::string& name) {
    open_kernel(name);
    declare_shared();
    code_.declare({"const ", integer_}, "treadle_begin", "0");
    code_.declare({"const ", integer_}, "treadle_end", "treadle_count");
    write_scan({[&] { write_interval("treadle_at"); }, "treadle_sums[treadle_at]", false});
    code_.close();
  }

  void write_input() {
    code_.declare("const treadle_index", "i", "(treadle_index)treadle_at");
    for (const ScanFetch& fetch : snippet_.fetches)
      code_.declare({"const ", types_.name_of(fetched(fetch).dtype)}, fetch.name,
                    {fetch.array, fetch.offset == 0 ? "[i]" : "[i > 0 ? i - 1 : 0]"});
    code_.declare("treadle_item", "treadle_value", in_brackets(snippet_.input));
    if (!is_segmented_) return;
    code_.declare(uint_, "treadle_flag");
    code_.open();
    code_.declare("const treadle_item", "a", "treadle_value");
    code_.assign("treadle_flag", tree::ternary(in_brackets(snippet_.segment_start), "1", "0"));
    code_.close();
  }

  void declare_shared() {
    if (!is_wide_) return;
    code_.declare_local("treadle_item", "treadle_tile", number(tile_));
    code_.declare_local("treadle_item", "treadle_own", number(group_size_));
    group_scan().declare(code_);
    if (!is_segmented_) return;
    const std::string byte = types_.name_of(Scalar::uint8);
    code_.declare_local(byte, "treadle_flags", number(tile_));
    code_.declare_local(byte, "treadle_marks", number(group_size_));
    code_.declare_local(integer_, "treadle_first");
  }

  /// Scans the elements from treadle_begin to before treadle_end by this group. Leaves the sum of
  /// all in treadle_carry, and of a segmented scan the first start in treadle_first.
  void write_scan(const Source& source) { is_wide_ ? write_wide(source) : write_narrow(source); }

  void write_narrow(const Source& source) {
    code_.declare("treadle_item", "treadle_carry");
    if (is_segmented_) code_.declare(integer_, "treadle_first", "treadle_end");
    code_.open_for(integer_, "treadle_at", "treadle_begin", "treadle_end");
    source.load();
    code_.when(
        "treadle_at > treadle_begin",
        tree::assign("treadle_value", combined("treadle_carry", "treadle_value", "treadle_flag")));
    code_.assign("treadle_carry", "treadle_value");
    code_.assign(source.stored, "treadle_value");
    if (source.keeps_starts) code_.assign("treadle_starts[treadle_at]", "treadle_flag");
    if (is_segmented_)
      code_.when("treadle_flag && treadle_at < treadle_first",
                 tree::assign("treadle_first", "treadle_at"));
    code_.close();
  }

  void write_wide(const Source& source) {
    const std::string id = dialect_.local_id, tile = number(tile_), size = number(group_size_);
    code_.declare({"const ", uint_}, "treadle_low", {id, " * ", number(own_items_)});
    code_.declare("treadle_item", "treadle_carry");
    if (is_segmented_) code_.when({id, " == 0"}, tree::assign("treadle_first", "treadle_end"));
    code_.open_for(integer_, "treadle_from", "treadle_begin", "treadle_end", tile);
    code_.declare({"const ", uint_}, "treadle_here",
                  {"treadle_end - treadle_from < ", tile, " ? (", uint_,
                   ")(treadle_end - treadle_from) : ", tile});
    // Several loads in flight for each work-item.
    code_.directive("pragma", {"unroll ", number(tiling_.loads_in_flight)});
    open_each_of_tile();
    source.load();
    code_.assign("treadle_tile[treadle_k]", "treadle_value");
    if (is_segmented_) code_.assign("treadle_flags[treadle_k]", "treadle_flag");
    code_.close();
    code_.evaluate(dialect_.barrier);
    write_own_sums();
    group_scan().write(code_);
    write_carry();
    code_.evaluate(dialect_.barrier);
    open_each_of_tile();
    code_.assign(source.stored, "treadle_tile[treadle_k]");
    if (source.keeps_starts) code_.assign("treadle_starts[treadle_at]", "treadle_flags[treadle_k]");
    code_.close();
    code_.assign("treadle_carry", "treadle_tile[treadle_here - 1]");
    code_.evaluate(dialect_.barrier);
    code_.close();
  }
  /// Opens a loop in which neighbouring work-items have neighbouring elements of the tile.
  void open_each_of_tile() {
    code_.open_for(uint_, "treadle_k", dialect_.local_id, "treadle_here", number(group_size_));
    code_.declare({"const ", integer_}, "treadle_at", "treadle_from + treadle_k");
  }
  /// Those of this work-item, from treadle_low on.
  void write_own_sums() {
    const std::string id = dialect_.local_id;
    code_.declare({"const ", uint_}, "treadle_high",
                  {"treadle_low + ", number(own_items_), " < treadle_here ? treadle_low + ",
                   number(own_items_), " : treadle_here"});
    code_.declare("treadle_item", "treadle_sum");
    if (is_segmented_) {
      code_.declare({"const ", uint_}, "treadle_is_open", "treadle_first == treadle_end");
      code_.declare(uint_, "treadle_mark", "0");
    }
    code_.open_if("treadle_low < treadle_here");
    code_.assign("treadle_sum", "treadle_tile[treadle_low]");
    if (is_segmented_) code_.assign("treadle_mark", "treadle_flags[treadle_low]");
    code_.open_for(uint_, "treadle_k", "treadle_low + 1", "treadle_high");
    code_.declare("const treadle_item", "treadle_next", "treadle_tile[treadle_k]");
    code_.assign("treadle_sum",
                 combined("treadle_sum", "treadle_next", "treadle_flags[treadle_k] != 0"));
    code_.assign("treadle_tile[treadle_k]", "treadle_sum");
    if (is_segmented_) code_.assign("treadle_mark", "treadle_flags[treadle_k]", "|=");
    code_.close();
    code_.close();
  }
  /// Of the sums of work-items, each with whether a segment starts in it.
  BlockScan group_scan() const {
    std::vector<BlockScan::Field> fields{
        {{"treadle_sum", "treadle_item", shuffle_of(snippet_.dtype)}, "treadle_own"}};
    if (is_segmented_) fields.push_back({{"treadle_mark", uint_}, "treadle_marks"});
    return {.fields = std::move(fields),
            .combine =
                [this](tree::BlockBuilder& code, const BlockScan::Earlier& earlier) {
                  code.declare("const treadle_item", "treadle_before", earlier("treadle_sum"));
                  code.assign("treadle_sum",
                              combined("treadle_before", "treadle_sum", "treadle_mark != 0"));
                  if (is_segmented_) code.assign("treadle_mark", earlier("treadle_mark"), "|=");
                },
            .group_size = group_size_,
            .is_there = "treadle_low < treadle_here",
            .prefix = "treadle_",
            .dialect = dialect_};
  }
  /// What is before a work-item's own elements: those of the work-items before it, and the tiles
  /// before this one.
  void write_carry() {
    const std::string id = dialect_.local_id;
    code_.open_if("treadle_low < treadle_here");
    code_.declare("treadle_item", "treadle_before", "treadle_carry");
    code_.open_if({id, " > 0"});
    code_.declare("const treadle_item", "treadle_group", {"treadle_own[", id, " - 1]"});
    code_.assign("treadle_before", "treadle_group");
    code_.when(
        "treadle_from > treadle_begin",
        tree::assign("treadle_before", combined("treadle_carry", "treadle_group",
                                                joined({"treadle_marks[", id, " - 1] != 0"}))));
    code_.close();
    if (is_segmented_) {
      code_.declare({"const ", uint_}, "treadle_is_first",
                    {"treadle_is_open && (", id, " == 0 || treadle_marks[", id, " - 1] == 0)"});
      code_.declare(uint_, "treadle_across", "0");
    }
    code_.open_for(uint_, "treadle_k", "treadle_low", "treadle_high");
    if (is_segmented_) {
      code_.when("treadle_is_first && treadle_flags[treadle_k] && !treadle_across",
                 tree::assign("treadle_first", "treadle_from + treadle_k"));
      code_.assign("treadle_across", "treadle_flags[treadle_k]", "|=");
    }
    code_.declare("const treadle_item", "treadle_next", "treadle_tile[treadle_k]");
    code_.when({id, " > 0 || treadle_from > treadle_begin"},
               tree::assign("treadle_tile[treadle_k]",
                            combined("treadle_before", "treadle_next", "treadle_across != 0")));
    code_.close();
    code_.close();
  }

  void write_outputs(const std::string& name) {
    const std::string group = dialect_.group_id;
    open_kernel(name);
    write_interval_bounds(code_, integer_, dialect_);
    is_wide_ ? write_wide_carry() : write_narrow_carry();
    if (is_segmented_)
      code_.declare({"const ", integer_}, "treadle_first", {"treadle_first_starts[", group, "]"});
    if (is_wide_) code_.directive("pragma", {"unroll ", number(tiling_.loads_in_flight)});
    code_.open_for(integer_, "treadle_at",
                   {"treadle_begin", is_wide_ ? joined({" + ", dialect_.local_id}) : ""},
                   "treadle_end", number(group_size_));
    code_.declare("const treadle_index", "i", "(treadle_index)treadle_at");
    code_.declare("treadle_item", "item", "treadle_scanned[treadle_at]");
    code_.when({group, " > 0"}, tree::assign("item", combined("treadle_carry", "item",
                                                              "treadle_at >= treadle_first")));
    if (has_previous_) write_previous();
    code_.open();
    code_.statements(snippet_.output);
    code_.close();
    code_.close();
    code_.close();
  }
  /// The sum of the intervals before this one, and of all.
  void write_wide_carry() {
    const std::string group = dialect_.group_id;
    code_.declare("treadle_item", "treadle_carry");
    code_.when({group, " > 0"}, tree::assign("treadle_carry", {"treadle_sums[", group, " - 1]"}));
    if (has_last_)
      code_.declare("const treadle_item", "last_item", "treadle_sums[treadle_count - 1]");
  }
  /// There are few intervals, and each adds up those before it for itself.
  void write_narrow_carry() {
    const std::string group = dialect_.group_id;
    code_.declare("treadle_item", "treadle_carry");
    if (has_last_) code_.declare("treadle_item", "last_item");
    code_.open_for(integer_, "treadle_k", "0", has_last_ ? "treadle_count" : group);
    write_interval("treadle_k");
    const std::string_view sum = has_last_ ? "last_item" : "treadle_carry";
    code_.when("treadle_k > 0",
               tree::assign("treadle_value", combined(sum, "treadle_value", "treadle_flag")));
    code_.assign(sum, "treadle_value");
    if (has_last_)
      code_.when({"treadle_k + 1 == ", group}, tree::assign("treadle_carry", "treadle_value"));
    code_.close();
  }
  void write_previous() {
    code_.declare("treadle_item", "prev_item", in_one_line(snippet_.neutral));
    code_.open_if(keeps_starts() ? "treadle_at > 0 && !treadle_starts[treadle_at]"
                                 : "treadle_at > 0");
    code_.assign("prev_item", "treadle_carry");
    code_.open_if("treadle_at > treadle_begin");
    code_.assign("prev_item", "treadle_scanned[treadle_at - 1]");
    code_.when({dialect_.group_id, " > 0"},
               tree::assign("prev_item", combined("treadle_carry", "prev_item",
                                                  "treadle_at - 1 >= treadle_first")));
    code_.close();
    code_.close();
  }

  const ScanSnippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  bool is_wide_, is_segmented_, has_previous_, has_last_;
  std::string integer_, uint_;
  unsigned group_size_ = 1, own_items_ = 1, tile_ = 1;
  tree::BlockBuilder code_;
};

}  // namespace

ScanText generate_scan(const ScanSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
                       const TypeNames& types) {
  return ScanWriter(snippet, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
