// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda_cpu/runtime/module_image.hpp"

namespace treadle::cuda_cpu {

/// The kernels of one module that its image holds uncompiled (ModuleDescriptor::deferred). Each is
/// compiled once, by whichever thread asks first; the result is kept in the disk cache.
/// Thread-safe.
class KernelParts {
 public:
  /// `base` must outlive this.
  explicit KernelParts(const LoadedCode& base) : base_(base) {}

  /// The same kernel with its code, which stays as long as this. Null, with the reason, if it could
  /// not be compiled: the next call tries again.
  const Kernel* complete(const Kernel& kernel, LoadFailure& failure);
  /// Whether the address lies in the code of one of them, or its constants.
  bool hold(std::uintptr_t address) const;

 private:
  struct Part {
    std::mutex mutex;  ///< of one kernel: others are compiled at the same time
    std::unique_ptr<LoadedCode> code;
  };

  std::unique_ptr<LoadedCode> obtain(const Kernel& kernel, LoadFailure& failure) const;
  bool connect(const ModuleDescriptor& part) const;

  const LoadedCode& base_;
  mutable std::mutex mutex_;  ///< of both, never held while something is compiled
  std::map<const Kernel*, Part> parts_;
  std::vector<const LoadedCode*> loaded_;
};

}  // namespace treadle::cuda_cpu
