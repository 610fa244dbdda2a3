// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// A kernel whose parameters its generator decides about, and no user.
struct FamilyKernel {
  std::string name;                       ///< of its function
  std::vector<ParameterSpec> parameters;  ///< in their order
};

/// A program of such kernels.
struct FamilyText {
  std::string name;                   ///< what errors and tools call it
  std::string text;                   ///< a whole program
  unsigned group_size;                ///< work-items to launch them with
  std::vector<FamilyKernel> kernels;  ///< in the order in which they are launched first
  tree::NodePtr program = {};         ///< what `text` was printed of
};

}  // namespace treadle::codegen
