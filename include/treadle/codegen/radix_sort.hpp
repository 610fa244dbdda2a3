// SPDX-License-Identifier: MIT
// One pass of a radix sort by keys that a user's C text computes. A pass moves the elements to
// places by one digit of their keys and keeps the order of equal digits. Passes from the lowest
// digit to the highest sort the elements.
//
//   digits       2 0 1 0 | 1 2 0 1 | ...      intervals, one for each group
//   counts       0: 2 1 ..   1: 1 2 ..   2: 1 1 ..     for each digit, interval by interval
//   first places 0: 0 2 ..   1: n0 n0+1 ..   ...       a ScanKernel sums the counts before each
//   places       each group stores its elements of one digit one after the other
//
// Wide, a group goes through its interval tile by tile. Each work-item has adjacent elements and,
// in local memory, a counter for each digit. The rank of an element in its tile is the sum of the
// counters before its own, in the order of digits and, for one digit, of work-items (Satish,
// Harris, Garland 2009, with the counters of Merrill and Grimshaw 2011). Narrow, an interval is a
// loop. The sort is stable and gives the same result in every run.
//
// If groups may wait for earlier groups, and sub-groups have votes, a pass reads the keys once
// (Adinets and Merrill, "Onesweep", 2022). The kernel `counts` counts all digits of all keys. Then,
// for each digit, each group of the kernel `places` takes a tile of elements. Votes find the
// work-items of a sub-group whose digits are equal, and counters of each sub-group count the
// earlier elements of each digit. Each tile publishes its counts. To count a digit in all earlier
// tiles, a tile adds up these counts backwards, as far as a tile that has published the count of
// all tiles up to itself:
//
//   tile          0      1      2      3      4
//   published     all: 3 all: 9 own: 2 own: 5        4 adds 5, 2 and 9, and publishes `all`
//
// The elements are first moved in local memory, so that those of one digit are stored together.
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

/// A user's radix sort. The key's text may use the parameters and the index `i` of the element.
struct RadixSortSnippet {
  std::vector<ParameterSpec> parameters;  ///< the parameters, by the names in the key's text
  std::string key;                     ///< an expression for the key of the element `i`: an integer
  std::vector<std::string> sorted;     ///< the parameters that are moved: pointers
  Scalar key_dtype = Scalar::uint32;   ///< unsigned; the dtype in which keys are compared
  Scalar index_dtype = Scalar::int64;  ///< dtype of `i`: int32 or int64
  std::string name = "radix_sort";     ///< the kernels' names begin with this name
  std::string preamble = {};           ///< text before the kernels
  bool sweeps = false;                 ///< whether passes read keys once; only if can_sweep()
};

/// The kernels of a pass. After the user's parameters both kernels take the number of elements
/// (index_dtype), the length of an interval and the number of intervals (int64), the lowest bit of
/// the digit (uint32), and a pointer to a number (index_dtype) for each digit and interval. Before
/// the user's parameters the second kernel takes, for each array that is sorted, a pointer to the
/// sorted array.
///
/// If the sort sweeps, other arguments follow the number of elements: a uint32, which is the number
/// of passes for `counts` and the number of the pass for `places`; the number of tiles (int64); and
/// a pointer to words (sweep_room()). `places` is launched with a group for each tile, `counts`
/// with any number of groups.
struct RadixSortText {
  std::string text;            ///< a complete program
  std::string counts, places;  ///< names of the kernels
  unsigned group_size;         ///< work-items of a group of `places`
  unsigned counts_group_size;  ///< work-items of a group of `counts`
  unsigned tile;        ///< the length of an interval is a multiple of this number of elements
  unsigned digit_bits;  ///< bits of the digit of a pass
  unsigned passes;      ///< passes for all bits of a key
  bool sweeps;          ///< whether passes read keys once
  std::vector<ParameterSpec> targets;  ///< the first parameters of `places`
  tree::NodePtr program = {};          ///< the tree that was printed as `text`
};

/// Scratch memory of a sort that sweeps.
struct SweepRoom {
  std::uint64_t words;  ///< number of words: uint32, or uint64 if indices are int64
  std::uint64_t zeros;  ///< the first so many words must be 0 before the first kernel
};
SweepRoom sweep_room(const RadixSortText& made, std::uint64_t tiles);

/// Whether a sort can sweep: the language has votes, and local memory has room for one of the
/// largest elements for each work-item of a group.
bool can_sweep(const RadixSortSnippet& snippet, const Tiling& tiling, const Dialect& dialect);

/// Writes the kernels. Throws InvalidArgument for a parameter named `i` or `N`, for a sorted
/// parameter that is not a pointer, and if no parameter is sorted; DTypeError for keys that are not
/// unsigned integers and for another index dtype; NotSupported for a sweep unless can_sweep().
RadixSortText generate_radix_sort(const RadixSortSnippet& snippet, const Tiling& tiling,
                                  const Dialect& dialect, const TypeNames& types);

}  // namespace treadle::codegen
