// SPDX-License-Identifier: MIT
// Libraries of vendors and of the host, which Treadle opens at run time and never links: where they
// are looked for, and what to install where there is none.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/process/library.hpp"
#include "treadle/process/library_search.hpp"

namespace treadle::library {

/// What a search may look at.
struct SearchScope {
  const Machine& machine;                                  ///< whose files
  std::span<const std::filesystem::path> package_folders;  ///< of Python packages
  /// The newest version of CUDA that the driver runs, as the driver tells it (13000 is 13.0): files
  /// of a newer major version are passed over. 0: any.
  int cuda_version = 0;
};

/// Files to try: paths that exist, the best first, and then bare names, which the system's loader
/// looks for. `tried` receives a line for each folder.
using CandidateSearch = std::vector<std::string> (*)(const SearchScope& scope,
                                                     std::vector<std::string>& tried);

/// A library as vendors and packages deliver it.
struct LibraryKind {
  std::string name;            ///< in TREADLE_LIBRARIES: "cublas"
  std::string title;           ///< for people: "cuBLAS"
  std::string hint;            ///< which package brings it
  CandidateSearch candidates;  ///< where it may be
};

/// All kinds there are.
std::span<const LibraryKind> library_kinds();
/// The one of that name. Throws InvalidArgument that lists the names.
const LibraryKind& library_kind(std::string_view name);

/// Opens the first candidate that loads, or the file that TREADLE_LIBRARIES names; nothing where
/// that is "off". Throws LibraryNotFound with everything that was tried, the loader's answers
/// included, and the hint; InvalidArgument for a name in TREADLE_LIBRARIES that no kind has.
SharedLibrary open_library(const LibraryKind& kind, int cuda_version = 0);

/// One library, or why there is none.
struct LibraryStatus {
  std::string name, title;         ///< of its kind
  std::filesystem::path path;      ///< the file that would be opened first; empty: none was found
  std::vector<std::string> tried;  ///< every place looked at, with what was there
  std::string problem, hint;       ///< why it cannot be used, and the one thing to do
};
/// Looks, opens nothing: what only the system's loader finds is told when it is opened.
LibraryStatus library_status(const LibraryKind& kind, const SearchScope& scope);
/// The same for each kind, on this machine.
std::vector<LibraryStatus> library_status();

}  // namespace treadle::library
