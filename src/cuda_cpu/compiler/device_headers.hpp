// SPDX-License-Identifier: MIT
// The headers of kernels/cuda_cpu, kernels/cuda and kernels/standard as clang sees them: a
// read-only file system inside the library. Besides them a compile reads the user's folders, and
// nothing of the machine's: what compiles on one machine compiles on every other.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>

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

}  // namespace treadle::cuda_cpu
