// SPDX-License-Identifier: MIT
#include "treadle/process/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/process/settings.hpp"

namespace treadle {
namespace {

namespace fs = std::filesystem;

/// The folder of the program or library that this code was linked into.
fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&find_own_library), &info) == 0 ||
      info.dli_fname == nullptr)
    return {};
  std::error_code failure;
  const fs::path file = fs::canonical(info.dli_fname, failure);
  // The main program's name may be relative to a folder the process has left since.
  return failure ? fs::canonical("/proc/self/exe", failure).parent_path() : file.parent_path();
}

/// What the loader searches for the main program: LD_LIBRARY_PATH, its RUNPATH, the system's
/// folders.
std::vector<fs::path> loader_folders() {
  const std::unique_ptr<void, int (*)(void*)> program(dlopen(nullptr, RTLD_NOW), &dlclose);
  Dl_serinfo size{};
  if (dlinfo(program.get(), RTLD_DI_SERINFOSIZE, &size) != 0) return {};
  std::vector<std::byte> memory(size.dls_size);
  auto* info = reinterpret_cast<Dl_serinfo*>(memory.data());
  *info = size;
  if (dlinfo(program.get(), RTLD_DI_SERINFO, info) != 0) return {};
  const Dl_serpath* first = info->dls_serpath;
  std::vector<fs::path> folders;
  for (unsigned i = 0; i < info->dls_cnt; ++i) folders.emplace_back(first[i].dls_name);
  return folders;
}

std::vector<fs::path> own_library_folders() {
  if (const fs::path& chosen = settings().library_dir; !chosen.empty()) return {chosen};
  std::vector<fs::path> folders;
  if (const fs::path own = own_folder(); !own.empty())
    folders = {own, own / "lib", own.parent_path() / "lib" / "treadle"};
  // find_package(treadle) gives a program the RUNPATH of the installed libraries.
  for (const fs::path& folder : loader_folders()) folders.push_back(folder);
#ifdef TREADLE_BUILD_LIBRARY_DIR
  folders.emplace_back(TREADLE_BUILD_LIBRARY_DIR);
#endif
  return folders;
}

fs::path resolved_path(void* handle, const std::string& asked) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && *map->l_name != '\0')
    return map->l_name;
  return asked;
}

}  // namespace

LibrarySearch find_own_library(const std::string& file_name) {
  LibrarySearch search;
  for (const fs::path& folder : own_library_folders()) {
    const fs::path candidate = folder / file_name;
    std::error_code failure;
    const fs::file_status status = fs::status(candidate, failure);
    if (fs::is_regular_file(status)) {
      search.tried.push_back(candidate.string() + ": found");
      search.path = candidate;
      return search;
    }
    const bool exists = fs::exists(status);
    search.tried.push_back(candidate.string() + (exists ? ": not a file" : ": no such file"));
  }
  return search;
}

SharedLibrary::SharedLibrary(const std::string& name, std::span<const std::string> candidates,
                             const std::string& hint) {
  std::vector<std::string> tried;
  for (const std::string& candidate : candidates) {
    handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      path_ = resolved_path(handle_, candidate);
      return;
    }
    const char* answer = dlerror();
    tried.push_back(candidate + ": " + (answer != nullptr ? answer : "the loader gave no reason"));
  }
  throw LibraryNotFound(name, std::move(tried), hint);
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      owned_(std::exchange(other.owned_, false)),
      path_(std::move(other.path_)) {}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr && owned_) dlclose(handle_);
}

void* SharedLibrary::symbol(const char* name) const noexcept {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

SharedLibrary open_own_library(const std::string& file_name) {
  const std::string hint =
      "reinstall Treadle, or set TREADLE_LIBRARY_DIR to the folder that holds " + file_name;
  LibrarySearch search = find_own_library(file_name);
  if (!search.path) throw LibraryNotFound(file_name, std::move(search.tried), hint);
  const std::string candidates[] = {search.path->string()};
  return SharedLibrary(file_name, candidates, hint);
}

}  // namespace treadle
