// SPDX-License-Identifier: MIT
#include "library/candidates.hpp"

#include <algorithm>

namespace treadle::library {
namespace {

using Path = std::filesystem::path;

void add_file(std::vector<std::string>& candidates, const Path& file) {
  std::string text = file.string();
  if (std::ranges::find(candidates, text) == candidates.end())
    candidates.push_back(std::move(text));
}

/// Those of conda, `another`, and the system's.
std::vector<Path> system_folders(const SearchScope& scope, const Path& another = {}) {
  std::vector<Path> folders;
  add_folder(folders, Path(scope.machine.variable("CONDA_PREFIX")) / "lib");
  add_folder(folders, another);
  // A conda environment's or a prefix's own folder lies above its site-packages.
  for (const Path& packages : scope.package_folders)
    add_folder(folders, packages.parent_path().parent_path());
  add_system_folders(folders, scope.machine);
  return folders;
}

}  // namespace

void add_files(std::vector<std::string>& candidates, std::vector<std::string>& tried,
               const Machine& machine, const Path& folder, const char* stem) {
  if (!machine.exists(folder)) {
    tried.push_back(folder.string() + ": no such folder");
    return;
  }
  bool is_any = false;
  for (const Path& file : machine.list(folder)) {
    const std::string name = file.filename();
    if (!name.starts_with(stem) || name.find(".so") == std::string::npos) continue;
    is_any = true;
    tried.push_back(file.string() + ": there");
    add_file(candidates, file);
  }
  if (!is_any) tried.push_back(folder.string() + ": no " + stem + "*.so");
}

std::vector<std::string> cuda_candidates(const SearchScope& scope, std::vector<std::string>& tried,
                                         std::initializer_list<CudaFile> files) {
  const auto folders = cuda_library_folders(scope.machine, scope.package_folders);
  std::vector<std::string> candidates, bare;
  std::vector<bool> has_file(folders.size());
  for (const auto& [name, cuda_major] : files) {
    const bool is_too_new = scope.cuda_version != 0 && cuda_major > scope.cuda_version / 1000;
    for (std::size_t i = 0; i < folders.size(); ++i) {
      const Path file = folders[i] / name;
      if (!scope.machine.exists(file)) continue;
      has_file[i] = true;
      tried.push_back(file.string() + (is_too_new ? ": newer than the driver" : ": there"));
      if (!is_too_new) add_file(candidates, file);
    }
    if (!is_too_new) bare.emplace_back(name);
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (has_file[i]) continue;
    const bool exists = scope.machine.exists(folders[i]);
    tried.push_back(folders[i].string() +
                    (exists ? std::string(": no ") + files.begin()->name : ": no such folder"));
  }
  candidates.insert(candidates.end(), bare.begin(), bare.end());
  return candidates;
}

std::vector<std::string> blas_candidates(const SearchScope& scope,
                                         std::vector<std::string>& tried) {
  const Machine& machine = scope.machine;
  std::vector<std::string> candidates;
  // What somebody installed for it; then what NumPy computes with, which most processes have in
  // memory already: one library, one set of threads.
  for (const Path& packages : scope.package_folders)
    for (const char* name : {"scipy_openblas64", "scipy_openblas32"})
      add_files(candidates, tried, machine, packages / name / "lib", "libscipy_openblas");
  for (const Path& packages : scope.package_folders) {
    add_files(candidates, tried, machine, packages / "numpy.libs", "libscipy_openblas");
    add_files(candidates, tried, machine, packages / "numpy.libs", "libopenblas");
  }
  const std::vector<Path> folders =
      system_folders(scope, Path(machine.variable("MKLROOT")) / "lib");
  for (const char* stem : {"libopenblas", "libmkl_rt", "libblis"})
    for (const Path& folder : folders) add_files(candidates, tried, machine, folder, stem);
  for (const char* name : {"libopenblas.so.0", "libmkl_rt.so.2"}) candidates.emplace_back(name);
  // The reference implementation comes last: it is correct, and slow.
  for (const Path& folder : folders) add_files(candidates, tried, machine, folder, "libblas.so");
  candidates.emplace_back("libblas.so.3");
  return candidates;
}

std::vector<std::string> clblast_candidates(const SearchScope& scope,
                                            std::vector<std::string>& tried) {
  std::vector<std::string> candidates;
  for (const Path& folder : system_folders(scope))
    add_files(candidates, tried, scope.machine, folder, "libclblast");
  candidates.emplace_back("libclblast.so.1");
  return candidates;
}

}  // namespace treadle::library
