// SPDX-License-Identifier: MIT
// From the bytes of a module image to a loaded, checked descriptor. Knows nothing of contexts.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/runtime/module_header.hpp"

namespace treadle::cuda_cpu {

/// The code of one module in memory, from dlopen to dlclose.
class LoadedCode {
 public:
  LoadedCode() = default;
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode();
  const ModuleDescriptor& descriptor() const { return *descriptor_; }
  /// Of the image, in hexadecimal.
  const std::string& digest() const { return digest_; }
  /// What was noted in the image; see cpu_module_header.hpp.
  const std::string& note() const { return note_; }
  /// Whether the address lies in what was loaded.
  bool holds(std::uintptr_t address) const;

 private:
  friend std::unique_ptr<LoadedCode> load_image(const void* image, std::optional<std::size_t> size,
                                                LoadFailure& failure);
  void* library_ = nullptr;
  int file_ = -1;  ///< the library's, where it is in memory only
  const ModuleDescriptor* descriptor_ = nullptr;
  std::string digest_, note_;
};

/// Checks header, digest and processor features before any of the payload is mapped, and every
/// count and pointer of the descriptor before it is used. `size` where the caller knows it: a
/// truncated file is refused without being read past its end. Null, with the reason, if the image
/// is no module this processor can run.
std::unique_ptr<LoadedCode> load_image(const void* image, std::optional<std::size_t> size,
                                       LoadFailure& failure);

/// The checks of the descriptor, for tests: empty if it is sound, else what is wrong with it.
/// `mapped` are the address ranges of the library, executable ones marked.
struct MappedRange {
  std::uintptr_t begin, end;
  bool executable;
};
std::string descriptor_defect(const ModuleDescriptor* descriptor,
                              std::span<const MappedRange> mapped);

}  // namespace treadle::cuda_cpu
