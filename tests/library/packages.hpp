// SPDX-License-Identifier: MIT
// Libraries of the project's virtual environment, for tests.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "treadle/base/error.hpp"
#include "treadle/library/host_blas.hpp"
#include "treadle/process/library_search.hpp"

namespace treadle::library {

/// The host's library as Python finds it, NumPy's own one at least; null on a machine without.
inline std::shared_ptr<const HostBlas> blas_of_this_machine() {
  const char* source = std::getenv("TREADLE_SOURCE_DIR");
  std::error_code failure;
  if (source != nullptr)
    for (std::filesystem::directory_iterator
             i(std::filesystem::path(source) / ".venv/lib", failure),
         end;
         !failure && i != end; i.increment(failure))
      add_package_folder(i->path() / "site-packages");
  try {
    return HostBlas::load();
  } catch (const LibraryNotFound&) {
    return nullptr;
  }
}

}  // namespace treadle::library
