// SPDX-License-Identifier: MIT
// The headers of kernels/cuda_cpu as clang sees them: a read-only file system inside the library.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>

#include <string>
#include <vector>

namespace llvm::vfs {
class FileSystem;
}

namespace treadle::cuda_cpu {

/// Where the device headers are mounted. A path no disk has, so that no compile depends on where we
/// are installed.
inline constexpr const char* device_header_root = "/treadle/include";
/// Read before every source, unless its precompiled form is at hand; and its full path.
inline constexpr const char* prelude_name = "treadle_prelude.h";
inline constexpr const char* prelude_path = "/treadle/include/treadle_prelude.h";

/// Shared by all compiles: constant once made.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> device_headers();

/// Folders of the host's C and C++ headers, best libstdc++ first; empty where none is installed.
/// Looked up once per process: <tuple>, <array> and their like come from here.
const std::vector<std::string>& host_header_dirs();

/// Files whose appearance means that a newer libstdc++ was installed, which is preferred then.
const std::vector<std::string>& newer_host_headers();

}  // namespace treadle::cuda_cpu
