// SPDX-License-Identifier: MIT
// How a user names a kernel, and how a module does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle::cuda {

/// `symbol` as C++ spells it, "void scale<float, 4>(float*)"; itself if it is no mangled name.
std::string demangle(const std::string& symbol);
/// Without return type and parameters: "scale<float, 4>" for "void scale<float, 4>(float*)".
std::string kernel_name(std::string_view demangled);
/// Without blanks that mean nothing, so that "k<float,4>" and " k< float, 4 >" are the same text.
std::string squeeze(std::string_view name);
/// Those of `names` that a slip of the fingers may have meant by `name`, nearest first, at most
/// three.
std::vector<std::string> near_matches(std::string_view name, const std::vector<std::string>& names);

}  // namespace treadle::cuda
