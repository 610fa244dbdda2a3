// SPDX-License-Identifier: MIT
// The prelude in clang's precompiled form: 3 ms to load instead of 25 ms to parse.
//
// clang accepts it only for the same language options, so there is one per Dialect. The common ones
// are made at build time, after the library is linked, and lie beside it as prelude-NAME.pch: a
// 64-byte header with the library's build id, then clang's file. Others are made in memory by the
// first compile that needs one. Texts that include <cuda_fp16.h> or <cuda_bf16.h>, which take 100
// and 200 ms to parse, get a prelude that has them.
#pragma once

#include <string>
#include <string_view>

#include "cuda_cpu/compiler/language_options.hpp"

namespace treadle::cuda_cpu {

/// What a precompiled prelude has besides the prelude: nothing, <cuda_fp16.h>, or <cuda_bf16.h>,
/// which includes it.
enum class PreludeHeaders { none, fp16, bf16 };

/// What a text may find included already: the headers that it seems to include, unless macros
/// change what they declare. Comments and conditions are not looked at, so that a text that does
/// not compile so may compile with `none`.
PreludeHeaders headers_for(std::string_view source, const LanguageOptions& options);

/// "prelude-c++17.pch", "prelude-c++17-fast-math-fp16.pch".
std::string prelude_file_name(const Dialect& dialect, PreludeHeaders headers);

/// The precompiled prelude of `dialect`, valid for the life of the process; empty if it can be
/// neither read nor made, and the prelude must be parsed; with headers if it cannot be read.
/// Thread-safe; threads that need the same new one wait for one of them.
std::string_view precompiled_prelude(const Dialect& dialect, PreludeHeaders headers);

/// Writes the preludes that are worth having on disk into `folder`; false if one cannot be made or
/// written.
bool write_common_preludes(const std::string& folder);

}  // namespace treadle::cuda_cpu
