// SPDX-License-Identifier: MIT
// libtreadle_clang through its C interface, the way libnvrtc would be used.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/nvrtc_types.h"

namespace treadle::cuda_cpu::test {

/// The entry points of nvrtc_symbols.def, looked up in the library of TREADLE_LIBRARY_DIR.
struct NvrtcTable {
#define TREADLE_NVRTC_SYMBOL(result, name, parameters) result(*name) parameters = nullptr;
#include "compile/nvrtc_symbols.def"
};
/// Opened once; fails the running test if the library or a symbol is missing.
const NvrtcTable& nvrtc();

struct CompileInput {
  std::string source;
  std::vector<std::string> options = {};
  std::vector<std::string> name_expressions = {};
  std::map<std::string, std::string> headers = {};
  std::string name = "kernel.cu";
};

struct CompileOutput {
  nvrtcResult result = NVRTC_ERROR_INTERNAL_ERROR;
  std::string log;
  std::string image;
  std::map<std::string, std::string> lowered_names;
};

CompileOutput compile(const CompileInput& input);

}  // namespace treadle::cuda_cpu::test
