// SPDX-License-Identifier: MIT
// NVRTC's options, as this compiler understands them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cuda_cpu/compiler/language_options.hpp"
#include "cuda_cpu/compiler/passes/pass_table.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::cuda_cpu {

struct CompileOptions {
  LanguageOptions language;
  bool debug = false;        ///< -G
  Checks checks;             ///< --treadle-check=memory,race: no option of NVRTC's
  bool fibers = false;       ///< --treadle-fibers: nor is this
  bool relocatable = false;  ///< -rdc=true, -dc: an object to be linked, not a module
  PassOptions passes;        ///< --treadle-disable=NAME,NAME, --treadle-print-after=NAME: nor these
  std::string error;         ///< why the options are refused; empty: they are good
};

/// Reads NVRTC spellings: "--std=c++17", "-std=c++17", "-I dir", "-Idir", "--define-macro=N=1" ...
/// Options about registers, PTX and linking mean nothing on this device and are ignored; an unknown
/// one is an error.
CompileOptions parse_options(std::span<const std::string_view> arguments);

}  // namespace treadle::cuda_cpu
