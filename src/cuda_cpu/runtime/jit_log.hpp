// SPDX-License-Identifier: MIT
// The logs that a caller of the module loader or of the linker may ask for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "cuda_cpu/runtime/driver_api.hpp"

namespace treadle::cuda_cpu {

/// As the caller passes them.
struct JitOptionList {
  unsigned count;
  CUjit_option* options;
  void** values;
};

/// One buffer and its size among the options: text goes in, cut off where the room ends, and the
/// size option is set to the bytes written.
class JitLog {
 public:
  JitLog(const JitOptionList& list, CUjit_option buffer, CUjit_option size) {
    for (unsigned i = 0; i < list.count; ++i) {
      if (list.options[i] == buffer) buffer_ = static_cast<char*>(list.values[i]);
      if (list.options[i] == size) size_ = &list.values[i];
    }
    if (size_ != nullptr)
      room_ = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(*size_) & 0xffffffffu);
  }
  /// Replaces what was written before.
  void write(const std::string& text) {
    if (size_ == nullptr) return;
    const std::size_t copied =
        buffer_ == nullptr || room_ == 0 ? 0 : std::min(text.size(), room_ - 1);
    if (buffer_ != nullptr && room_ > 0) {
      std::memcpy(buffer_, text.data(), copied);
      buffer_[copied] = '\0';
    }
    *size_ = reinterpret_cast<void*>(copied);
  }

 private:
  char* buffer_ = nullptr;
  void** size_ = nullptr;
  std::size_t room_ = 0;
};

/// Whether a caller's options can be read.
inline bool good_jit_options(const JitOptionList& list) {
  // Nobody gives more options than there are: a negative count, or none at all.
  return list.count <= CU_JIT_NUM_OPTIONS &&
         (list.count == 0 || (list.options != nullptr && list.values != nullptr));
}

}  // namespace treadle::cuda_cpu
