// SPDX-License-Identifier: MIT
// Reductions around a user's C text: `a + b` of `x[i] * y[i]`, beginning with `0`.
//
// As reductions of expressions (treadle/codegen/reduction.hpp): of all elements or along an axis;
// groups take elements round robin, and the last one folds what each found. The type of the result
// may be any that a program defines: it is copied by assignment, in local and in global memory, and
// needs nothing else. Several results are folded side by side in one pass: each has variables,
// local memory and output of its own, so that their types need no common layout; only what a group
// hands over is a structure of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// One of the results of a user's reduction.
struct ReductionOutput {
  DType dtype;          ///< of the result and of everything that is folded
  std::string neutral;  ///< what changes nothing, an expression
  std::string reduce;   ///< of `a` and `b`, associative and commutative
  std::string map;      ///< of the parameters for the element `i`, int64
};

/// A user's reduction.
struct ReductionSnippet {
  std::vector<ParameterSpec> parameters;  ///< as the texts use them
  std::vector<ReductionOutput> outputs;   ///< one at least
  std::string name = "reduction";         ///< of the kernel
  std::string preamble = {};              ///< before the kernel
};

/// How the work-items of a group are dealt to results: those of one fold its elements, and
/// neighbours are along what is innermost in memory.
struct ReductionSnippetForm {
  bool has_columns = false;  ///< neighbours are results
  unsigned depth = 0;        ///< wide: work-items on a result, a power of two; 0: the whole group
  bool operator==(const ReductionSnippetForm&) const = default;
};

/// A kernel made of it. Of arrays of the extents (outer, n, inner) in C's order it folds the middle
/// axis: result r has the elements `start + r / inner * n * inner + r % inner + k * step`. Behind
/// the user's parameters it takes n, start and step (int64); the number of results, inner, and the
/// number of tiles (int64); for each output a pointer to its results, and the offset in elements
/// where the language has no addresses (int64); the number of groups, and of those that share a
/// tile (uint32); and pointers to a tile of results for each group and to a ticket for each tile,
/// which is 0 before and after.
struct ReductionSnippetText {
  std::string text;            ///< a whole program
  unsigned group_size;         ///< work-items to launch it with
  unsigned tile;               ///< results that a group folds at a time
  std::uint64_t group_length;  ///< elements of a result that a group has at least
  std::size_t partial_bytes;   ///< what a group hands over for one element of the results, at most
};

/// Writes the kernel. Throws InvalidArgument for a parameter that is called `i`, DTypeError if the
/// result's type has no name.
ReductionSnippetText generate_reduction_snippet(const ReductionSnippet& snippet,
                                                const ReductionSnippetForm& form,
                                                const Tiling& tiling, const Dialect& dialect,
                                                const TypeNames& types);
/// The form for results of so many elements, `inner` apart.
ReductionSnippetForm form_of_snippet(std::uint64_t elements, std::uint64_t inner,
                                     const Tiling& tiling);
/// Into how many tiles of `tile` results all are dealt.
std::uint64_t tiles_of_snippet(std::uint64_t results, std::uint64_t inner, unsigned tile,
                               const Tiling& tiling);

}  // namespace treadle::codegen
