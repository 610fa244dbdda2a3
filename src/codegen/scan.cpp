// SPDX-License-Identifier: MIT
#include "treadle/codegen/scan.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "interval_text.hpp"
#include "scan_writer.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {

ScanWriter::ScanWriter(const ScanSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
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
  is_by_rows_ = goes_by_rows();
  is_by_rows_ ? set_rows() : is_wide_ ? set_wide_tile() : set_narrow_tile();
}

/// Chooses as many elements for each work-item as fit; groups with large items are smaller.
void ScanWriter::set_wide_tile() {
  const std::size_t size = std::max<std::size_t>(1, snippet_.dtype.size_bytes());
  const std::size_t room = std::max<std::size_t>(1, tiling_.scan_bytes / size);
  const std::size_t most =
      std::clamp<std::size_t>(room / tiling_.group_size, 1, tiling_.scan_items);
  own_items_ = static_cast<unsigned>(most - (most % 2 == 0 ? 1 : 0));
  group_size_ = static_cast<unsigned>(
      std::bit_floor(std::min<std::size_t>(room / own_items_, tiling_.group_size)));
  tile_ = group_size_ * own_items_;
}

void ScanWriter::set_narrow_tile() {
  tile_ = tiling_.interval_length;
  if (!snippet_.looks_back) return;
  const std::size_t size = std::max<std::size_t>(1, snippet_.dtype.size_bytes());
  tile_ = static_cast<unsigned>(std::max<std::size_t>(1, tiling_.scan_bytes / size));
  if (tile_ < tiling_.scan_lanes * tiling_.scan_lanes) return;
  lanes_ = tiling_.scan_lanes;
  tile_ -= tile_ % lanes_;
}

ScanText ScanWriter::write() {
  require_valid();
  code_.comment({snippet_.name, ", made by treadle's scan generator around a user's text: ",
                 snippet_.looks_back ? "in one pass, " : "", is_segmented_ ? "segmented, " : "",
                 schedule_name(schedule()), " schedule"});
  code_.directive("define",
                  {"treadle_scan(a, b, across_seg_boundary) (", in_one_line(snippet_.scan), ")"});
  if (snippet_.looks_back) code_.lines(dialect_.word_preamble);
  code_.lines(snippet_.preamble);
  code_.define_type(types_.name_of(snippet_.dtype), "treadle_item");
  code_.define_type(types_.name_of(snippet_.index_dtype), "treadle_index");
  if (is_by_rows_) write_pack_types();
  ScanText made{.text = {},
                .intervals = snippet_.name + (snippet_.looks_back ? "_tiles" : "_intervals"),
                .totals = {},
                .outputs = {},
                .group_size = group_size_,
                .items = own_items_,
                .tile = tile_,
                .is_segmented = is_segmented_,
                .keeps_starts = keeps_starts()};
  code_.blank();
  if (snippet_.looks_back) {
    const LookBack shared = look_back();
    made.looks_back = true;
    made.slot_words = shared.slot_words();
    made.anchored_tiles = shared.anchored;
    made.keeps_items = shared.keeps_items();
    write_one_pass(made.intervals);
  } else {
    if (is_wide_) made.totals = snippet_.name + "_totals";
    made.outputs = snippet_.name + "_outputs";
    write_intervals(made.intervals);
    code_.blank();
    if (is_wide_) {
      write_totals(made.totals);
      code_.blank();
    }
    write_outputs(made.outputs);
  }
  made.program = code_.take();
  made.text = printed(made.program, dialect_);
  return made;
}

/// The combination of two items; `across` is used only in a segmented scan.
std::string ScanWriter::combined(std::string_view a, std::string_view b,
                                 std::string_view across) const {
  // In parentheses, because the user's text may put an operator before the macro's parameter:
  // `!across_...`.
  return joined(
      {"treadle_scan(", a, ", ", b, ", ", is_segmented_ ? joined({"(", across, ")"}) : "0", ")"});
}

void ScanWriter::require_valid() const {
  const std::string who = "scan " + snippet_.name;
  require_index_dtype(snippet_.index_dtype, who);
  refuse_own_names(
      snippet_.parameters,
      std::initializer_list<std::string_view>{"i", "N", "item", "prev_item", "last_item"}, who);
  if (has_previous_ && snippet_.neutral.empty())
    throw InvalidArgument(
        "the output of scan " + snippet_.name + " uses prev_item, and there is no neutral element",
        "pass what prev_item is where nothing is before");
  for (const ScanFetch& fetch : snippet_.fetches) fetched(fetch);
  if (snippet_.looks_back && !can_look_back(snippet_, dialect_))
    throw InvalidArgument("scan " + snippet_.name + " cannot be written in one pass",
                          "write it in passes: looks_back = false");
}
const ParameterSpec& ScanWriter::fetched(const ScanFetch& fetch) const {
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

tree::Parts ScanWriter::user_parameters() const {
  tree::Parts list;
  for (const ParameterSpec& parameter : snippet_.parameters)
    append_parameter(list, parameter, types_);
  list.push_back(tree::value("treadle_index", "N"));
  return list;
}

void ScanWriter::open_kernel(const std::string& name) {
  tree::Parts list = user_parameters();
  list.push_back(tree::value(integer_, "treadle_length"));
  list.push_back(tree::value(integer_, "treadle_count"));
  // `restrict`, because only the scan uses this memory: loads from it may move before stores to the
  // user's.
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
void ScanWriter::write_intervals(const std::string& name) {
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
/// Defines treadle_value, the sum of an interval, and treadle_flag, whether a segment starts in it:
/// then its first start is before its end.
void ScanWriter::write_interval(std::string_view interval) {
  code_.declare("treadle_item", "treadle_value", {"treadle_sums[", interval, "]"});
  if (!is_segmented_) return;
  code_.declare({"const ", integer_}, "treadle_behind", {"(", interval, " + 1) * treadle_length"});
  code_.declare(
      {"const ", uint_}, "treadle_flag",
      {"treadle_first_starts[", interval, "] < (treadle_behind < N ? treadle_behind : N)"});
}
void ScanWriter::write_totals(const std::string& name) {
  open_kernel(name);
  declare_shared();
  code_.declare({"const ", integer_}, "treadle_begin", "0");
  code_.declare({"const ", integer_}, "treadle_end", "treadle_count");
  write_scan({[&] { write_interval("treadle_at"); }, "treadle_sums[treadle_at]", false});
  code_.close();
}

void ScanWriter::write_input(const std::string& text) {
  code_.declare("const treadle_index", "i", "(treadle_index)treadle_at");
  if (text != snippet_.input) code_.evaluate("(void)i");  // the text may not use i
  for (const ScanFetch& fetch : snippet_.fetches)
    code_.declare({"const ", types_.name_of(fetched(fetch).dtype)}, fetch.name,
                  {fetch.array, fetch.offset == 0 ? "[i]" : "[i > 0 ? i - 1 : 0]"});
  code_.declare("treadle_item", "treadle_value", in_brackets(text));
  if (!is_segmented_) return;
  code_.declare(uint_, "treadle_flag");
  code_.open();
  code_.declare("const treadle_item", "a", "treadle_value");
  code_.assign("treadle_flag", tree::ternary(in_brackets(snippet_.segment_start), "1", "0"));
  code_.close();
}

void ScanWriter::declare_shared() {
  if (!is_wide_) return;
  code_.declare_local("treadle_item", "treadle_tile", number(tile_));
  code_.declare_local("treadle_item", "treadle_own", number(group_size_));
  group_scan().declare(code_);
  if (!is_segmented_) return;
  const std::string byte = types_.name_of(Scalar::uint8);
  code_.declare_local(byte, "treadle_flags", number(tile_));
  code_.declare_local(byte, "treadle_marks", number(group_size_));
  if (!snippet_.looks_back) code_.declare_local(integer_, "treadle_first");
}

void ScanWriter::write_narrow(const Source& source) {
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

void ScanWriter::write_wide(const Source& source) {
  const std::string id = dialect_.local_id, tile = number(tile_), size = number(group_size_);
  code_.declare({"const ", uint_}, "treadle_low", {id, " * ", number(own_items_)});
  code_.declare("treadle_item", "treadle_carry");
  if (is_segmented_) code_.when({id, " == 0"}, tree::assign("treadle_first", "treadle_end"));
  code_.open_for(integer_, "treadle_from", "treadle_begin", "treadle_end", tile);
  code_.declare({"const ", uint_}, "treadle_here",
                {"treadle_end - treadle_from < ", tile, " ? (", uint_,
                 ")(treadle_end - treadle_from) : ", tile});
  write_tile_load(source.load);
  code_.evaluate(dialect_.barrier);
  if (is_segmented_)
    code_.declare({"const ", uint_}, "treadle_is_open", "treadle_first == treadle_end");
  write_own_sums(OwnSums::kept);
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
/// Loads so that all loads of a work-item may be in flight before the first is used.
void ScanWriter::write_tile_load(const std::function<void()>& load) {
  code_.directive("pragma", {"unroll ", number(own_items_)});
  open_each_of_tile();
  load();
  code_.assign("treadle_tile[treadle_k]", "treadle_value");
  if (is_segmented_) code_.assign("treadle_flags[treadle_k]", "treadle_flag");
  code_.close();
}
/// Opens a loop in which neighbouring work-items take neighbouring elements of the tile.
void ScanWriter::open_each_of_tile() {
  code_.open_for(uint_, "treadle_k", dialect_.local_id, "treadle_here", number(group_size_));
  code_.declare({"const ", integer_}, "treadle_at", "treadle_from + treadle_k");
}
/// Sums the elements of this work-item, from treadle_low on.
void ScanWriter::write_own_sums(OwnSums sums) {
  code_.declare({"const ", uint_}, "treadle_high",
                {"treadle_low + ", number(own_items_), " < treadle_here ? treadle_low + ",
                 number(own_items_), " : treadle_here"});
  code_.declare("treadle_item", "treadle_sum");
  if (is_segmented_) code_.declare(uint_, "treadle_mark", "0");
  code_.open_if("treadle_low < treadle_here");
  code_.assign("treadle_sum", "treadle_tile[treadle_low]");
  if (is_segmented_) code_.assign("treadle_mark", "treadle_flags[treadle_low]");
  code_.open_for(uint_, "treadle_k", "treadle_low + 1", "treadle_high");
  code_.declare("const treadle_item", "treadle_next", "treadle_tile[treadle_k]");
  code_.assign("treadle_sum",
               combined("treadle_sum", "treadle_next", "treadle_flags[treadle_k] != 0"));
  if (sums == OwnSums::kept) code_.assign("treadle_tile[treadle_k]", "treadle_sum");
  if (is_segmented_) code_.assign("treadle_mark", "treadle_flags[treadle_k]", "|=");
  code_.close();
  code_.close();
}
/// The scan of the work-items' sums, each with whether a segment starts in it.
BlockScan ScanWriter::group_scan() const {
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
/// Adds up what precedes a work-item's elements: the sums of earlier work-items and of earlier
/// tiles.
void ScanWriter::write_carry() {
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

void ScanWriter::write_outputs(const std::string& name) {
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
/// Sums the intervals before this interval, and all intervals.
void ScanWriter::write_wide_carry() {
  const std::string group = dialect_.group_id;
  code_.declare("treadle_item", "treadle_carry");
  code_.when({group, " > 0"}, tree::assign("treadle_carry", {"treadle_sums[", group, " - 1]"}));
  if (has_last_)
    code_.declare("const treadle_item", "last_item", "treadle_sums[treadle_count - 1]");
}
/// There are few intervals, so each work-item adds up the earlier intervals itself.
void ScanWriter::write_narrow_carry() {
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
void ScanWriter::write_neutral_previous() {
  code_.declare("treadle_item", "prev_item", in_one_line(snippet_.neutral));
}
void ScanWriter::write_previous() {
  write_neutral_previous();
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

bool can_look_back(const ScanSnippet& snippet, const Dialect& dialect) {
  return !mentions(snippet.output, "last_item") &&
         (LookBack::goes_by_words(snippet.dtype) || dialect.fences_are_of_device);
}

ScanRoom scan_room(const ScanText& text, std::uint64_t tiles) {
  if (tiles == 0) return {2, 0};
  const std::uint64_t before = (tiles - 1) / text.anchored_tiles;
  const std::uint64_t slots = text.anchored_tiles == 1 ? before : tiles + before;
  return {2 + slots * text.slot_words, slots};
}

ScanText generate_scan(const ScanSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
                       const TypeNames& types) {
  return ScanWriter(snippet, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
