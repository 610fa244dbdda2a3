// SPDX-License-Identifier: MIT
// Scans in one pass whose tiles stay in registers; treadle/codegen/scan.hpp describes the steps.
// The layout of a tile with two sub-groups of four work-items, two rows, and two elements of a
// work-item in each row:
//
//   row 0    00 01 10 11 20 21 30 31 | 40 41 50 51 60 61 70 71     work-item and element
//   row 1    00 01 10 11 20 21 30 31 | 40 41 50 51 60 61 70 71     both rows of 0 to 3 precede 40
#include <algorithm>
#include <array>

#include "program.hpp"
#include "scan_writer.hpp"
#include "snippet_reading.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/snippet.hpp"
#include "words.hpp"

namespace treadle::codegen {
bool ScanWriter::goes_by_rows() const {
  return is_wide_ && snippet_.looks_back && !is_segmented_ &&
         LookBack::goes_by_words(snippet_.dtype) &&
         SubGroupFold::fits(tiling_.group_size, dialect_);
}

/// Chooses the number of rows, and of a work-item's elements in each row.
void ScanWriter::set_rows() {
  const std::size_t size = row_bytes();
  const auto fitting = static_cast<unsigned>(std::max<std::size_t>(1, tiling_.access_bytes / size));
  row_items_ = compacts() ? std::max(fitting, 4u) : fitting;
  rows_ = std::clamp<unsigned>(
      std::min(tiling_.scan_row_items / row_items_,
               static_cast<unsigned>(tiling_.scan_rows * tiling_.access_bytes / size / row_items_)),
      1, tiling_.scan_rows);
  group_size_ = tiling_.group_size;
  const std::size_t local = compacts() ? staged_bytes() : snippet_.dtype.size_bytes();
  const auto is_too_large = [&] {
    return std::uint64_t{group_size_} * row_items_ * rows_ * local > tiling_.scan_bytes;
  };
  while (is_too_large() && rows_ > 1) rows_ /= 2;
  while (is_too_large() && row_items_ > 1) row_items_ /= 2;
  while (is_too_large() && group_size_ > sub_group) group_size_ /= 2;
  own_items_ = row_items_ * rows_;
  tile_ = group_size_ * own_items_;
  read_ = arrays_read_by(texts_by_rows());
}

std::size_t ScanWriter::row_bytes() const {
  std::size_t size = compacts() ? 1 : snippet_.dtype.size_bytes();
  for (const ScanCompaction& store : snippet_.compactions)
    if (is_moved(store)) size = std::max(size, stored_dtype(store).size_bytes());
  return size;
}

/// The texts that are evaluated for a tile before it is scanned.
std::vector<std::string> ScanWriter::texts_by_rows() const {
  std::vector<std::string> texts{without_comments(snippet_.input)};
  for (const ScanCompaction& store : snippet_.compactions)
    if (is_moved(store)) texts.push_back(without_comments(store.value));
  return texts;
}

/// The arrays that each text either reads under all conditions or does not mention.
std::vector<ScanWriter::RowArray> ScanWriter::arrays_read_by(
    const std::vector<std::string>& texts) const {
  std::vector<RowArray> all;
  if (std::ranges::any_of(texts, [](const std::string& text) { return may_write(text); }))
    return all;
  for (const ParameterSpec& parameter : snippet_.parameters) {
    const std::string& name = parameter.name;
    if (parameter.kind != ParameterSpec::Kind::vector ||
        !has_plain_elements(parameter.dtype, dialect_, types_))
      continue;
    const auto cares = [&](const std::string& text) { return mentions(text, name); };
    const bool is_one_for_one =
        std::ranges::find(snippet_.one_for_one, name) != snippet_.one_for_one.end();
    if (std::ranges::any_of(texts, cares) &&
        std::ranges::all_of(texts, [&](const std::string& text) {
          return !cares(text) || (is_one_for_one ? reads_its_element : reads_every_element)(
                                     text, snippet_.preamble, name);
        }))
      all.push_back(row_array(parameter, "treadle_in_"));
  }
  return all;
}

ScanWriter::RowArray ScanWriter::row_array(const ParameterSpec& parameter,
                                           std::string_view prefix) const {
  return {.name = parameter.name,
          .pack = "treadle_pack_" + parameter.name,
          .packs = joined({prefix, parameter.name}),
          .type = types_.name_of(parameter.dtype),
          .bytes = std::min<std::size_t>(tiling_.access_bytes,
                                         row_items_ * parameter.dtype.size_bytes())};
}

/// The array of an output that is one assignment to its element.
std::optional<ScanWriter::RowArray> ScanWriter::array_stored_whole() const {
  const std::string output = without_comments(snippet_.output);
  for (const ParameterSpec& parameter : snippet_.parameters)
    if (parameter.kind == ParameterSpec::Kind::vector &&
        has_plain_elements(parameter.dtype, dialect_, types_) &&
        assigns_every_element(output, snippet_.preamble, parameter.name, snippet_.parameters))
      return row_array(parameter, "treadle_out_");
  return {};
}

std::string ScanWriter::reached(const std::string& text, Reach reach) const {
  if (reach == Reach::elements) return text;
  std::string reached = without_comments(text);
  for (const RowArray& array : read_)
    reached = with_elements(reached, array.name, array.packs + "[treadle_row].at[treadle_j]");
  return reached;
}

/// A condition: the tile is whole, and its part of each array is aligned to an access.
std::string ScanWriter::are_aligned(const std::vector<RowArray>& arrays) const {
  std::string text = joined({"treadle_here == ", number(tile_)});
  for (const RowArray& array : arrays)
    text += joined({" && (", types_.name_of(Scalar::uint64), ")", array.name, " % ",
                    number(array.bytes), " == 0"});
  return text;
}

/// Bounds the registers of a work-item. Without the bound, fewer groups run at once and fewer loads
/// are in flight.
void ScanWriter::open_row_kernel(const std::string& name, tree::Parts parameters) {
  const bool takes_more = !compacts() && (own_items_ > 32 || snippet_.dtype.size_bytes() > 4);
  const unsigned together =
      std::max(1u, tiling_.scan_residents / group_size_ * (takes_more ? 3 : 4) / 4);
  code_.open_function(
      tree::function(tree::around(joined({"TREADLE_KERNEL TREADLE_GROUPS_OF(", number(group_size_),
                                          ", ", number(together), ")"}),
                                  "", "", "", tree::value("", name)),
                     std::move(parameters)));
}

void ScanWriter::write_pack_types() {
  std::vector<RowArray> arrays = read_;
  if (!compacts())
    if (const auto stored = array_stored_whole()) arrays.push_back(*stored);
  for (auto array = arrays.begin(); array != arrays.end(); ++array)
    if (std::find_if(arrays.begin(), array,
                     [&](const RowArray& other) { return other.name == array->name; }) == array)
      write_structure(code_, array->pack,
                      {tree::array(tree::value(array->type, "at"), number(row_items_))},
                      fill_holes(dialect_.aligned, std::array{number(array->bytes)}));
}

void ScanWriter::open_each_row() {
  code_.directive("pragma", "unroll");
  code_.open_for(uint_, "treadle_row", "0", number(rows_));
}

/// Opens the loop over a row's elements and defines the place of each in the tile.
void ScanWriter::open_each_of_row() {
  code_.directive("pragma", "unroll");
  code_.open_for(uint_, "treadle_j", "0", number(row_items_));
  code_.declare({"const ", uint_}, "treadle_k",
                {"treadle_first + treadle_row * ", number(sub_group * row_items_), " + treadle_j"});
}

std::string ScanWriter::own_of_row() const {
  return joined({"treadle_row * ", number(row_items_), " + treadle_j"});
}

void ScanWriter::write_place_in_tile() {
  const std::string id = dialect_.local_id, width = number(sub_group);
  code_.declare({"const ", uint_}, "treadle_lane", {id, " % ", width});
  code_.declare({"const ", uint_}, "treadle_sub_group", {id, " / ", width});
  code_.declare({"const ", uint_}, "treadle_first",
                {"treadle_sub_group * ", number(sub_group * own_items_), " + treadle_lane * ",
                 number(row_items_)});
}

void ScanWriter::write_row_loads() {
  for (const RowArray& array : read_) {
    open_each_row();
    code_.assign({array.packs, "[treadle_row]"},
                 {"*(const ", array.pack, " *)(", array.name, " + treadle_from + treadle_first + ",
                  "treadle_row * ", number(sub_group * row_items_), ")"});
    code_.close();
  }
}

/// Writes code for packs and for single elements, and the condition that selects packs.
void ScanWriter::write_each_way(const std::function<void(Reach)>& write) {
  if (read_.empty()) return write(Reach::elements);
  code_.open_if("treadle_has_packs");
  write(Reach::packs);
  code_.close();
  code_.open_else();
  write(Reach::elements);
  code_.close();
}

void ScanWriter::declare_packs() {
  for (const RowArray& array : read_) code_.declare_array(array.pack, array.packs, number(rows_));
  if (!read_.empty()) code_.declare({"const ", uint_}, "treadle_has_packs", are_aligned(read_));
}

void ScanWriter::write_row_inputs(Reach reach) {
  if (reach == Reach::packs) write_row_loads();
  open_each_row();
  open_each_of_row();
  const std::string own = joined({"treadle_items[", own_of_row(), "]"});
  if (reach == Reach::elements) {
    code_.assign(own, "0");
    code_.open_if("treadle_k < treadle_here");
  }
  code_.declare({"const ", integer_}, "treadle_at", "treadle_from + treadle_k");
  write_input(reached(snippet_.input, reach));
  code_.assign(own, "treadle_value");
  if (reach == Reach::elements) code_.close();
  code_.close();
  code_.close();
}

std::string ScanWriter::last_of_sub_group(const std::string& value) const {
  return expand_words(
      joined({"treadle_sub_group_shuffle(", value, ", ", number(sub_group - 1), ")"}), dialect_);
}

void ScanWriter::open_each_step() {
  code_.directive("pragma", "unroll");
  code_.open_loop(tree::initialize(tree::value(uint_, "treadle_step"), "1"),
                  {"treadle_step < ", number(sub_group)}, "treadle_step *= 2");
}

/// For each row, stores in treadle_sums the sum before the work-item's elements within the
/// sub-group; stores the sum of the sub-group in treadle_carry.
void ScanWriter::write_row_sums() {
  const std::string items = number(row_items_);
  code_.declare_array("treadle_item", "treadle_sums", number(rows_));
  open_each_row();
  code_.declare("treadle_item", "treadle_sum", {"treadle_items[treadle_row * ", items, "]"});
  if (row_items_ > 1) {
    code_.directive("pragma", "unroll");
    code_.open_for(uint_, "treadle_j", "1", items);
    code_.assign("treadle_sum",
                 combined("treadle_sum", joined({"treadle_items[", own_of_row(), "]"}), "0"));
    code_.close();
  }
  code_.assign("treadle_sums[treadle_row]", "treadle_sum");
  code_.close();
  open_each_step();
  open_each_row();
  code_.declare("const treadle_item", "treadle_earlier",
                shuffled_up("treadle_sums[treadle_row]", "treadle_step", dialect_));
  code_.when("treadle_lane >= treadle_step",
             tree::assign("treadle_sums[treadle_row]",
                          combined("treadle_earlier", "treadle_sums[treadle_row]", "0")));
  code_.close();
  code_.close();
  code_.declare("treadle_item", "treadle_carry");
  open_each_row();
  code_.declare("const treadle_item", "treadle_total",
                last_of_sub_group("treadle_sums[treadle_row]"));
  code_.declare("const treadle_item", "treadle_earlier",
                shuffled_up("treadle_sums[treadle_row]", "1", dialect_));
  code_.open_if("treadle_row == 0");
  code_.assign("treadle_sums[treadle_row]", "treadle_earlier");
  code_.assign("treadle_carry", "treadle_total");
  code_.close();
  code_.open_else();
  code_.assign("treadle_sums[treadle_row]", "treadle_carry");
  code_.when("treadle_lane > 0", tree::assign("treadle_sums[treadle_row]",
                                              combined("treadle_carry", "treadle_earlier", "0")));
  code_.assign("treadle_carry", combined("treadle_carry", "treadle_total", "0"));
  code_.close();
  code_.close();
}

/// From the sums of sub-groups, stores in treadle_group the sum before each sub-group and, for the
/// first work-item, in treadle_all the sum of all.
void ScanWriter::write_group_sums() {
  const std::string count = number(group_size_ / sub_group);
  code_.when("treadle_lane == 0", tree::assign("treadle_own[treadle_sub_group]", "treadle_carry"));
  code_.evaluate(dialect_.barrier);
  code_.declare("treadle_item", "treadle_group", "treadle_own[0]");
  code_.declare("treadle_item", "treadle_all", "treadle_own[0]");
  code_.directive("pragma", "unroll");
  code_.open_for(uint_, "treadle_k", "1", count);
  code_.declare("const treadle_item", "treadle_next", "treadle_own[treadle_k]");
  code_.when("treadle_k < treadle_sub_group",
             tree::assign("treadle_group", combined("treadle_group", "treadle_next", "0")));
  code_.when({dialect_.local_id, " == 0"},
             tree::assign("treadle_all", combined("treadle_all", "treadle_next", "0")));
  code_.close();
}

/// Stores in treadle_base the sum before a sub-group, if there is one.
void ScanWriter::write_base() {
  code_.declare("treadle_item", "treadle_base", "treadle_before_tile");
  code_.open_if("treadle_sub_group > 0");
  code_.assign("treadle_base", "treadle_group");
  code_.when("treadle_ticket > 0",
             tree::assign("treadle_base", combined("treadle_before_tile", "treadle_group", "0")));
  code_.close();
  code_.declare({"const ", uint_}, "treadle_has_base",
                "treadle_ticket > 0 || treadle_sub_group > 0");
}

/// Opens the loop over a row's elements: treadle_running is the sum up to an element,
/// treadle_earlier the sum before it.
void ScanWriter::open_each_running() {
  code_.declare({"const ", uint_}, "treadle_is_behind", "treadle_row > 0 || treadle_lane > 0");
  code_.declare("treadle_item", "treadle_running", "treadle_sums[treadle_row]");
  code_.open_if("treadle_has_base");
  code_.assign("treadle_running", "treadle_base");
  code_.when(
      "treadle_is_behind",
      tree::assign("treadle_running", combined("treadle_base", "treadle_sums[treadle_row]", "0")));
  code_.close();
  open_each_of_row();
  code_.declare("const treadle_item", "treadle_next",
                joined({"treadle_items[", own_of_row(), "]"}));
  if (has_previous_) code_.declare("const treadle_item", "treadle_earlier", "treadle_running");
  code_.open_if("treadle_has_base || treadle_is_behind || treadle_j > 0");
  code_.assign("treadle_running", combined("treadle_running", "treadle_next", "0"));
  code_.close();
  code_.open_else();
  code_.assign("treadle_running", "treadle_next");
  code_.close();
}

void ScanWriter::write_row_stores(const RowArray& into) {
  const std::string text =
      with_elements(without_comments(snippet_.output), into.name, into.packs + ".at[treadle_j]");
  open_each_row();
  code_.declare(into.pack, into.packs);
  open_each_running();
  code_.declare({"const ", integer_}, "treadle_at", "treadle_from + treadle_k");
  code_.declare("const treadle_index", "i", "(treadle_index)treadle_at");
  code_.evaluate("(void)i");  // the output may store to registers only
  if (has_item()) code_.declare("treadle_item", "item", "treadle_running");
  write_output(text,
               [&] { code_.when("treadle_at > 0", tree::assign("prev_item", "treadle_earlier")); });
  code_.close();
  code_.assign({"*(", into.pack, " *)(", into.name, " + treadle_from + treadle_first + ",
                "treadle_row * ", number(sub_group * row_items_), ")"},
               into.packs);
  code_.close();
}

void ScanWriter::write_by_rows() {
  code_.declare_local("treadle_item", "treadle_own", number(group_size_ / sub_group));
  code_.declare_local("treadle_item", "treadle_tile", number(tile_));
  write_place_in_tile();
  code_.declare_array("treadle_item", "treadle_items", number(own_items_));
  declare_packs();
  write_each_way([this](Reach reach) { write_row_inputs(reach); });
  write_row_sums();
  write_group_sums();
  look_back().write(code_, {"treadle_all", ""});
  write_base();
  const std::optional<RowArray> stored = array_stored_whole();
  if (stored) {
    code_.open_if(are_aligned({*stored}));
    write_row_stores(*stored);
    code_.close();
    code_.open_else();
  }
  open_each_row();
  open_each_running();
  code_.assign("treadle_tile[treadle_k]", "treadle_running");
  code_.close();
  code_.close();
  code_.evaluate(dialect_.barrier);
  write_outputs_of_tile();
  if (stored) code_.close();
}

}  // namespace treadle::codegen
