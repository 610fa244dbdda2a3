// SPDX-License-Identifier: MIT
// Writes the kernels of one radix sort: by intervals (radix_sort.cpp), or by sweeps
// (radix_sort_sweep.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "block.hpp"
#include "dealing.hpp"
#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/radix_sort.hpp"
#include "warp_rank.hpp"
#include "words.hpp"

namespace treadle::codegen {

class RadixSortWriter {
 public:
  RadixSortWriter(const RadixSortSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
                  const TypeNames& types)
      : snippet_(snippet),
        tiling_(tiling),
        dialect_(dialect),
        types_(types),
        is_wide_(tiling.schedule == Schedule::wide),
        group_size_(tiling.group_size),
        digits_(1u << tiling.digit_bits),
        integer_(types.name_of(Scalar::int64)),
        uint_(types.name_of(Scalar::uint32)) {}

  RadixSortText write();
  RadixSortText write_sweeps();

  /// The elements of a work-item of a sweep; 0: local memory has no room.
  static unsigned sweep_items(const RadixSortSnippet& snippet, const Tiling& tiling);

 private:
  void require_valid() const;
  std::vector<ParameterSpec> targets() const;
  RadixSortText described() const;
  void write_head(std::string_view how);
  void open_parameters(const std::string& name, std::vector<ParameterSpec> parameters,
                       tree::Parts behind, unsigned group_size, unsigned groups = 0);
  void open_kernel(const std::string& name, std::vector<ParameterSpec> parameters);
  std::string number_of(std::string_view digit) const;
  void open_each_digit(std::string_view first = "0", std::string_view step = "1");
  void write_digit();
  void move_to(std::string_view place);
  const DType& dtype_of(const std::string& name) const;

  Dealing dealing();
  std::vector<DealtArray> moved() const;
  void write_narrow_counts();
  void write_narrow_places();
  BlockRank rank() const;
  void write_wide_counts();
  void write_wide_places();
  void open_each_item();

  unsigned key_bits() const {
    return static_cast<unsigned>(8 * DType(snippet_.key_dtype).size_bytes());
  }
  WarpRank warp_rank() const;
  void open_sweep(const std::string& name, std::vector<ParameterSpec> parameters,
                  std::string_view pass, unsigned group_size, unsigned groups = 0);
  std::string added_to_word(const std::string& place, const std::string& value) const;
  std::string load_word(const std::string& place) const;
  void store_word(const std::string& place, const std::string& value);
  unsigned sweep_passes() const;
  std::uint64_t sweep_zeros() const;
  void write_sweep_counts();
  void write_sweep();
  void write_look_back();
  void load_elements(std::size_t which);
  std::string moved_key() const;
  void write_exchange(std::size_t which);

  const RadixSortSnippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  bool is_wide_;
  unsigned group_size_, digits_;
  std::string integer_, uint_;
  tree::BlockBuilder code_;
};

}  // namespace treadle::codegen
