// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace treadle {

/// A file carried inside the library: device headers that the compilers are given.
/// cmake's treadle_embed() makes a `std::span<const EmbeddedFile> embedded_files` of a folder,
/// sorted by path.
struct EmbeddedFile {
  std::string_view path;  ///< relative to the folder, with '/'
  std::string_view text;  ///< valid as long as the process
};

}  // namespace treadle
