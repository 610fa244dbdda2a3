// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/host_libraries.hpp"

#include <link.h>

#include <filesystem>
#include <string_view>
#include <system_error>

namespace treadle::cuda_cpu {
namespace {

int note_library(::dl_phdr_info* info, std::size_t, void* data) {
  auto& found = *static_cast<HostLibraries*>(data);
  const std::string_view path = info->dlpi_name;
  if (path.ends_with("/libm.so.6")) found.math = path;
  if (path.ends_with("/libc.so.6")) found.c = path;
  return 0;
}

}  // namespace

const HostLibraries& host_libraries() {
  static const HostLibraries found = [] {
    HostLibraries result;
    ::dl_iterate_phdr(&note_library, &result);
    const auto vector = std::filesystem::path(result.math).replace_filename("libmvec.so.1");
    std::error_code ignored;
    if (std::filesystem::exists(vector, ignored)) result.vector_math = vector.string();
    return result;
  }();
  return found;
}

}  // namespace treadle::cuda_cpu
