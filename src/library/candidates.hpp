// SPDX-License-Identifier: MIT
// How the kinds of libraries look for their files.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "treadle/library/search.hpp"

namespace treadle::library {

/// A file name that a library of CUDA has in a major version of CUDA.
struct CudaFile {
  const char* name;  ///< "libcusolver.so.12"
  int cuda_major;    ///< 13
};

/// Files of a library of CUDA in the folders of cuda_library_folders(), the newest that the driver
/// runs first, and the bare names for the system's loader.
std::vector<std::string> cuda_candidates(const SearchScope& scope, std::vector<std::string>& tried,
                                         std::initializer_list<CudaFile> files);

/// Appends the files in `folder` whose names begin with `stem` and have ".so" in them, each once,
/// and a line to `tried`.
void add_files(std::vector<std::string>& candidates, std::vector<std::string>& tried,
               const Machine& machine, const std::filesystem::path& folder, const char* stem);

/// A CBLAS with LAPACK: wheels made for it, NumPy's own, the system's.
std::vector<std::string> blas_candidates(const SearchScope& scope, std::vector<std::string>& tried);

/// CLBlast of a conda environment, or the system's.
std::vector<std::string> clblast_candidates(const SearchScope& scope,
                                            std::vector<std::string>& tried);

}  // namespace treadle::library
