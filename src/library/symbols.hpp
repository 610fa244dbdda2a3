// SPDX-License-Identifier: MIT
// Filling tables from opened libraries.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/process/library.hpp"

namespace treadle::library {

/// Fills a slot if the library exports the symbol.
template <class Slot>
bool fill(Slot& slot, const SharedLibrary& library, const std::string& exported) {
  void* address = library.symbol(exported.c_str());
  if (address == nullptr) return false;
  slot = reinterpret_cast<Slot>(address);
  return true;
}

/// Throws LibraryNotFound if names are missing.
inline void require_complete(const SharedLibrary& library, std::vector<std::string> missing,
                             const std::string& hint) {
  if (missing.empty()) return;
  for (std::string& name : missing) name = library.path().string() + ": does not export " + name;
  throw LibraryNotFound("a complete " + library.path().filename().string(), std::move(missing),
                        hint);
}

}  // namespace treadle::library
