// SPDX-License-Identifier: MIT
#include "compile/nvrtc_search.hpp"

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace treadle::compile {
namespace {

using Path = std::filesystem::path;
using Paths = std::vector<Path>;

constexpr int newest_major = 15, oldest_major = 12, newest_minor = 9;

// "12.8.93" -> 12, 8, 93; as many numbers as there are, at most three.
std::vector<int> numbers_of(std::string_view text) {
  std::vector<int> numbers;
  while (!text.empty() && numbers.size() < 3) {
    int number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{}) break;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return numbers;
}

// What a library's folder shows of its version; the file's own name ends with the major number
// only.
std::optional<NvrtcVersion> version_of(const Machine& machine, const Path& library) {
  if (const auto version = version_in_name(machine.resolve(library).filename().native()))
    return version;
  std::string name = library.filename();
  name.erase(0, std::min(name.find_first_of("0123456789"), name.size()));
  const std::vector<int> major = numbers_of(name);
  if (major.empty()) return {};
  for (int minor = newest_minor; minor >= 0; --minor) {
    const std::string builtins = fmt::format("libnvrtc-builtins.so.{}.{}", major[0], minor);
    if (machine.exists(library.parent_path() / builtins)) return NvrtcVersion{major[0], minor};
  }
  return NvrtcVersion{major[0], 0};
}

}  // namespace

std::optional<NvrtcVersion> version_in_name(std::string_view name) {
  for (const std::string_view stem : {"libnvrtc.so.", "libnvrtc-builtins.so."}) {
    if (!name.starts_with(stem)) continue;
    const std::vector<int> numbers = numbers_of(name.substr(stem.size()));
    if (numbers.size() >= 2) return NvrtcVersion{numbers[0], numbers[1]};
  }
  return {};
}

int cuda_version_of_driver(std::string_view release) {
  struct Branch {
    int driver, cuda;
  };
  // NVIDIA's table of driver branches, newest first.
  constexpr std::array branches = {Branch{590, 13010}, Branch{580, 13000}, Branch{575, 12090},
                                   Branch{570, 12080}, Branch{565, 12070}, Branch{560, 12060},
                                   Branch{555, 12050}, Branch{550, 12040}, Branch{545, 12030},
                                   Branch{535, 12020}, Branch{530, 12010}, Branch{525, 12000}};
  const std::vector<int> numbers = numbers_of(release);
  if (numbers.empty()) return 0;
  for (const Branch& branch : branches)
    if (numbers[0] >= branch.driver) return branch.cuda;
  return 0;
}

bool makes_code_for(NvrtcVersion version, int capability) {
  if (capability == 0) return true;
  if (version.major >= 13 && capability < 75) return false;
  if (capability < 50) return false;
  if (capability >= 100 && version < NvrtcVersion{12, 8}) return false;
  return true;
}

const NvrtcLibrary* choose_nvrtc(std::span<const NvrtcLibrary> libraries, int driver_version,
                                 int capability) {
  const NvrtcVersion driver{driver_version / 1000, driver_version % 1000 / 10};
  const auto known_to_driver = [&](const NvrtcVersion& version) {
    return driver_version == 0 || version <= driver;
  };
  const auto better = [&](const NvrtcVersion& a, const NvrtcVersion& b) {
    if (a.major != b.major) return a.major > b.major;
    if (known_to_driver(a) != known_to_driver(b)) return known_to_driver(a);
    return known_to_driver(a) ? a.minor > b.minor : a.minor < b.minor;
  };
  const NvrtcLibrary* best = nullptr;
  for (const NvrtcLibrary& library : libraries) {
    if (driver_version != 0 && library.version.major > driver.major) continue;
    if (!makes_code_for(library.version, capability)) continue;
    if (best == nullptr || better(library.version, best->version)) best = &library;
  }
  return best;
}

std::vector<NvrtcLibrary> find_nvrtc(const Machine& machine, std::span<const Path> folders,
                                     std::vector<std::string>& tried) {
  std::vector<NvrtcLibrary> libraries;
  for (const Path& folder : folders) {
    const std::size_t before = libraries.size();
    for (int major = newest_major; major >= oldest_major; --major) {
      const Path library = folder / fmt::format("libnvrtc.so.{}", major);
      if (!machine.exists(library)) continue;
      const auto version = version_of(machine, library);
      if (!version) continue;
      tried.push_back(
          fmt::format("{}: NVRTC {}.{}", library.string(), version->major, version->minor));
      libraries.push_back({library, *version});
    }
    if (libraries.size() == before)
      tried.push_back(fmt::format("{}: {}", folder.string(),
                                  machine.exists(folder) ? "no libnvrtc.so" : "no such folder"));
  }
  return libraries;
}

NvrtcLibrary nvrtc_at(const Machine& machine, const Path& library) {
  return {library, version_of(machine, library).value_or(NvrtcVersion{})};
}

Paths toolkit_headers(const Machine& machine, const NvrtcLibrary& library,
                      std::span<const Path> site_packages) {
  Paths candidates;
  const Path folder = library.path.parent_path();
  add_folder(candidates, folder.parent_path() / "include");
  add_folder(candidates, machine.resolve(library.path).parent_path().parent_path() / "include");
  for (const Path& site : site_packages) {
    add_folder(candidates,
               site / "nvidia" / fmt::format("cu{}", library.version.major) / "include");
    add_folder(candidates, site / "nvidia" / "cuda_runtime" / "include");
  }
  for (const Path& root : toolkit_roots(machine)) {
    add_folder(candidates, root / "include");
    add_folder(candidates, root / "targets" / "x86_64-linux" / "include");
  }
  Paths found;
  const auto own = std::ranges::find_if(candidates, [&](const Path& include) {
    return machine.exists(include / "cuda_runtime_api.h");
  });
  if (own == candidates.end()) return found;
  found.push_back(*own);
  // CUDA's own headers include some of the C++ library, and mma.h the compiler's; wheels hold each
  // in a package of its own, which may be absent.
  std::iter_swap(candidates.begin(), own);
  const auto holds = [&](const char* file) {
    return [&machine, file](const Path& include) { return machine.exists(include / file); };
  };
  if (const auto it = std::ranges::find_if(candidates, holds("cccl")); it != candidates.end())
    found.push_back(*it / "cccl");
  if (const auto it = std::ranges::find_if(candidates, holds("crt/mma.h")); it != candidates.end())
    add_folder(found, *it);
  // The wheels for CUDA 12 have a folder each; mma.h is in the runtime's and reads the compiler's.
  for (const Path& site : site_packages)
    for (const char* package : {"cuda_cccl", "cuda_nvcc"})
      if (const Path include = site / "nvidia" / package / "include";
          library.version.major == 12 && machine.exists(include))
        add_folder(found, include);
  return found;
}

}  // namespace treadle::compile
