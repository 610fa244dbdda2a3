// SPDX-License-Identifier: MIT
// Folds of segments of an index space, whose ends lie in arrays, around a user's C text: the rows
// of a sparse matrix, the lists of neighbours of points. Segments may be empty, and may overlap.
//
//   starts   0     3  3        8         ends  3     3  8        9
//   indices  0 1 2 |  | 3 4 5 6 7 | 8    results  f(0 1 2), neutral, f(3 .. 7), f(8)
//
// Wide, `lanes` neighbouring work-items fold a segment: each every lanes-th index, then their sums
// by a tree (BlockReduce). Narrow, a work-item takes some segments one after the other, each by
// several sums side by side. As in other folds, the operation has to be commutative, too. The tree
// depends on the length of the segment and the mean of all: equal bits in every run.
#pragma once

#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// A user's fold of segments. Texts may use the parameters.
struct SegmentedFoldSnippet {
  /// As the texts use them; the last three are pointers to where segments of a row start, to where
  /// they end (int64), and to a result for each segment of each row.
  std::vector<ParameterSpec> parameters;
  DType dtype;          ///< of what is folded
  std::string map;      ///< of the index `i`, an expression: "x[i]"
  std::string reduce;   ///< of `a` and `b`, associative and commutative: "a + b"
  std::string neutral;  ///< what changes nothing, and the result of an empty segment
  std::string name = "segmented_fold";  ///< of the kernel
  std::string preamble = {};            ///< before the kernel
};

/// The kernel. Behind the parameters it takes the number of segments of a row and of all rows, and
/// the indices of a row (int64); narrow also how many segments each group has. Indices of a row are
/// those of the row before and the length of a row.
struct SegmentedFoldText {
  std::string text;            ///< a whole program
  std::string name;            ///< of the kernel
  unsigned group_size;         ///< work-items to launch it with
  unsigned segments;           ///< of each group; narrow: 0, the launch says
  tree::NodePtr program = {};  ///< what `text` was printed of
};

/// How many work-items fold a segment of that length on the wide schedule.
unsigned segment_lanes(std::uint64_t mean_length, const Tiling& tiling);

/// Writes the kernel. `lanes` is a power of two, at most the group size; narrow: 1. Throws
/// InvalidArgument for a parameter that is called as the kernel's own variables, and without a
/// neutral element; DTypeError if the type has no name.
SegmentedFoldText generate_segmented_fold(const SegmentedFoldSnippet& snippet, unsigned lanes,
                                          const Tiling& tiling, const Dialect& dialect,
                                          const TypeNames& types);

}  // namespace treadle::codegen
