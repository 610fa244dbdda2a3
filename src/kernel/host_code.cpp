// SPDX-License-Identifier: MIT
#include "treadle/kernel/host_code.hpp"

#include <cstddef>

#include "treadle/process/settings.hpp"

namespace treadle::kernel {

bool runs_host_code(const device::Device& device) noexcept {
  const device::DeviceInfo& info = device.info();
  return info.kind == device::DeviceKind::cpu && info.language == Language::cuda_c &&
         info.traits.runs_kernels;
}

void announce_host_result(device::Stream& stream, device::Location result,
                          std::uint64_t size_bytes) {
  constexpr std::byte zero{};
  if (settings().checks.init && size_bytes != 0) stream.fill(result, {&zero, 1}, size_bytes);
}

}  // namespace treadle::kernel
