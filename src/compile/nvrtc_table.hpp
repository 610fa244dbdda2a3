// SPDX-License-Identifier: MIT
// NVRTC's entry points as an object: libnvrtc's, or those of libtreadle_clang, side by side in one
// process.
#pragma once

#include <filesystem>
#include <memory>

#include "compile/nvrtc_types.h"

namespace treadle::compile {

struct NvrtcTable {
  // A pointer for each entry point, under its own name; those that old libraries lack may be null.
#define TREADLE_NVRTC_SYMBOL(result, name, parameters) result(*name) parameters = nullptr;
#include "compile/nvrtc_symbols.def"
};

/// Opens `library` and reads its table. The library stays loaded: compilers leave threads and
/// caches behind. Throws LibraryNotFound with the loader's words, or with the first entry point
/// that is missing.
std::shared_ptr<const NvrtcTable> open_nvrtc(const std::filesystem::path& library);

}  // namespace treadle::compile
