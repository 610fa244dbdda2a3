// SPDX-License-Identifier: MIT
// How a user names a kernel, and how a module does.
#pragma once

#include <string>
#include <string_view>

#include "treadle/base/near_match.hpp"

namespace treadle::cuda {

/// `symbol` as C++ spells it, "void scale<float, 4>(float*)"; itself if it is no mangled name.
std::string demangle(const std::string& symbol);
/// Without return type and parameters: "scale<float, 4>" for "void scale<float, 4>(float*)".
std::string kernel_name(std::string_view demangled);

}  // namespace treadle::cuda
