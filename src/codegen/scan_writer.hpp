// SPDX-License-Identifier: MIT
// Writes the kernels of a scan: in several passes (scan.cpp) or in one pass (scan_look_back.cpp),
// whose tiles may stay in registers (scan_rows.cpp, scan_compaction.cpp).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "block.hpp"
#include "look_back.hpp"
#include "treadle/codegen/scan.hpp"

namespace treadle::codegen {

class ScanWriter {
 public:
  ScanWriter(const ScanSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
             const TypeNames& types);
  ScanText write();

 private:
  /// The input and the target of a scan within a group.
  struct Source {
    /// Writes statements that store the element `treadle_at` in treadle_value and, in a segmented
    /// scan, whether a segment starts there in treadle_flag.
    std::function<void()> load;
    std::string stored;  ///< target of the sum of the elements up to `treadle_at`
    bool keeps_starts;   ///< whether flags are stored as well
  };
  /// Whether the sums of a work-item's elements replace the elements.
  enum class OwnSums { kept, dropped };

  void set_wide_tile();
  void set_rows();
  void set_narrow_tile();
  Schedule schedule() const { return is_wide_ ? Schedule::wide : Schedule::narrow; }
  bool keeps_starts() const { return is_segmented_ && has_previous_; }
  std::string combined(std::string_view a, std::string_view b, std::string_view across) const;
  void require_valid() const;
  const ParameterSpec& fetched(const ScanFetch& fetch) const;
  tree::Parts user_parameters() const;
  void write_input() { write_input(snippet_.input); }
  void write_input(const std::string& text);
  void declare_shared();
  void open_each_of_tile();
  void write_tile_load(const std::function<void()>& load);
  void write_own_sums(OwnSums sums);
  BlockScan group_scan() const;
  void write_neutral_previous();

  // Scans in several passes.
  void open_kernel(const std::string& name);
  void write_intervals(const std::string& name);
  void write_interval(std::string_view interval);
  void write_totals(const std::string& name);
  /// Scans the elements from treadle_begin up to treadle_end in this group. Stores the sum of all
  /// in treadle_carry and, in a segmented scan, the first start in treadle_first.
  void write_scan(const Source& source) { is_wide_ ? write_wide(source) : write_narrow(source); }
  void write_narrow(const Source& source);
  void write_wide(const Source& source);
  void write_carry();
  void write_outputs(const std::string& name);
  void write_wide_carry();
  void write_narrow_carry();
  void write_previous();

  // Scans in one pass.
  LookBack look_back() const;
  void write_one_pass(const std::string& name);
  void write_one_pass_wide();
  void write_carry_of_tile();
  void write_outputs_of_tile();
  void write_one_pass_narrow();
  void write_parts();
  void write_part_step(const std::string& part);
  void write_outputs_of_parts();
  bool has_item() const;
  void write_output(const std::function<void()>& previous) {
    write_output(snippet_.output, previous);
  }
  void write_output(const std::string& text, const std::function<void()>& previous);

  // Scans in one pass, by rows.
  //
  // An array that is read or written by accesses of several elements: the bytes of an access, its
  // type, and the name of a variable with that type.
  struct RowArray {
    std::string name, pack, packs, type;
    std::size_t bytes;
  };
  /// How the text reaches `x[i]`.
  enum class Reach : std::uint8_t { packs, elements };

  bool goes_by_rows() const;
  std::size_t row_bytes() const;
  std::vector<std::string> texts_by_rows() const;
  std::vector<RowArray> arrays_read_by(const std::vector<std::string>& texts) const;
  RowArray row_array(const ParameterSpec& parameter, std::string_view prefix) const;
  std::optional<RowArray> array_stored_whole() const;
  std::string reached(const std::string& text, Reach reach) const;
  std::string are_aligned(const std::vector<RowArray>& arrays) const;
  std::string own_of_row() const;
  std::string last_of_sub_group(const std::string& value) const;
  void open_row_kernel(const std::string& name, tree::Parts parameters);
  void write_pack_types();
  void write_by_rows();
  void write_place_in_tile();
  void declare_packs();
  void write_each_way(const std::function<void(Reach)>& write);
  void open_each_row();
  void open_each_of_row();
  void open_each_step();
  void write_row_loads();
  void write_row_inputs(Reach reach);
  void write_row_sums();
  void write_group_sums();
  void write_base();
  void open_each_running();
  void write_row_stores(const RowArray& into);

  // Selections, by rows.
  bool compacts() const { return !snippet_.compactions.empty(); }
  DType stored_dtype(const ScanCompaction& store) const;
  bool is_moved(const ScanCompaction& store) const;
  std::size_t staged_bytes() const;
  void write_compaction();
  void write_flags(Reach reach);
  void write_ranks();
  void write_moves(std::size_t store, Reach reach);
  void write_compacted();

  const ScanSnippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  bool is_wide_, is_segmented_, has_previous_, has_last_, is_by_rows_ = false;
  std::string integer_, uint_;
  unsigned group_size_ = 1, own_items_ = 1, tile_ = 1, lanes_ = 1, row_items_ = 1, rows_ = 1;
  std::vector<RowArray> read_;  // by rows: the arrays that are read by packs
  tree::BlockBuilder code_;
};

}  // namespace treadle::codegen
