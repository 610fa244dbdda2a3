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
    text_.line({"// ", snippet_.name, ", made by treadle's scan generator around a user's text: ",
                is_segmented_ ? "segmented, " : "", schedule_name(schedule()), " schedule"});
    text_.line(
        {"#define treadle_scan(a, b, across_seg_boundary) (", in_one_line(snippet_.scan), ")"});
    if (!snippet_.preamble.empty()) text_.directive(snippet_.preamble);
    text_.line({"typedef ", types_.name_of(snippet_.dtype), " treadle_item;"});
    text_.line({"typedef ", types_.name_of(snippet_.index_dtype), " treadle_index;"});
    ScanText made{.text = {},
                  .intervals = snippet_.name + "_intervals",
                  .totals = is_wide_ ? snippet_.name + "_totals" : "",
                  .outputs = snippet_.name + "_outputs",
                  .group_size = group_size_,
                  .items = own_items_,
                  .tile = is_wide_ ? tile_ : tiling_.interval_length,
                  .is_segmented = is_segmented_,
                  .keeps_starts = keeps_starts()};
    text_.blank();
    write_intervals(made.intervals);
    text_.blank();
    if (is_wide_) {
      write_totals(made.totals);
      text_.blank();
    }
    write_outputs(made.outputs);
    made.text = text_.text();
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
    std::vector<std::string> list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      list.push_back(declare(parameter, dialect_, types_));
    list.push_back("treadle_index N");
    list.push_back(joined({integer_, " treadle_length"}));
    list.push_back(joined({integer_, " treadle_count"}));
    // Nobody else's memory: loads of it may be moved before stores to the user's.
    const auto own = [&](std::string_view type, std::string_view pointer) {
      list.push_back(joined({dialect_.global, type, " *", dialect_.restrict, " ", pointer}));
    };
    own("treadle_item", "treadle_scanned");
    own("treadle_item", "treadle_sums");
    if (is_segmented_) own(integer_, "treadle_first_starts");
    if (keeps_starts()) own(types_.name_of(Scalar::uint8), "treadle_starts");
    const std::array size{number(group_size_)};
    text_.line({dialect_.kernel, " ", fill_holes(dialect_.group_size, size), " ", name, "("});
    text_.open_parameters(list);
    text_.lines(define_pointers(snippet_.parameters, dialect_, types_));
  }
  void write_intervals(const std::string& name) {
    open_kernel(name);
    declare_shared();
    write_interval_bounds(text_, integer_, dialect_);
    write_scan({[&] { write_input(); }, "treadle_scanned[treadle_at]", keeps_starts()});
    const std::string group = dialect_.group_id;
    if (is_wide_) text_.open({"if (", dialect_.local_id, " == 0)"});
    text_.line({"treadle_sums[", group, "] = treadle_carry;"});
    if (is_segmented_) text_.line({"treadle_first_starts[", group, "] = treadle_first;"});
    if (is_wide_) text_.close();
    text_.close();
  }
  /// The sum of an interval, in treadle_value, and whether it has a start: its first one is before
  /// its end.
  void write_interval(std::string_view interval) {
    text_.line({"treadle_item treadle_value = treadle_sums[", interval, "];"});
    if (!is_segmented_) return;
    text_.line({"const ", integer_, " treadle_behind = (", interval, " + 1) * treadle_length;"});
    text_.line({"const ", uint_, " treadle_flag = treadle_first_starts[", interval,
                "] < (treadle_behind < N ? treadle_behind : N);"});
  }
  void write_totals(const std::string& name) {
    open_kernel(name);
    declare_shared();
    text_.line({"const ", integer_, " treadle_begin = 0, treadle_end = treadle_count;"});
    write_scan({[&] { write_interval("treadle_at"); }, "treadle_sums[treadle_at]", false});
    text_.close();
  }

  void write_input() {
    text_.line("const treadle_index i = (treadle_index)treadle_at;");
    for (const ScanFetch& fetch : snippet_.fetches)
      text_.line({"const ", types_.name_of(fetched(fetch).dtype), " ", fetch.name, " = ",
                  fetch.array, fetch.offset == 0 ? "[i];" : "[i > 0 ? i - 1 : 0];"});
    text_.line("treadle_item treadle_value = (");
    text_.lines(snippet_.input);
    text_.line(");");
    if (!is_segmented_) return;
    text_.line({uint_, " treadle_flag;"});
    text_.open();
    text_.line("const treadle_item a = treadle_value;");
    text_.line("treadle_flag = (");
    text_.lines(snippet_.segment_start);
    text_.line(") ? 1 : 0;");
    text_.close();
  }

  void declare_shared() {
    if (!is_wide_) return;
    text_.line({dialect_.local, " treadle_item treadle_tile[", number(tile_), "];"});
    text_.line({dialect_.local, " treadle_item treadle_own[", number(group_size_), "];"});
    group_scan().declare(text_);
    if (!is_segmented_) return;
    const std::string byte = types_.name_of(Scalar::uint8);
    text_.line({dialect_.local, " ", byte, " treadle_flags[", number(tile_), "];"});
    text_.line({dialect_.local, " ", byte, " treadle_marks[", number(group_size_), "];"});
    text_.line({dialect_.local, " ", integer_, " treadle_first;"});
  }

  /// Scans the elements from treadle_begin to before treadle_end by this group. Leaves the sum of
  /// all in treadle_carry, and of a segmented scan the first start in treadle_first.
  void write_scan(const Source& source) { is_wide_ ? write_wide(source) : write_narrow(source); }

  void write_narrow(const Source& source) {
    text_.line("treadle_item treadle_carry;");
    if (is_segmented_) text_.line({integer_, " treadle_first = treadle_end;"});
    text_.open({"for (", integer_,
                " treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at)"});
    source.load();
    text_.line({"if (treadle_at > treadle_begin) treadle_value = ",
                combined("treadle_carry", "treadle_value", "treadle_flag"), ";"});
    text_.line("treadle_carry = treadle_value;");
    text_.line({source.stored, " = treadle_value;"});
    if (source.keeps_starts) text_.line("treadle_starts[treadle_at] = treadle_flag;");
    if (is_segmented_)
      text_.line("if (treadle_flag && treadle_at < treadle_first) treadle_first = treadle_at;");
    text_.close();
  }

  void write_wide(const Source& source) {
    const std::string id = dialect_.local_id, tile = number(tile_), size = number(group_size_);
    text_.line({"const ", uint_, " treadle_low = ", id, " * ", number(own_items_), ";"});
    text_.line("treadle_item treadle_carry;");
    if (is_segmented_) text_.line({"if (", id, " == 0) treadle_first = treadle_end;"});
    text_.open({"for (", integer_,
                " treadle_from = treadle_begin; treadle_from < treadle_end; "
                "treadle_from += ",
                tile, ")"});
    text_.line({"const ", uint_, " treadle_here = treadle_end - treadle_from < ", tile, " ? (",
                uint_, ")(treadle_end - treadle_from) : ", tile, ";"});
    // Several loads in flight for each work-item.
    text_.directive("#pragma unroll " + number(tiling_.loads_in_flight));
    open_each_of_tile();
    source.load();
    text_.line("treadle_tile[treadle_k] = treadle_value;");
    if (is_segmented_) text_.line("treadle_flags[treadle_k] = treadle_flag;");
    text_.close();
    text_.line({dialect_.barrier, ";"});
    write_own_sums();
    group_scan().write(text_);
    write_carry();
    text_.line({dialect_.barrier, ";"});
    open_each_of_tile();
    text_.line({source.stored, " = treadle_tile[treadle_k];"});
    if (source.keeps_starts) text_.line("treadle_starts[treadle_at] = treadle_flags[treadle_k];");
    text_.close();
    text_.line("treadle_carry = treadle_tile[treadle_here - 1];");
    text_.line({dialect_.barrier, ";"});
    text_.close();
  }
  /// Opens a loop in which neighbouring work-items have neighbouring elements of the tile.
  void open_each_of_tile() {
    text_.open({"for (", uint_, " treadle_k = ", dialect_.local_id,
                "; treadle_k < treadle_here; treadle_k += ", number(group_size_), ")"});
    text_.line({"const ", integer_, " treadle_at = treadle_from + treadle_k;"});
  }
  /// Those of this work-item, from treadle_low on.
  void write_own_sums() {
    const std::string id = dialect_.local_id;
    text_.line({"const ", uint_, " treadle_high = treadle_low + ", number(own_items_),
                " < treadle_here ? treadle_low + ", number(own_items_), " : treadle_here;"});
    text_.line("treadle_item treadle_sum;");
    if (is_segmented_) {
      text_.line({"const ", uint_, " treadle_is_open = treadle_first == treadle_end;"});
      text_.line({uint_, " treadle_mark = 0;"});
    }
    text_.open("if (treadle_low < treadle_here)");
    text_.line("treadle_sum = treadle_tile[treadle_low];");
    if (is_segmented_) text_.line("treadle_mark = treadle_flags[treadle_low];");
    text_.open({"for (", uint_,
                " treadle_k = treadle_low + 1; treadle_k < treadle_high; "
                "++treadle_k)"});
    text_.line("const treadle_item treadle_next = treadle_tile[treadle_k];");
    text_.line({"treadle_sum = ",
                combined("treadle_sum", "treadle_next", "treadle_flags[treadle_k] != 0"), ";"});
    text_.line("treadle_tile[treadle_k] = treadle_sum;");
    if (is_segmented_) text_.line("treadle_mark |= treadle_flags[treadle_k];");
    text_.close();
    text_.close();
  }
  /// Of the sums of work-items, each with whether a segment starts in it.
  BlockScan group_scan() const {
    std::vector<BlockScan::Field> fields{
        {{"treadle_sum", "treadle_item", shuffle_of(snippet_.dtype)}, "treadle_own"}};
    if (is_segmented_) fields.push_back({{"treadle_mark", uint_}, "treadle_marks"});
    return {.fields = std::move(fields),
            .combine =
                [this](TextWriter& text, const BlockScan::Earlier& earlier) {
                  text.line({"const treadle_item treadle_before = ", earlier("treadle_sum"), ";"});
                  text.line({"treadle_sum = ",
                             combined("treadle_before", "treadle_sum", "treadle_mark != 0"), ";"});
                  if (is_segmented_) text.line({"treadle_mark |= ", earlier("treadle_mark"), ";"});
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
    text_.open("if (treadle_low < treadle_here)");
    text_.line("treadle_item treadle_before = treadle_carry;");
    text_.open({"if (", id, " > 0)"});
    text_.line({"const treadle_item treadle_group = treadle_own[", id, " - 1];"});
    text_.line("treadle_before = treadle_group;");
    text_.line(
        {"if (treadle_from > treadle_begin) treadle_before = ",
         combined("treadle_carry", "treadle_group", joined({"treadle_marks[", id, " - 1] != 0"})),
         ";"});
    text_.close();
    if (is_segmented_) {
      text_.line({"const ", uint_, " treadle_is_first = treadle_is_open && (", id,
                  " == 0 || treadle_marks[", id, " - 1] == 0);"});
      text_.line({uint_, " treadle_across = 0;"});
    }
    text_.open({"for (", uint_,
                " treadle_k = treadle_low; treadle_k < treadle_high; "
                "++treadle_k)"});
    if (is_segmented_) {
      text_.line(
          "if (treadle_is_first && treadle_flags[treadle_k] && !treadle_across) "
          "treadle_first = treadle_from + treadle_k;");
      text_.line("treadle_across |= treadle_flags[treadle_k];");
    }
    text_.line("const treadle_item treadle_next = treadle_tile[treadle_k];");
    text_.line({"if (", id, " > 0 || treadle_from > treadle_begin) treadle_tile[treadle_k] = ",
                combined("treadle_before", "treadle_next", "treadle_across != 0"), ";"});
    text_.close();
    text_.close();
  }

  void write_outputs(const std::string& name) {
    const std::string group = dialect_.group_id;
    open_kernel(name);
    write_interval_bounds(text_, integer_, dialect_);
    is_wide_ ? write_wide_carry() : write_narrow_carry();
    if (is_segmented_)
      text_.line({"const ", integer_, " treadle_first = treadle_first_starts[", group, "];"});
    if (is_wide_) text_.directive("#pragma unroll " + number(tiling_.loads_in_flight));
    text_.open({"for (", integer_, " treadle_at = treadle_begin",
                is_wide_ ? joined({" + ", dialect_.local_id}) : "",
                "; treadle_at < treadle_end; treadle_at += ", number(group_size_), ")"});
    text_.line("const treadle_index i = (treadle_index)treadle_at;");
    text_.line("treadle_item item = treadle_scanned[treadle_at];");
    text_.line({"if (", group, " > 0) item = ",
                combined("treadle_carry", "item", "treadle_at >= treadle_first"), ";"});
    if (has_previous_) write_previous();
    text_.open();
    text_.statements(snippet_.output);
    text_.close();
    text_.close();
    text_.close();
  }
  /// The sum of the intervals before this one, and of all.
  void write_wide_carry() {
    const std::string group = dialect_.group_id;
    text_.line("treadle_item treadle_carry;");
    text_.line({"if (", group, " > 0) treadle_carry = treadle_sums[", group, " - 1];"});
    if (has_last_) text_.line("const treadle_item last_item = treadle_sums[treadle_count - 1];");
  }
  /// There are few intervals, and each adds up those before it for itself.
  void write_narrow_carry() {
    const std::string group = dialect_.group_id;
    text_.line("treadle_item treadle_carry;");
    if (has_last_) text_.line("treadle_item last_item;");
    text_.open({"for (", integer_, " treadle_k = 0; treadle_k < ",
                has_last_ ? "treadle_count" : group, "; ++treadle_k)"});
    write_interval("treadle_k");
    const std::string_view sum = has_last_ ? "last_item" : "treadle_carry";
    text_.line({"if (treadle_k > 0) treadle_value = ",
                combined(sum, "treadle_value", "treadle_flag"), ";"});
    text_.line({sum, " = treadle_value;"});
    if (has_last_) text_.line({"if (treadle_k + 1 == ", group, ") treadle_carry = treadle_value;"});
    text_.close();
  }
  void write_previous() {
    text_.line({"treadle_item prev_item = ", in_one_line(snippet_.neutral), ";"});
    text_.open(keeps_starts() ? "if (treadle_at > 0 && !treadle_starts[treadle_at])"
                              : "if (treadle_at > 0)");
    text_.line("prev_item = treadle_carry;");
    text_.open("if (treadle_at > treadle_begin)");
    text_.line("prev_item = treadle_scanned[treadle_at - 1];");
    text_.line({"if (", dialect_.group_id, " > 0) prev_item = ",
                combined("treadle_carry", "prev_item", "treadle_at - 1 >= treadle_first"), ";"});
    text_.close();
    text_.close();
  }

  const ScanSnippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  bool is_wide_, is_segmented_, has_previous_, has_last_;
  std::string integer_, uint_;
  unsigned group_size_ = 1, own_items_ = 1, tile_ = 1;
  TextWriter text_;
};

}  // namespace

ScanText generate_scan(const ScanSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
                       const TypeNames& types) {
  return ScanWriter(snippet, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
