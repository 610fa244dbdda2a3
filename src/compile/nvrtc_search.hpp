// SPDX-License-Identifier: MIT
// Where libnvrtc may lie, and which of several fits the driver and the target. Looks at names only,
// loads nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/process/library_search.hpp"

namespace treadle::compile {

struct NvrtcVersion {
  int major = 0, minor = 0;
  auto operator<=>(const NvrtcVersion&) const = default;
};

struct NvrtcLibrary {
  std::filesystem::path path;
  NvrtcVersion version;
};

/// "libnvrtc.so.12.8.93" and "libnvrtc-builtins.so.13.0" name both numbers; nothing for other
/// names.
std::optional<NvrtcVersion> version_in_name(std::string_view file_name);

/// The CUDA version a driver brings, from the branch in "580.82.07" (-> 13000); 0 if it is not
/// known.
int cuda_version_of_driver(std::string_view driver_release);

/// Whether a library of that version makes code for sm_<capability> (0: any).
bool makes_code_for(NvrtcVersion version, int capability);

/// Of those that make code for the capability: the largest major version that the driver knows; in
/// it the newest minor that the driver knows, else the nearest newer one (code of the same major
/// version still loads). Driver version 0: the newest of all. Null if none fits.
const NvrtcLibrary* choose_nvrtc(std::span<const NvrtcLibrary> libraries, int driver_version,
                                 int capability);

/// The libraries in folders; `tried` receives a line for each of them.
std::vector<NvrtcLibrary> find_nvrtc(const Machine& machine,
                                     std::span<const std::filesystem::path> folders,
                                     std::vector<std::string>& tried);
/// A library at a place the user named.
NvrtcLibrary nvrtc_at(const Machine& machine, const std::filesystem::path& library);
/// Folders of the toolkit's headers that belong to the library: beside it, else of the toolkits.
std::vector<std::filesystem::path> toolkit_headers(
    const Machine& machine, const NvrtcLibrary& library,
    std::span<const std::filesystem::path> site_packages);

}  // namespace treadle::compile
