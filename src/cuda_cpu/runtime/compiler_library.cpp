// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/compiler_library.hpp"

#include "treadle/process/library.hpp"

namespace treadle::cuda_cpu {

void* compiler_symbol(const char* name) {
  // An exception leaves the variable uninitialised: the next call looks again.
  static const SharedLibrary library = [] {
    SharedLibrary opened = open_own_library("libtreadle_clang.so");
    opened.keep_loaded();
    return opened;
  }();
  return library.symbol(name);
}

}  // namespace treadle::cuda_cpu
