// SPDX-License-Identifier: MIT
#include "treadle/device/cancel.hpp"

#include <array>

#include "device/cuda/device.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/process/library.hpp"

namespace treadle::device {
namespace {

using CancelKernels = CUresult (*)(CUcontext context, CUstream stream);

/// Of the CPU device's library, which its table names; null elsewhere.
CancelKernels canceller(const cuda::Table& cu) {
  if (cu.provider != cuda::Provider::cpu || cu.library.empty()) return nullptr;
  const std::array candidates = {cu.library.string()};
  const SharedLibrary library(candidates[0], candidates, "build it");  // it is open
  return reinterpret_cast<CancelKernels>(library.symbol("treadle_cpu_cancel_kernels"));
}

}  // namespace

bool cancel_kernels(Stream& stream) {
  auto* device = dynamic_cast<CudaDevice*>(&stream.device());
  if (device == nullptr) return false;
  const cuda::Context& context = device->context();
  const cuda::Table& cu = context.driver().table();
  const CancelKernels cancel = canceller(cu);
  if (cancel == nullptr) return false;
  cuda::check(cu, cancel(context.raw(), reinterpret_cast<CUstream>(stream.raw())),
              "treadle_cpu_cancel_kernels");
  return true;
}

}  // namespace treadle::device
