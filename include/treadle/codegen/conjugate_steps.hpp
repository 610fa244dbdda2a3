// SPDX-License-Identifier: MIT
// Steps of preconditioned conjugate gradients (Hestenes and Stiefel 1952), in which the device
// decides about the end. Three phases, each one pass over the rows of an interval:
//
//   product     q = A x                               sums (x, q)
//   update      r -= alpha q                          sums (r, z), (r, r)     z = factor r
//   direction   solution += alpha x, x = z + beta x
//
// Whole: one kernel for all steps, of one group or of several that meet after each phase. Else a
// kernel for each phase. Each group hands its sums over, and all add them in the same order: equal
// bits in every run, and equal decisions in all groups.
#pragma once

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/sparse_rows.hpp"

namespace treadle::codegen {

/// How the kernels share the work.
enum class ConjugateParts : std::uint8_t {
  one_group,       ///< one kernel of one group
  several_groups,  ///< one kernel, whose groups run at the same time
  three_kernels,   ///< product, update, direction
};
/// What decides the text.
struct ConjugateForm {
  SparseForm matrix = {};   ///< by a vector of float32 or float64
  bool has_factor = false;  ///< the preconditioner: a number for each row
  ConjugateParts parts = ConjugateParts::three_kernels;  ///< how the work is shared
  /// One wide group: how many rows each work-item keeps in registers from the first step to the
  /// last, with the direction in local memory. Rows are no more than these. 0: vectors stay in
  /// memory.
  unsigned rows_each = 0;
};
/// Why steps end, as a number of the state.
enum class ConjugateEnd : std::uint8_t { converged, running, not_definite, not_a_number };
/// Numbers of float64 that the kernels keep: (r, z), the norm of r, steps that were done, a
/// ConjugateEnd, and the norm that is small enough. As many behind them are the kernels' own.
enum class ConjugateState : std::uint8_t { rz, norm, steps, end, wanted, count };

/// Every kernel takes: what sparse_parameters() of the form are; x, the direction, q, r and
/// solution, the factor if there is one, state, two sums and one more for each group (float64), a
/// uint that is 0; the numbers of the form; rows of an interval, and how many steps the kernel of
/// all phases does at most (int64). Throws DTypeError for another dtype.
FamilyText generate_conjugate_steps(const ConjugateForm& form, const Tiling& tiling,
                                    unsigned group_size, const Dialect& dialect);

}  // namespace treadle::codegen
