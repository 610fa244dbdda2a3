// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace treadle {

/// What a compiler made and a run-time loads: the one value that passes from compile/ to a shell.
struct ModuleImage {
  /// cubin, PTX (NUL-terminated), fatbin, or a module of the CPU provider.
  std::vector<std::byte> code;
  /// C++ name expression as the user wrote it ("scale<float, 4>") -> symbol in `code`.
  std::map<std::string, std::string> lowered_names;
};

}  // namespace treadle
