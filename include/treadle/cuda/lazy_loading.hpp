// SPDX-License-Identifier: MIT
// When the code of kernels comes to the device: drivers wait until a kernel is used, so that a
// program with many kernels starts fast. What has to be ready before it is timed is loaded by hand.
#pragma once

#include "treadle/cuda/function.hpp"

namespace treadle::cuda {

/// CUmoduleLoadingMode.
enum class LoadingMode : int {
  eager = 1,  ///< with the module
  lazy = 2,   ///< when a kernel is first used
};
/// Which of them the driver does; CUDA_MODULE_LOADING says so when the process starts.
LoadingMode loading_mode(const Driver& driver = default_driver());
/// Whether the kernel's code is on the device. On the CPU device: whether it was compiled, where
/// kernels are compiled on demand. Throws NotSupported where the driver is older than CUDA 12.4.
bool is_loaded(const Function& function);
/// Brings it there, if it is not. Throws DeviceError for code that cannot be loaded.
void load(const Function& function);

}  // namespace treadle::cuda
