// SPDX-License-Identifier: MIT
// Scans around a user's C text: every element gets the sum, by any associative operation, of all
// elements up to it. `a + b` of `x[i]` into `y[i] = item` is a cumulative sum.
//
// There are two ways. In one pass (ScanSnippet::looks_back), on devices whose groups may wait for
// earlier ones: a group takes a ticket, the number of its tile, evaluates the inputs of the tile
// into local memory, and publishes their sum; it adds up the sums that were published before its
// own (look-back: D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled
// look-back", 2016), and runs the output statement for each element. Nothing but inputs and outputs
// goes through device memory. Which sums those are does not depend on chance, as it does in that
// paper: they are those of the tiles of the same stretch of `anchored_tiles`, and what is before
// the stretch, which its last tile hands on. So equal launches give equal bits.
//
//   tiles      0      1      2      3    | 4        5       6      stretches of 4
//   sums       s0     s1     s2     s3   | s4       s5      ...
//   before     -      s0     s0+s1  ...  | p        p+s4    ...    p = s0+s1+s2+s3, from tile 3
//
// In passes, of which no group waits for another one, so that it runs on every device; and outputs
// may use last_item, and may write what other inputs are read from (reduce, then scan; Blelloch,
// "Prefix sums and their applications", 1990, with few long intervals instead of a tree):
//
//   element     0         i0          i1          i2        N       intervals, one for each group
//   intervals   | s0 .. t0 | s1 .. t1  | s2 .. t2  | s3 .. t3 |     each scanned by itself
//   totals        t0         t0+t1       t0+t1+t2    ...            by one group, in place
//   outputs       s0         t0+s1       t0+t1+s2    ...            run the output statement
//
// The scan of each interval is kept, so that the output statement may change what the input was
// read from, and each input is evaluated once. Wide, a group goes through a tile so:
//
//   1 load    neighbouring work-items evaluate neighbouring inputs into local memory
//   2 own     each work-item scans the few neighbours that are its own
//   3 group   the sums of the work-items are scanned (Hillis and Steele 1986)
//   4 store   each adds what is before its own, and the tile is stored as it was loaded
//
// In one pass, tiles of numbers without segments stay in registers, where the language has
// shuffles: a work-item has `scan_rows` times the neighbours of one access of 16 bytes, and each
// sub-group a part of the tile, row behind row.
//
//   1 load    by whole accesses if the tile is whole and what the input reads is aligned and read
//             as `x[i]`; else element by element
//   2 rows    each work-item adds up its neighbours, shuffles scan the sums of a row; the sums of
//             rows are added up, and those of the sub-groups through local memory
//   3 tiles   what is before the tile comes by look-back
//   4 store   each work-item scans its neighbours behind what is before them. They are stored by
//             whole accesses if the output is `y[i] = ...` and aligned; else the tile goes through
//             local memory, and neighbouring work-items run neighbouring output statements
//
// Where the scan is a selection, ones are counted by bits, and what is chosen is moved together in
// local memory, so that neighbouring work-items store neighbouring elements.
//
// Narrow, a group is one work-item and its interval a loop; there are few, so that each adds up for
// itself the totals before its own, and the second kernel is left out. In one pass, a tile that is
// in the first cache is scanned by parts side by side, and a tile waits for the one before it. A
// segmented scan carries, beside each sum, whether a segment starts within it; what that means is
// the operation's own matter: it is told `across_seg_boundary`, and `across_seg_boundary ? b : a +
// b` begins anew. (3, 1) and (4, 0), sums of two neighbours of which the first has a start, make
// (7, 1); the other way round (3, 1).
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

/// A store of a selection, a scan that adds up ones and zeros: where the input of `i` is 1, the
/// element of `array` at the sum of those before it becomes `value`.
struct ScanCompaction {
  std::string array;  ///< one of the pointers
  std::string value;  ///< an expression of the element `i`, without effects
  std::string capacity =
      {};  ///< what would be stored at this place or beyond is not; empty: all is
};
/// The output statements of a selection, of which `total` points to the sum of all.
std::string compacting_output(const std::vector<ScanCompaction>& stores, const std::string& total,
                              const Dialect& dialect);

/// The C texts of a scan.
struct ScanTexts {
  std::string arguments;  ///< C declarations: "const float *x, float *y"
  std::string input;      ///< of the arguments for the index `i`: "x[i]"
  std::string scan;       ///< of `a` and, behind it, `b`: "a + b"
  /// Statements for the index `i`, with `item`, `prev_item` and `last_item`: "y[i] = item".
  std::string output;
  std::string neutral = {};  ///< what prev_item is where nothing is before: "0"
  /// Whether a segment starts at `i`, whose input is `a`. `scan` is told of it as
  /// across_seg_boundary: "across_seg_boundary ? b : a + b".
  std::string segment_start = {};
  std::vector<ScanFetch> fetches = {};  ///< elements of arrays under names of their own
  /// Arrays with an element of the declared size for each index, whatever the conditions under
  /// which the texts use them.
  std::vector<std::string> one_for_one = {};
  /// In place of the output of a selection, whose inputs are ones and zeros: what it stores, and
  /// which pointer gets the number of ones.
  std::vector<ScanCompaction> compactions = {};
  std::string total = {};  ///< the pointer
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
  /// What the output does, where it is compacting_output(compactions, total) and nothing else.
  std::vector<ScanCompaction> compactions = {};
  std::string total = {};  ///< a pointer to an item
  /// Arrays with an element for each index, whatever the conditions under which texts use them.
  std::vector<std::string> one_for_one = {};
  /// In one pass, with groups that wait for earlier ones. No output may write what the input of
  /// another element is read from.
  bool looks_back = false;
};
/// Whether a scan may be written in one pass: its output does not use last_item, and its items are
/// numbers, or may be anything where the language has fences for the whole device.
bool can_look_back(const ScanSnippet& snippet, const Dialect& dialect);

/// What a scan does with the elements of a parameter, as far as its texts show; in doubt more.
struct ScanAccess {
  bool is_read = false;          ///< by inputs and segment starts
  bool is_read_at_i = false;     ///< and for an element `i` at `i` alone
  bool may_be_written = false;   ///< by outputs
  bool is_written_at_i = false;  ///< likewise
};
/// One for each parameter.
std::vector<ScanAccess> scan_accesses(const ScanSnippet& snippet);

/// The kernels of a scan, in the order in which they are launched; behind the user's parameters
/// they all take N (index_dtype), the elements of an interval (int64), the number of intervals
/// (int64), and pointers to an item for each element and to one for each interval; of a segmented
/// scan to an int64 for each interval; and where starts are kept, to a byte for each element.
///
/// The one kernel of a scan in one pass takes, behind the user's parameters, N, the number of tiles
/// (int64), how many words there are (int64) and a pointer to them: uint64, of which the first is
/// 1 << 32 and all others are 0 before the first launch of any scan with these words; then, if
/// `keeps_items`, a pointer to an item for each slot. It is launched with a group for each tile.
struct ScanText {
  std::string text;  ///< a whole program
  /// Names; `totals` is launched with one group, and if it is empty, not at all. In one pass there
  /// is `intervals` alone.
  std::string intervals, totals, outputs;
  unsigned group_size;              ///< work-items to launch them with
  unsigned items;                   ///< neighbours that one of them scans by itself
  unsigned tile;                    ///< an interval is a multiple of so many elements
  bool is_segmented, keeps_starts;  ///< which pointers they take
  bool looks_back = false;          ///< whether it is in one pass
  unsigned slot_words = 0;          ///< words of what a tile hands over, in one pass
  unsigned anchored_tiles = 1;      ///< tiles of a stretch, in one pass
  bool keeps_items = false;         ///< whether items themselves lie beside words
  tree::NodePtr program = {};       ///< what `text` was printed of
};

/// How many words, the first included, so many tiles take, and how many slots.
struct ScanRoom {
  std::uint64_t words, slots;
};
ScanRoom scan_room(const ScanText& text, std::uint64_t tiles);

/// Writes the kernels. Throws InvalidArgument for a parameter that is called as a scan's own
/// variables are, for looks_back where it cannot be, for a fetch of what is no array or of another
/// offset, and where the output uses prev_item and there is no neutral element; DTypeError for
/// another index dtype, and if the item's type has no name.
ScanText generate_scan(const ScanSnippet& snippet, const Tiling& tiling, const Dialect& dialect,
                       const TypeNames& types);

}  // namespace treadle::codegen
