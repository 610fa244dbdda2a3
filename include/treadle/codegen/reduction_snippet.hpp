// SPDX-License-Identifier: MIT
// Reductions around a user's C text: `a + b` of `x[i] * y[i]`, beginning with `0`.
//
// As reductions of expressions (treadle/codegen/reduction.hpp): groups take elements round robin,
// and the last one folds what each found. The type of the result may be any that a program defines:
// it is copied by assignment, in local and in global memory, and needs nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// A user's reduction.
struct ReductionSnippet {
  std::vector<ParameterSpec> parameters;  ///< as the texts use them
  DType dtype;                            ///< of the result and of everything that is folded
  std::string neutral;                    ///< what changes nothing, an expression
  std::string reduce;                     ///< of `a` and `b`, associative and commutative
  std::string map;                        ///< of the parameters for the element `i`, int64
  std::string name = "reduction";         ///< of the kernel
  std::string preamble = {};              ///< before the kernel
};

/// A kernel made of it. Behind the user's parameters it takes how many elements there are, the
/// first `i` and the step between them (int64), a pointer to the result, its offset in elements
/// where the language has no addresses (int64), the number of groups (uint32), and pointers to a
/// result for each group and to a ticket, which is 0 before and after.
struct ReductionSnippetText {
  std::string text;            ///< a whole program
  unsigned group_size;         ///< work-items to launch it with
  std::uint64_t group_length;  ///< elements that a group has at least
};

/// Writes the kernel. Throws InvalidArgument for a parameter that is called `i`, DTypeError if the
/// result's type has no name.
ReductionSnippetText generate_reduction_snippet(const ReductionSnippet& snippet,
                                                const Tiling& tiling, const Dialect& dialect,
                                                const TypeNames& types);

}  // namespace treadle::codegen
