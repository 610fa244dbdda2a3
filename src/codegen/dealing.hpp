// SPDX-License-Identifier: MIT
// How a processor moves elements, in their order, to places by a digit of their keys. Digits are
// computed in blocks, in a loop that compilers vectorise, and then used one by one. The elements of
// a digit are collected in a line; a full line is stored at once and bypasses the caches. A direct
// store to one of 256 places would first read a cache line from memory.
//
//   digits   2 0 2 1 2 | ...       next       0: 0   1: 4   2: 8
//   lines    0: b      1: d        2: a c e . -> a c e x, to places 8 to 11
//
// (Write-combining buffers: Satish and others 2010; Wassenberg and Sanders 2011.)
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "program.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// An array whose elements are moved: the names of both pointers and of the type.
struct DealtArray {
  std::string from, to, type;
  std::size_t size_bytes;
  bool is_number;  ///< a number, not a record: its stores may bypass the caches

  std::string line() const { return "treadle_line_" + from; }
};

/// Writes the loops of one group over the elements from `treadle_begin` to `treadle_end`.
struct Dealing {
  tree::BlockBuilder& code;
  const Tiling& tiling;
  std::string integer;  ///< a type of 64 bits, the type of treadle_begin
  std::string uint;     ///< an unsigned type of 32 bits
  std::string index;    ///< the type of places
  /// Writes statements that define `treadle_digit` for the element with the index `treadle_at`.
  std::function<void()> write_digit;

  unsigned digits() const { return 1u << tiling.digit_bits; }
  /// The number of elements of a line; 1: elements are stored one by one.
  unsigned line_length(const std::vector<DealtArray>& arrays) const;

  /// Declares the variable `treadle_own` and counts digits in it.
  void write_counts() const;
  /// Moves each element to treadle_next[digit], and increments that place.
  void write_moves(const std::vector<DealtArray>& arrays, bool gathers) const;

 private:
  void open_keys() const;
  void write_line(const DealtArray& array, unsigned length) const;
};

/// Marks a loop of a processor whose iterations are independent. Without the mark, compilers check
/// whether a variable of the loop overlaps the elements, and do not vectorise so few elements.
/// NVRTC does not know the pragma; only tests compile such loops with NVRTC.
void write_vector_loop(tree::BlockBuilder& code);

/// Macros for stores that bypass the caches, if the compiler has such stores; they stand before
/// kernels that collect elements in lines.
extern const char* const store_past_caches;

}  // namespace treadle::codegen
