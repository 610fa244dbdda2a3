// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle::cuda_cpu {

/// A module image of one kernel, or why there is none.
struct KernelPart {
  std::vector<char> image;
  std::string error;
};

/// A compile's arguments as the module keeps them: each ends with a zero.
std::string join_arguments(const std::vector<std::string_view>& arguments);
/// The reverse; the views are of `text`.
std::vector<std::string_view> split_arguments(std::string_view text);
/// Compiles one kernel of a module from what its ModuleDescriptor holds. Thread-safe.
KernelPart compile_kernel(std::string_view bitcode, const std::string& kernel,
                          std::string_view arguments);

}  // namespace treadle::cuda_cpu
