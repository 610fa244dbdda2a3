// SPDX-License-Identifier: MIT
// Where libraries of others may lie: toolkits, Python packages and the bundles in them, the
// system's folders. Looks at names only, loads nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// What a search asks of the machine; tests describe another machine.
struct Machine {
  std::function<bool(const std::filesystem::path&)> exists;
  std::function<std::filesystem::path(const std::filesystem::path&)>
      resolve;  ///< symbolic links followed
  std::function<std::vector<std::filesystem::path>(const std::filesystem::path&)>
      list;                                          ///< sorted; empty if none
  std::function<std::string(const char*)> variable;  ///< of the environment
};
/// The one that this process runs on. Its functions throw std::bad_alloc only.
const Machine& this_machine();

/// One more folder in which Python packages lie, and with them libraries of others: site-packages.
/// Searches after the call look there, before the system's folders. Any thread.
void add_package_folder(const std::filesystem::path& folder);
/// Those that were added, in that order, each once, absolute.
std::vector<std::filesystem::path> package_folders();

/// Appends an absolute folder that is not in the list yet; another path changes nothing.
void add_folder(std::vector<std::filesystem::path>& folders, const std::filesystem::path& folder);
/// The same for a list that is separated by colons, as LD_LIBRARY_PATH is.
void add_folders(std::vector<std::filesystem::path>& folders, std::string_view colon_list);
/// The same for LD_LIBRARY_PATH and the folders in which Linux has its libraries.
void add_system_folders(std::vector<std::filesystem::path>& folders, const Machine& machine);

/// Roots of CUDA toolkits: named by the environment, by nvcc on PATH, in the usual places.
std::vector<std::filesystem::path> toolkit_roots(const Machine& machine);
/// Folders that may hold libraries of CUDA, in the order in which to look: the `nvidia-*` wheels
/// in each folder of packages and what torch carries, toolkits, LD_LIBRARY_PATH, the system's.
std::vector<std::filesystem::path> cuda_library_folders(
    const Machine& machine, std::span<const std::filesystem::path> package_folders);

}  // namespace treadle
