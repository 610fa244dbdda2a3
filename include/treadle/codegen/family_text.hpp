// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// A kernel whose parameters its generator chooses, not a user.
struct FamilyKernel {
  std::string name;                       ///< name of the kernel function
  std::vector<ParameterSpec> parameters;  ///< in their order
};

/// A program of such kernels.
struct FamilyText {
  std::string name;                   ///< the name in errors and tools
  std::string text;                   ///< a complete program
  unsigned group_size;                ///< work-items of a group
  std::vector<FamilyKernel> kernels;  ///< in the order of their first launch
  tree::NodePtr program = {};         ///< the tree that was printed as `text`
};

}  // namespace treadle::codegen
