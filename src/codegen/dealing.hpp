// SPDX-License-Identifier: MIT
// How a processor deals elements, in their order, to places by a digit of their keys. Digits come
// first, some at a time, in a loop that compilers make vector code of; then they are used one by
// one. Elements of a digit are gathered in a line, and stored together, past the caches, when the
// line is full: a store to one of 256 places would read a line of memory first.
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

/// An array whose elements are moved: names of both pointers, and of the type.
struct DealtArray {
  std::string from, to, type;
  std::size_t size_bytes;
  bool is_number;  ///< and no record: it can be stored past the caches

  std::string line() const { return "treadle_line_" + from; }
};

/// Writes the loops of one group, which goes from `treadle_begin` to `treadle_end`.
struct Dealing {
  tree::BlockBuilder& code;
  const Tiling& tiling;
  std::string integer;  ///< a type of 64 bits, of treadle_begin
  std::string uint;     ///< of 32
  std::string index;    ///< of places
  /// Writes statements that define `treadle_digit` of the element `treadle_at`, an `integer`.
  std::function<void()> write_digit;

  unsigned digits() const { return 1u << tiling.digit_bits; }
  /// How many elements a line has; 1: they are stored one by one.
  unsigned line_length(const std::vector<DealtArray>& arrays) const;

  /// Counts digits in the variable `treadle_own`, which it declares.
  void write_counts() const;
  /// Moves elements to treadle_next[digit], which moves on.
  void write_moves(const std::vector<DealtArray>& arrays, bool gathers) const;

 private:
  void open_keys() const;
  void write_line(const DealtArray& array, unsigned length) const;
};

/// Before a loop of processors whose iterations do not need each other: without it, compilers ask
/// whether a variable of the loop's own is among the elements, and give up vectors of so few.
/// NVRTC, which compiles no such loop but in tests, does not know the pragma.
void write_vector_loop(tree::BlockBuilder& code);

/// Macros for stores past the caches, where the compiler has them, before kernels that gather.
extern const char* const store_past_caches;

}  // namespace treadle::codegen
