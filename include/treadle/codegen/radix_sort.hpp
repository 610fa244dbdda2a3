// SPDX-License-Identifier: MIT
// One pass of a radix sort by keys that a user's C text gives: elements are dealt, in their order,
// to places by one digit of their keys. Passes from the lowest digit to the highest sort.
//
//   digits       2 0 1 0 | 1 2 0 1 | ...      intervals, one for each group
//   counts       0: 2 1 ..   1: 1 2 ..   2: 1 1 ..     of a digit, by intervals; then all are
//   first places 0: 0 2 ..   1: n0 n0+1 ..   ...       summed before each: ScanKernel
//   places       each group puts its elements of a digit one behind the other
//
// Wide, a group goes through its interval by tiles, and each work-item has its neighbours and its
// own counters, one for each digit, in local memory: the sum of the counters before, in the order
// of digits, and of work-items among those of one digit, is the rank of an element in its tile
// (Satish, Harris, Garland 2009, with the counters of Merrill and Grimshaw 2011). Narrow, an
// interval is a loop. The sort is stable, and the same in every run.
//
// Where groups may wait for earlier ones, and sub-groups vote, a pass reads the keys once (Adinets
// and Merrill, "Onesweep", 2022). `counts` counts all digits of all keys. Then, for each digit,
// `places` takes a tile of elements in each group: votes say which of a sub-group have equal
// digits, and counters of each sub-group how many were before. What of each digit was in the tiles
// before is the sum of what these publish, up to one that has published all before it:
//
//   tile          0      1      2      3      4
//   published     all: 3 all: 9 own: 2 own: 5        4 adds 5, 2 and 9, and publishes `all`
//
// Elements change places in local memory first, so that those of one digit are stored together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// A user's radix sort. The key may use the parameters and the element's index `i`.
struct RadixSortSnippet {
  std::vector<ParameterSpec> parameters;  ///< as the key uses them
  std::string key;                        ///< of the element `i`, an expression: an integer
  std::vector<std::string> sorted;        ///< which of the parameters are moved: pointers
  Scalar key_dtype = Scalar::uint32;      ///< unsigned; keys are compared as numbers of it
  Scalar index_dtype = Scalar::int64;     ///< of `i`: int32 or int64
  std::string name = "radix_sort";        ///< the kernels' names begin with it
  std::string preamble = {};              ///< before the kernels
  bool sweeps = false;                    ///< as can_sweep() allows
};

/// The kernels of a pass. Behind the user's parameters both take the number of elements
/// (index_dtype), the elements of an interval and the number of intervals (int64), the lowest bit
/// of the digit (uint32), and a pointer to a number (index_dtype) for each digit and interval. The
/// second one takes, before all that, a pointer for each that is sorted, to where it is moved.
///
/// The kernels of a sort that sweeps take other arguments behind the number of elements: which pass
/// it is, `counts` how many there are (uint32); the number of tiles (int64); and a pointer to words
/// (sweep_room()). `places` is launched with a group for each tile, `counts` with any number.
struct RadixSortText {
  std::string text;                    ///< a whole program
  std::string counts, places;          ///< names
  unsigned group_size;                 ///< work-items to launch the second one with
  unsigned counts_group_size;          ///< the same of the first one
  unsigned tile;                       ///< an interval is a multiple of so many elements
  unsigned digit_bits;                 ///< of a pass
  unsigned passes;                     ///< by all bits of a key
  bool sweeps;                         ///< whether it does
  std::vector<ParameterSpec> targets;  ///< what the second one takes first
  tree::NodePtr program = {};          ///< what `text` was printed of
};

/// Memory of a sort that sweeps, of so many tiles.
struct SweepRoom {
  std::uint64_t words;  ///< uint32 or, where indices are int64, uint64
  std::uint64_t zeros;  ///< how many of the first of them are 0 before the first kernel
};
SweepRoom sweep_room(const RadixSortText& made, std::uint64_t tiles);

/// Whether a sort can sweep: the language has votes, and local memory has room for as many of the
/// largest elements as a group has work-items.
bool can_sweep(const RadixSortSnippet& snippet, const Tiling& tiling, const Dialect& dialect);

/// Writes the kernels. Throws InvalidArgument for a parameter that is called `i` or `N`, for one to
/// be sorted that is no pointer, and if nothing is; DTypeError for keys that are no unsigned
/// integers and for another index dtype; NotSupported for a sweep that cannot be.
RadixSortText generate_radix_sort(const RadixSortSnippet& snippet, const Tiling& tiling,
                                  const Dialect& dialect, const TypeNames& types);

}  // namespace treadle::codegen
