// SPDX-License-Identifier: MIT
// Scans in one pass: a group publishes the sum of its tile, gets the sum of earlier tiles by
// look-back, and scans the tile.
#include "scan_writer.hpp"
#include "snippet_reading.hpp"
#include "words.hpp"

namespace treadle::codegen {

LookBack ScanWriter::look_back() const {
  return {.dtype = snippet_.dtype,
          .has_marks = is_segmented_,
          .group_size = group_size_,
          .anchored = is_wide_ ? LookBack::stretch(snippet_.dtype, tiling_.anchored_tiles) : 1,
          .dialect = dialect_,
          .types = types_,
          .combined = [this](std::string_view a, std::string_view b, std::string_view mark) {
            return combined(a, b, joined({mark, " != 0"}));
          }};
}

void ScanWriter::write_one_pass(const std::string& name) {
  const LookBack shared = look_back();
  tree::Parts list = user_parameters();
  shared.append_parameters(list);
  is_by_rows_ ? open_row_kernel(name, std::move(list))
              : code_.open_kernel(name, std::move(list), group_size_);
  define_pointers(code_, snippet_.parameters, types_);
  if (!is_by_rows_) declare_shared();
  if (is_wide_) shared.declare(code_);
  shared.take_ticket(code_);
  const std::string tile = number(tile_);
  code_.declare({"const ", integer_}, "treadle_from", {"(", integer_, ")treadle_ticket * ", tile});
  code_.declare({"const ", uint_}, "treadle_here",
                {"N - treadle_from < ", tile, " ? (", uint_, ")(N - treadle_from) : ", tile});
  if (is_by_rows_)
    compacts() ? write_compaction() : write_by_rows();
  else
    is_wide_ ? write_one_pass_wide() : write_one_pass_narrow();
  code_.close();
}

void ScanWriter::write_one_pass_wide() {
  write_tile_load([&] { write_input(); });
  code_.evaluate(dialect_.barrier);
  code_.declare({"const ", uint_}, "treadle_low", {dialect_.local_id, " * ", number(own_items_)});
  write_own_sums(OwnSums::dropped);
  group_scan().write(code_);
  code_.declare({"const ", uint_}, "treadle_last", {"(treadle_here - 1) / ", number(own_items_)});
  look_back().write(code_, {"treadle_own[treadle_last]", "treadle_marks[treadle_last]"});
  write_carry_of_tile();
  code_.evaluate(dialect_.barrier);
  write_outputs_of_tile();
}

/// Each work-item scans its own elements, starting from the sum before them.
void ScanWriter::write_carry_of_tile() {
  const std::string id = dialect_.local_id;
  code_.open_if("treadle_low < treadle_here");
  code_.declare({"const ", uint_}, "treadle_has_before", {id, " > 0 || treadle_ticket > 0"});
  code_.declare("treadle_item", "treadle_carry");
  code_.when("treadle_ticket > 0", tree::assign("treadle_carry", "treadle_before_tile"));
  code_.open_if({id, " > 0"});
  code_.declare("const treadle_item", "treadle_group", {"treadle_own[", id, " - 1]"});
  code_.open_if("treadle_ticket > 0");
  code_.assign("treadle_carry", combined("treadle_carry", "treadle_group",
                                         joined({"treadle_marks[", id, " - 1] != 0"})));
  code_.close();
  code_.open_else();
  code_.assign("treadle_carry", "treadle_group");
  code_.close();
  code_.close();
  code_.open_for(uint_, "treadle_k", "treadle_low", "treadle_high");
  code_.declare("treadle_item", "treadle_next", "treadle_tile[treadle_k]");
  code_.when("treadle_has_before || treadle_k > treadle_low",
             tree::assign("treadle_next", combined("treadle_carry", "treadle_next",
                                                   "treadle_flags[treadle_k] != 0")));
  code_.assign("treadle_tile[treadle_k]", "treadle_next");
  code_.assign("treadle_carry", "treadle_next");
  code_.close();
  code_.close();
}

/// Whether the user's statement may use `item`. Macros may use any name.
bool ScanWriter::has_item() const {
  return mentions(snippet_.output, "item") || mentions(snippet_.preamble, "item");
}

/// Writes the user's statement for the element treadle_at, whose sum is in `item`.
void ScanWriter::write_output(const std::string& text, const std::function<void()>& previous) {
  if (has_previous_) {
    write_neutral_previous();
    previous();
  }
  code_.open();
  code_.statements(text);
  code_.close();
}

void ScanWriter::write_outputs_of_tile() {
  code_.directive("pragma", {"unroll ", number(tiling_.loads_in_flight)});
  open_each_of_tile();
  code_.declare("const treadle_index", "i", "(treadle_index)treadle_at");
  if (has_item()) code_.declare("treadle_item", "item", "treadle_tile[treadle_k]");
  write_output([&] {
    code_.open_if(is_segmented_ ? "treadle_at > 0 && !treadle_flags[treadle_k]" : "treadle_at > 0");
    code_.open_if("treadle_k > 0");
    code_.assign("prev_item", "treadle_tile[treadle_k - 1]");
    code_.close();
    code_.open_else();
    code_.assign("prev_item", "treadle_before_tile");
    code_.close();
    code_.close();
  });
  code_.close();
}

/// Bit 0 of a flag says whether a segment starts at its element, bit 1 whether a segment starts in
/// the same part, up to its element.
void ScanWriter::write_one_pass_narrow() {
  code_.declare_local("treadle_item", "treadle_tile", number(tile_));
  if (is_segmented_)
    code_.declare_local(types_.name_of(Scalar::uint8), "treadle_flags", number(tile_));
  code_.open_for(uint_, "treadle_k", "0", "treadle_here");
  code_.declare({"const ", integer_}, "treadle_at", "treadle_from + treadle_k");
  write_input();
  code_.assign("treadle_tile[treadle_k]", "treadle_value");
  if (is_segmented_) code_.assign("treadle_flags[treadle_k]", "treadle_flag");
  code_.close();
  write_parts();
  look_back().write(code_, {"treadle_sum", "treadle_mark"});
  write_outputs_of_parts();
}

/// One step of a part: adds the element treadle_k to the part's sum.
void ScanWriter::write_part_step(const std::string& part) {
  const std::string sum = joined({"treadle_sums[", part, "]"}),
                    mark = joined({"treadle_sum_marks[", part, "]"});
  code_.declare("const treadle_item", "treadle_next", "treadle_tile[treadle_k]");
  code_.assign(sum, combined(sum, "treadle_next", "treadle_flags[treadle_k] != 0"));
  code_.assign("treadle_tile[treadle_k]", sum);
  if (!is_segmented_) return;
  code_.assign(mark, "treadle_flags[treadle_k]", "|=");
  code_.assign("treadle_flags[treadle_k]", {mark, " << 1"}, "|=");
}

/// Scans the parts of the tile; a whole tile has several parts of equal length, which are scanned
/// together. Stores the sum of the tile in treadle_sum, and the sum before each part in
/// treadle_sums.
void ScanWriter::write_parts() {
  const std::string lanes = number(lanes_), length = number(tile_ / lanes_);
  code_.declare_array("treadle_item", "treadle_sums", lanes);
  if (is_segmented_) code_.declare_array(uint_, "treadle_sum_marks", lanes);
  const auto begin_part = [&](const std::string& part, const std::string& at) {
    code_.assign({"treadle_sums[", part, "]"}, {"treadle_tile[", at, "]"});
    if (!is_segmented_) return;
    code_.assign({"treadle_sum_marks[", part, "]"}, {"treadle_flags[", at, "]"});
    code_.assign({"treadle_flags[", at, "]"}, {"treadle_sum_marks[", part, "] << 1"}, "|=");
  };
  if (lanes_ > 1) {
    code_.declare({"const ", uint_}, "treadle_is_whole", {"treadle_here == ", number(tile_)});
    code_.open_if("treadle_is_whole");
    code_.directive("pragma", "unroll");
    code_.open_for(uint_, "treadle_part", "0", lanes);
    begin_part("treadle_part", joined({"treadle_part * ", length}));
    code_.close();
    code_.open_for(uint_, "treadle_step", "1", length);
    code_.directive("pragma", "unroll");
    code_.open_for(uint_, "treadle_part", "0", lanes);
    code_.declare({"const ", uint_}, "treadle_k", {"treadle_part * ", length, " + treadle_step"});
    write_part_step("treadle_part");
    code_.close();
    code_.close();
    code_.close();
    code_.open_else();
  }
  begin_part("0", "0");
  code_.open_for(uint_, "treadle_k", "1", "treadle_here");
  write_part_step("0");
  code_.close();
  if (lanes_ > 1) code_.close();
  code_.declare("treadle_item", "treadle_sum", "treadle_sums[0]");
  if (is_segmented_) code_.declare(uint_, "treadle_mark", "treadle_sum_marks[0]");
  if (lanes_ == 1) return;
  code_.open_if("treadle_is_whole");
  code_.directive("pragma", "unroll");
  code_.open_for(uint_, "treadle_part", "1", lanes);
  code_.declare("const treadle_item", "treadle_next", "treadle_sums[treadle_part]");
  code_.assign("treadle_sums[treadle_part]", "treadle_sum");
  code_.assign("treadle_sum",
               combined("treadle_sum", "treadle_next", "treadle_sum_marks[treadle_part] != 0"));
  if (is_segmented_) {
    code_.declare({"const ", uint_}, "treadle_mark_of_part", "treadle_sum_marks[treadle_part]");
    code_.assign("treadle_sum_marks[treadle_part]", "treadle_mark");
    code_.assign("treadle_mark", "treadle_mark_of_part", "|=");
  }
  code_.close();
  code_.close();
}

void ScanWriter::write_outputs_of_parts() {
  const std::string length = number(tile_ / lanes_);
  const char* const part = lanes_ > 1 ? "treadle_part" : "0";
  if (lanes_ > 1) {
    code_.open_for(uint_, "treadle_part", "0",
                   joined({"(treadle_is_whole ? ", number(lanes_), " : 1)"}));
    code_.declare({"const ", uint_}, "treadle_low", {"treadle_part * ", length});
    code_.declare({"const ", uint_}, "treadle_high",
                  {"treadle_is_whole ? treadle_low + ", length, " : treadle_here"});
  } else {
    code_.declare({"const ", uint_}, "treadle_low", "0");
    code_.declare({"const ", uint_}, "treadle_high", "treadle_here");
  }
  code_.declare("treadle_item", "treadle_carry", "treadle_before_tile");
  if (lanes_ > 1) {
    code_.open_if("treadle_part > 0");
    code_.assign("treadle_carry", "treadle_sums[treadle_part]");
    code_.when("treadle_ticket > 0",
               tree::assign("treadle_carry", combined("treadle_before_tile", "treadle_carry",
                                                      "treadle_sum_marks[treadle_part] != 0")));
    code_.close();
  }
  code_.declare({"const ", uint_}, "treadle_has_before", {"treadle_ticket > 0 || ", part, " > 0"});
  const auto scanned = [&](const std::string& at) {
    return combined("treadle_carry", joined({"treadle_tile[", at, "]"}),
                    joined({"treadle_flags[", at, "] > 1"}));
  };
  code_.open_for(uint_, "treadle_k", "treadle_low", "treadle_high");
  code_.declare({"const ", integer_}, "treadle_at", "treadle_from + treadle_k");
  code_.declare("const treadle_index", "i", "(treadle_index)treadle_at");
  if (has_item()) {
    code_.declare("treadle_item", "item", "treadle_tile[treadle_k]");
    code_.when("treadle_has_before", tree::assign("item", scanned("treadle_k")));
  }
  write_output([&] {
    code_.open_if(is_segmented_ ? "treadle_at > 0 && !(treadle_flags[treadle_k] & 1)"
                                : "treadle_at > 0");
    code_.assign("prev_item", "treadle_carry");
    code_.open_if("treadle_k > treadle_low");
    code_.assign("prev_item", "treadle_tile[treadle_k - 1]");
    code_.when("treadle_has_before", tree::assign("prev_item", scanned("treadle_k - 1")));
    code_.close();
    code_.close();
  });
  code_.close();
  if (lanes_ > 1) code_.close();
}

std::vector<ScanAccess> scan_accesses(const ScanSnippet& snippet) {
  const std::string read = snippet.input + " " + snippet.segment_start;
  std::vector<ScanAccess> all;
  for (const ParameterSpec& parameter : snippet.parameters) {
    const std::string& name = parameter.name;
    ScanAccess& access = all.emplace_back();
    if (parameter.kind == ParameterSpec::Kind::scalar) continue;
    // Macros may use any name.
    const bool is_named = mentions(snippet.preamble, name);
    access = {.is_read = is_named || mentions(read, name),
              .is_read_at_i = !is_named && uses_only_its_element(read, name),
              .may_be_written = is_named || !only_reads_elements(snippet.output, name),
              .is_written_at_i = !is_named && uses_only_its_element(snippet.output, name)};
    for (const ScanFetch& fetch : snippet.fetches)
      if (fetch.array == name) {
        access.is_read = true;
        access.is_read_at_i &= fetch.offset == 0;
      }
  }
  return all;
}

}  // namespace treadle::codegen
