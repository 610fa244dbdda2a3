// SPDX-License-Identifier: MIT
// Scans of a user's C text: each element gets the sum, by any associative operation, of all
// elements up to itself. `a + b` of `x[i]` into `y[i] = item` is a cumulative sum.
//
// There are two methods. The first takes one pass (ScanSnippet::looks_back), on devices whose
// groups may wait for earlier groups. A group takes a ticket, the number of its tile, evaluates the
// inputs of the tile into local memory, and publishes their sum. It then adds up the published sums
// of earlier tiles (look-back: D. Merrill and M. Garland, "Single-pass parallel prefix scan with
// decoupled look-back", 2016), and runs the output statement for each element. Only inputs and
// outputs go through device memory. In that paper, timing decides which sums a group adds. Here a
// group always adds the sums of the earlier tiles of its stretch of `anchored_tiles` tiles, and the
// sum before the stretch, which the last tile of the stretch before publishes. So equal launches
// give equal bits.
//
//   tiles      0      1      2      3    | 4        5       6      stretches of 4
//   sums       s0     s1     s2     s3   | s4       s5      ...
//   before     -      s0     s0+s1  ...  | p        p+s4    ...    p = s0+s1+s2+s3, from tile 3
//
// The second method takes several passes, in which no group waits for another. It runs on every
// device, outputs may use last_item, and an output may write memory that other inputs are read from
// (reduce, then scan; Blelloch, "Prefix sums and their applications", 1990, with few long intervals
// instead of a tree):
//
//   element     0         i0          i1          i2        N       intervals, one for each group
//   intervals   | s0 .. t0 | s1 .. t1  | s2 .. t2  | s3 .. t3 |     each scanned by itself
//   totals        t0         t0+t1       t0+t1+t2    ...            by one group, in place
//   outputs       s0         t0+s1       t0+t1+s2    ...            run the output statement
//
// The scan of each interval is stored, so each input is evaluated only once and the output
// statement may overwrite the input's memory. Wide, a group goes through a tile in these steps:
//
//   1 load    neighbouring work-items evaluate neighbouring inputs into local memory
//   2 own     each work-item scans its own few adjacent elements
//   3 group   the sums of the work-items are scanned (Hillis and Steele 1986)
//   4 store   each work-item adds the sum before its elements; the tile is stored in the order of 1
//
// In one pass, a tile of numbers without segments stays in registers if the language has shuffles.
// A work-item has `scan_rows` rows; in each it has the adjacent elements of one 16-byte access.
// Each sub-group has a part of the tile, row after row.
//
//   1 load    by vector accesses if the tile is whole and the input's arrays are aligned and read
//             as `x[i]`; otherwise element by element
//   2 rows    each work-item adds up its elements of a row, shuffles scan the sums of the row, the
//             sums of rows are added up, and local memory combines the sub-groups
//   3 tiles   look-back gives the sum before the tile
//   4 store   each work-item scans its elements and adds the sum before them. Vector accesses store
//             them if the output is `y[i] = ...` and aligned; otherwise the tile goes through local
//             memory, and neighbouring work-items run neighbouring output statements
//
// If the scan is a selection, the ones are counted as bits. The selected elements are first moved
// in local memory, so that neighbouring work-items store neighbouring elements.
//
// Narrow, a group is one work-item and its interval is a loop. There are few intervals, so each
// group adds up the totals before its interval itself, and the second kernel is not needed. In one
// pass, a tile fits the first-level cache, is scanned in several parts at once, and waits for the
// tile before it.
//
// A segmented scan carries, with each sum, whether a segment starts in it. The operation decides
// what that means: it is told `across_seg_boundary`, and `across_seg_boundary ? b : a + b` starts
// again. Combining (3, 1) and (4, 0), sums of two neighbours of which the first contains a start,
// gives (7, 1); combining (4, 0) and (3, 1) gives (3, 1).
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

/// A value that a scan reads before its input: `name` becomes `array[i + offset]`.
struct ScanFetch {
  std::string name, array;
  int offset;  ///< 0 or -1; at the first element, -1 gives the first element itself
};

/// A store of a selection, which is a scan of ones and zeros: if the input of `i` is 1, `value` is
/// stored in `array` at the index given by the sum of the inputs before `i`.
struct ScanCompaction {
  std::string array;          ///< the name of a pointer
  std::string value;          ///< an expression of the element `i`, without effects
  std::string capacity = {};  ///< nothing is stored at this index or above; empty: no limit
};
/// The output statements of a selection; `total` points to the sum of all inputs.
std::string compacting_output(const std::vector<ScanCompaction>& stores, const std::string& total,
                              const Dialect& dialect);

/// The C texts of a scan.
struct ScanTexts {
  std::string arguments;  ///< C declarations: "const float *x, float *y"
  std::string input;      ///< an expression of the arguments and the index `i`: "x[i]"
  std::string scan;       ///< an expression of `a` and the later `b`: "a + b"
  /// Statements for the index `i`, with `item`, `prev_item` and `last_item`: "y[i] = item".
  std::string output;
  std::string neutral = {};  ///< the value of prev_item at the first element: "0"
  /// Whether a segment starts at `i`, whose input is `a`. `scan` gets the answer as
  /// across_seg_boundary: "across_seg_boundary ? b : a + b".
  std::string segment_start = {};
  std::vector<ScanFetch> fetches = {};  ///< elements of arrays that get names of their own
  /// Arrays that have an element of the declared size for each index, even if the texts use them
  /// only under conditions.
  std::vector<std::string> one_for_one = {};
  /// Replaces `output` for a selection, whose inputs are ones and zeros: the stores, and, in
  /// `total`, the pointer that gets the number of ones.
  std::vector<ScanCompaction> compactions = {};
  std::string total = {};  ///< the name of that pointer
};

/// A user's scan. The texts may use the parameters, the index `i` of the element, and the number of
/// elements `N`.
struct ScanSnippet {
  std::vector<ParameterSpec> parameters;  ///< the parameters, by the names in the texts
  DType dtype;                            ///< dtype of the values scanned
  std::string input;                      ///< an expression for the element `i`
  std::string scan;                       ///< an expression of `a` and the later `b`: associative
  std::string neutral;                    ///< the neutral element: prev_item at the first element
  /// Statements for the element `i`: `item` is the sum up to and including the element, `prev_item`
  /// the sum before it, `last_item` the sum of all elements.
  std::string output;
  std::string segment_start = {};       ///< whether a segment starts at `i`, whose input is `a`
  std::vector<ScanFetch> fetches = {};  ///< for `input` and `segment_start`
  Scalar index_dtype = Scalar::int64;   ///< dtype of `i` and `N`: int32 or int64
  std::string name = "scan";            ///< the kernels' names begin with this name
  std::string preamble = {};            ///< text before the kernels
  /// The stores, if the output is compacting_output(compactions, total) and nothing else.
  std::vector<ScanCompaction> compactions = {};
  std::string total = {};  ///< a pointer to an item
  /// Arrays that have an element for each index, even if the texts use them only under conditions.
  std::vector<std::string> one_for_one = {};
  /// Whether the scan takes one pass, in which groups wait for earlier groups. No output may then
  /// write memory that the input of another element is read from.
  bool looks_back = false;
};
/// Whether a scan may take one pass: its output does not use last_item, and its items are numbers,
/// or the language has fences for the whole device.
bool can_look_back(const ScanSnippet& snippet, const Dialect& dialect);

/// How a scan uses the elements of a parameter, as far as its texts show. In doubt an access is
/// assumed.
struct ScanAccess {
  bool is_read = false;          ///< inputs and segment starts read elements
  bool is_read_at_i = false;     ///< and the text of element `i` reads only element `i`
  bool may_be_written = false;   ///< outputs may write elements
  bool is_written_at_i = false;  ///< and the text of element `i` writes only element `i`
};
/// An access for each parameter.
std::vector<ScanAccess> scan_accesses(const ScanSnippet& snippet);

/// The kernels of a scan, in the order of their launches. After the user's parameters, all take N
/// (index_dtype), the length of an interval (int64), the number of intervals (int64), a pointer to
/// an item for each element, and a pointer to an item for each interval. A segmented scan also
/// takes a pointer to an int64 for each interval, and, if keeps_starts, a pointer to a byte for
/// each element.
///
/// The single kernel of a one-pass scan takes, after the user's parameters, N, the number of tiles
/// (int64), the number of words (int64) and a pointer to the words (uint64). Before the first
/// launch of any scan with these words, the first word is 1 << 32 and all others are 0. If
/// `keeps_items`, a pointer to an item for each slot follows. The kernel is launched with a group
/// for each tile.
struct ScanText {
  std::string text;  ///< a complete program
  /// Names of the kernels. `totals` is launched with one group; if the name is empty, there is no
  /// such kernel. A one-pass scan has only `intervals`.
  std::string intervals, totals, outputs;
  unsigned group_size;  ///< work-items of a group
  unsigned items;       ///< adjacent elements that one work-item scans by itself
  unsigned tile;        ///< the length of an interval is a multiple of this number of elements
  bool is_segmented, keeps_starts;  ///< which pointers the kernels take
  bool looks_back = false;          ///< whether the scan takes one pass
  unsigned slot_words = 0;          ///< one pass: words that a tile publishes
  unsigned anchored_tiles = 1;      ///< one pass: tiles of a stretch
  bool keeps_items = false;         ///< one pass: whether items are stored beside the words
  tree::NodePtr program = {};       ///< the tree that was printed as `text`
};

/// The number of words (including the first) and of slots for a number of tiles.
struct ScanRoom {
  std::uint64_t words, slots;
};
ScanRoom scan_room(const ScanText& text, std::uint64_t tiles);

/// Writes the kernels. Throws InvalidArgument for a parameter with the name of one of the scan's
/// own variables, for looks_back unless can_look_back(), for a fetch from a parameter that is not
/// an array or with another offset, and if the output uses prev_item without a neutral element;
/// DTypeError for another index dtype, and if the item's type has no name.
ScanText generate_scan(const ScanSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
                       const TypeNames& types);

}  // namespace treadle::codegen
