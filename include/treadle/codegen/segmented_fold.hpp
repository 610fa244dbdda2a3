// SPDX-License-Identifier: MIT
// Folds of a user's C text over segments of an index space; arrays hold the start and the end of
// each segment. Examples are the rows of a sparse matrix and the lists of neighbours of points.
// Segments may be empty and may overlap.
//
//   starts   0     3  3        8         ends  3     3  8        9
//   indices  0 1 2 |  | 3 4 5 6 7 | 8    results  f(0 1 2), neutral, f(3 .. 7), f(8)
//
// Wide, `lanes` neighbouring work-items fold a segment: each folds every lanes-th index, and then a
// tree folds their sums (BlockReduce). Narrow, a work-item folds several segments one after the
// other, each into several sums at once. As in other folds, the operation must also be commutative.
// The tree depends only on the length of the segment and the mean length, so every run gives the
// same bits.
#pragma once

#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// A user's fold of segments. The texts may use the parameters.
struct SegmentedFoldSnippet {
  /// The parameters, by the names in the texts. The last three are pointers: to the starts and the
  /// ends of the segments of a row (int64), and to a result for each segment of each row.
  std::vector<ParameterSpec> parameters;
  DType dtype;          ///< dtype of the values folded
  std::string map;      ///< an expression of the index `i`: "x[i]"
  std::string reduce;   ///< an expression of `a` and `b`, associative and commutative: "a + b"
  std::string neutral;  ///< the neutral element, which is the result of an empty segment
  std::string name = "segmented_fold";  ///< name of the kernel
  std::string preamble = {};            ///< text before the kernel
  /// Statements that store something made of `product`, the result of segment `i`; empty: the
  /// result itself is stored.
  std::string store = {};
  /// Whether the map only reads, and may be evaluated twice at an index.
  bool can_repeat = false;
};

/// The kernel. After the parameters it takes the number of segments of a row, the number of
/// segments of all rows, and the number of indices of a row (int64); narrow, also the number of
/// segments of each group. The indices of a row are those of the row before plus the length of a
/// row.
struct SegmentedFoldText {
  std::string text;            ///< a complete program
  std::string name;            ///< name of the kernel
  unsigned group_size;         ///< work-items of a group
  unsigned segments;           ///< segments of a group; narrow: 0, the launch passes the number
  tree::NodePtr program = {};  ///< the tree that was printed as `text`
};

/// How many work-items fold a segment of that length; 1 on the narrow schedule.
unsigned segment_lanes(std::uint64_t mean_length, const Tiling& tiling);

/// Writes the kernel. `lanes` is a power of two, at most the group size; narrow: 1. Throws
/// InvalidArgument for a parameter with the name of one of the kernel's own variables, and without
/// a neutral element; DTypeError if the type has no name.
SegmentedFoldText generate_segmented_fold(const SegmentedFoldSnippet& snippet, unsigned lanes,
                                          const Tiling& tiling, const Dialect& dialect,
                                          const TypeNames& types);

}  // namespace treadle::codegen
