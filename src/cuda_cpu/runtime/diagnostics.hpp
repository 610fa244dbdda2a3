// SPDX-License-Identifier: MIT
// Describes addresses in error messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace treadle::cuda_cpu {

/// A line of the program. The text lives as long as the process.
struct Site {
  const char* file = nullptr;  ///< null: unknown
  int line = 0;
};
/// Where the calling thread of the program is, if the layer above can tell.
Site calling_site();

/// What lies at [address, address + size): "12 bytes past the end of the 400 bytes at 0x7f..
/// allocated at user.py:7"; empty if nothing the device knows is near.
std::string describe_address(std::uintptr_t address, std::size_t size);

}  // namespace treadle::cuda_cpu
