// SPDX-License-Identifier: MIT
// Writing the whole of something: write() may take a part, and signals interrupt it.
#pragma once

#include <cerrno>
#include <cstddef>

namespace treadle {

/// Writes `size_bytes` bytes to a descriptor, by as many calls of `write` as that takes; blocks as
/// they do. False, with errno set, once one fails: some of the bytes may be written then. `write`
/// has the shape of POSIX's, so that tests can make it fail.
template <class Write>
bool write_all(Write&& write, int file, const void* from, std::size_t size_bytes) {
  const auto* bytes = static_cast<const char*>(from);
  while (size_bytes > 0) {
    const auto written = write(file, bytes, size_bytes);
    if (written < 0 && errno == EINTR) continue;  // the program's own signals
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      return false;
    }
    bytes += written;
    size_bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace treadle
