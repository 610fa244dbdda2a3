// SPDX-License-Identifier: MIT
// Scans around a user's C text: every element gets the sum, by any associative operation, of all
// elements up to it. `a + b` of `x[i]` into `y[i] = item` is a cumulative sum.
//
// Three kernels, none of which waits for another group, so that it runs on every device and gives
// the same bits in every run (reduce, then scan; Blelloch, "Prefix sums and their applications",
// 1990, with few long intervals instead of a tree):
//
//   element     0         i0          i1          i2        N       intervals, one for each group
//   intervals   | s0 .. t0 | s1 .. t1  | s2 .. t2  | s3 .. t3 |     each scanned by itself
//   totals        t0         t0+t1       t0+t1+t2    ...            by one group, in place
//   outputs       s0         t0+s1       t0+t1+s2    ...            run the output statement
//
// The scan of each interval is kept, so that the output statement may change what the input was
// read from, and each input is evaluated once. Wide, a group goes through its interval by tiles:
//
//   1 load    neighbouring work-items evaluate neighbouring inputs into local memory
//   2 own     each work-item scans the few neighbours that are its own
//   3 group   the sums of the work-items are scanned (Hillis and Steele 1986)
//   4 store   each adds what is before its own, and the tile is stored as it was loaded
//
// Narrow, a group is one work-item and its interval a loop; there are few, so that each adds up for
// itself the totals before its own, and the second kernel is left out. A segmented scan carries,
// beside each sum, whether a segment starts within it; what that means is the operation's own
// matter: it is told `across_seg_boundary`, and `across_seg_boundary ? b : a + b` begins anew. (3,
// 1) and (4, 0), sums of two neighbours of which the first has a start, make (7, 1); the other way
// round (3, 1).
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

/// An element that a scan reads before its input: `name` is `array[i + offset]`.
struct ScanFetch {
  std::string name, array;
  int offset;  ///< 0 or -1; before the first element, name is the first
};

/// A user's scan. Texts may use the parameters, the element's index `i`, and their number `N`.
struct ScanSnippet {
  std::vector<ParameterSpec> parameters;  ///< as the texts use them
  DType dtype;                            ///< of everything that is scanned
  std::string input;                      ///< of the element `i`, an expression
  std::string scan;                       ///< of `a` and, behind it, `b`: associative
  std::string neutral;  ///< what changes nothing: prev_item where nothing is before
  /// Statements for the element `i`: `item` is the sum up to it, `prev_item` that before it,
  /// `last_item` that of all.
  std::string output;
  std::string segment_start = {};       ///< whether a segment starts at `i`, whose input is `a`
  std::vector<ScanFetch> fetches = {};  ///< for `input` and `segment_start`
  Scalar index_dtype = Scalar::int64;   ///< of `i` and `N`: int32 or int64
  std::string name = "scan";            ///< the kernels' names begin with it
  std::string preamble = {};            ///< before the kernels
};

/// The kernels of a scan, in the order in which they are launched; behind the user's parameters
/// they all take N (index_dtype), the elements of an interval (int64), the number of intervals
/// (int64), and pointers to an item for each element and to one for each interval; of a segmented
/// scan to an int64 for each interval; and where starts are kept, to a byte for each element.
struct ScanText {
  std::string text;  ///< a whole program
  /// Names; `totals` is launched with one group, and if it is empty, not at all.
  std::string intervals, totals, outputs;
  unsigned group_size;              ///< work-items to launch them with
  unsigned items;                   ///< neighbours that one of them scans by itself
  unsigned tile;                    ///< an interval is a multiple of so many elements
  bool is_segmented, keeps_starts;  ///< which pointers they take
  tree::NodePtr program = {};       ///< what `text` was printed of
};

/// Writes the kernels. Throws InvalidArgument for a parameter that is called as a scan's own
/// variables are, for a fetch of what is no array or of another offset, and where the output uses
/// prev_item and there is no neutral element; DTypeError for another index dtype, and if the
/// item's type has no name.
ScanText generate_scan(const ScanSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
                       const TypeNames& types);

}  // namespace treadle::codegen
