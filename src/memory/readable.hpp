// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace treadle::memory {

/// "1.50 GiB", or "100 bytes" below a KiB.
std::string readable(std::size_t size_bytes);

}  // namespace treadle::memory
