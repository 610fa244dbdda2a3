// SPDX-License-Identifier: MIT
// Facts about the binary this code is linked into: what makes one build of the compiler differ from
// another.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace treadle::cuda_cpu {

struct OwnLibrary {
  std::string folder;  ///< where the file lies, without '/' at its end
  std::array<std::uint8_t, 20>
      build_id{};  ///< the linker's digest of the whole file; zeros if it has none
};

/// Read once. The preludes beside the library are used only if they carry the same build id.
const OwnLibrary& own_library();

}  // namespace treadle::cuda_cpu
