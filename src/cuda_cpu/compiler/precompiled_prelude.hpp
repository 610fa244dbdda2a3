// SPDX-License-Identifier: MIT
// The prelude in clang's precompiled form: 3 ms to load instead of 25 ms to parse.
//
// clang accepts it only for the same language options, so there is one per Dialect. The common ones
// are made at build time, after the library is linked, and lie beside it as prelude-NAME.pch: a
// 64-byte header with the library's build id, then clang's file. Others are made in memory by the
// first compile that needs one.
#pragma once

#include <string>
#include <string_view>

#include "cuda_cpu/compiler/language_options.hpp"

namespace treadle::cuda_cpu {

/// "prelude-c++17.pch", "prelude-c++17-fast-math.pch".
std::string prelude_file_name(const Dialect& dialect);

/// The precompiled prelude of `dialect`, valid for the life of the process; empty if it can be
/// neither read nor made, and the prelude must be parsed. Thread-safe; threads that need the same
/// new one wait for one of them.
std::string_view precompiled_prelude(const Dialect& dialect);

/// Writes the preludes that are worth having on disk into `folder`; false if one cannot be made or
/// written.
bool write_common_preludes(const std::string& folder);

}  // namespace treadle::cuda_cpu
