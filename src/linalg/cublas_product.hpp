// SPDX-License-Identifier: MIT
// Products by cuBLAS.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "treadle/device/device.hpp"
#include "treadle/kernel/product.hpp"
#include "treadle/library/cublas.hpp"

namespace treadle::linalg {

/// cuBLAS on a device, opened by the first product there.
struct DeviceCublas {
  explicit DeviceCublas(device::Device& device);
  explicit DeviceCublas(std::unique_ptr<library::CublasHandle> opened);
  std::unique_ptr<library::CublasHandle> handle;  ///< null: there is none
  std::size_t workspace_bytes = 0;
  std::string name, text;  ///< for explain()
};

/// Queues the product on the stream, in its order, with its workspace. False, and nothing happens,
/// where cuBLAS cannot read the operands as they lie, or would take many calls. Throws as
/// Cublas::check(), and OutOfMemory for the workspace.
bool multiply_by_cublas(const DeviceCublas& cublas, device::Stream& stream,
                        const kernel::Product& product);

}  // namespace treadle::linalg
