// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace treadle {

/// What a compiler made and a run-time loads: the one value that passes from compile/ to a shell.
struct ModuleImage {
  /// cubin, PTX (NUL-terminated), fatbin, or a module of the CPU provider.
  std::vector<std::byte> code;
  /// C++ name expression as the user wrote it ("scale<float, 4>") -> symbol in `code`.
  std::map<std::string, std::string> lowered_names = {};
  /// Set where the code was read from a disk: compiles it again, bypassing the caches, and stores
  /// the new result. For loaders whose run-time refuses the code; if the new code equals the old,
  /// the code was right and so is the refusal. Blocking; throws what the compile throws.
  std::function<ModuleImage()> remake = {};
};

}  // namespace treadle
