// SPDX-License-Identifier: MIT
#include "treadle/process/library_search.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include "treadle/process/folders.hpp"

namespace treadle {
namespace {

using Path = std::filesystem::path;
using Paths = std::vector<Path>;

struct PackageFolders {
  std::mutex mutex;
  Paths folders;
};
PackageFolders& known_package_folders() {
  static auto* const instance = new PackageFolders;
  return *instance;
}

Machine make_this_machine() {
  Machine machine;
  machine.exists = [](const Path& path) {
    std::error_code failure;
    return std::filesystem::exists(path, failure);
  };
  machine.resolve = [](const Path& path) {
    std::error_code failure;
    Path resolved = std::filesystem::canonical(path, failure);
    return failure ? path : resolved;
  };
  machine.list = [](const Path& folder) {
    std::error_code failure;
    Paths paths;
    for (std::filesystem::directory_iterator i(folder, failure), end; !failure && i != end;
         i.increment(failure))
      paths.push_back(i->path());
    std::ranges::sort(paths);
    return paths;
  };
  machine.variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  return machine;
}

}  // namespace

const Machine& this_machine() {
  static const Machine machine = make_this_machine();
  return machine;
}

void add_package_folder(const Path& folder) {
  PackageFolders& known = known_package_folders();
  const std::lock_guard lock(known.mutex);
  add_folder(known.folders, absolute_path(folder));
}

Paths package_folders() {
  PackageFolders& known = known_package_folders();
  const std::lock_guard lock(known.mutex);
  return known.folders;
}

void add_folder(Paths& folders, const Path& folder) {
  if (folder.empty() || !folder.is_absolute()) return;
  const Path plain = folder.lexically_normal();
  if (std::ranges::find(folders, plain) == folders.end()) folders.push_back(plain);
}

void add_folders(Paths& folders, std::string_view colon_list) {
  while (!colon_list.empty()) {
    const std::size_t end = std::min(colon_list.find(':'), colon_list.size());
    add_folder(folders, Path(colon_list.substr(0, end)));
    colon_list.remove_prefix(std::min(end + 1, colon_list.size()));
  }
}

Paths toolkit_roots(const Machine& machine) {
  Paths roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CONDA_PREFIX"})
    add_folder(roots, machine.variable(name));
  Paths path;
  add_folders(path, machine.variable("PATH"));
  for (const Path& folder : path)
    if (machine.exists(folder / "nvcc"))
      add_folder(roots, machine.resolve(folder / "nvcc").parent_path().parent_path());
  add_folder(roots, "/usr/local/cuda");
  for (const Path& folder : machine.list("/usr/local"))
    if (folder.filename().native().starts_with("cuda-")) add_folder(roots, folder);
  return roots;
}

void add_system_folders(Paths& folders, const Machine& machine) {
  add_folders(folders, machine.variable("LD_LIBRARY_PATH"));
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/opt/cuda/lib64"})
    add_folder(folders, folder);
}

Paths cuda_library_folders(const Machine& machine, std::span<const Path> package_folders) {
  Paths folders;
  for (const Path& site : package_folders) {
    for (const Path& package : machine.list(site / "nvidia"))
      if (const std::string name = package.filename(); name.starts_with("cu"))
        add_folder(folders, package / "lib");
    if (machine.exists(site / "torch" / "lib")) add_folder(folders, site / "torch" / "lib");
  }
  for (const Path& root : toolkit_roots(machine)) {
    add_folder(folders, root / "lib64");
    add_folder(folders, root / "lib");
  }
  add_system_folders(folders, machine);
  return folders;
}

}  // namespace treadle
