// SPDX-License-Identifier: MIT
#include <algorithm>

#include "opencl/kernel_state.hpp"
#include "opencl/local_variables.hpp"
#include "opencl/query.hpp"
#include "treadle/opencl/program.hpp"

namespace treadle::opencl {
namespace {

/// What CL_KERNEL_LOCAL_MEM_SIZE says, which is: the variables and the arguments set by now (PoCL
/// 3.1, and the standard), or less (PoCL 6.0 says 0 of every kernel).
std::uint64_t asked_local_bytes(const KernelState& kernel, const Device& device) {
  cl_ulong bytes = 0;
  const int code = kernel.handle().table().clGetKernelWorkGroupInfo(
      kernel.handle().raw(), device.raw(), CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  return code == CL_SUCCESS ? bytes : 0;
}

std::uint64_t read_local_bytes(const KernelState& kernel, const Device& device) {
  if (const auto& kept = kernel.text())
    return declared_local_bytes(kept->source, kept->options, kernel.name());
  const auto& table = kernel.handle().shared_table();
  try {
    const Program program(table,
                          ask_value<RawProgram>(*table, "clGetKernelInfo", table->clGetKernelInfo,
                                                kernel.handle().raw(), CL_KERNEL_PROGRAM),
                          Ownership::retain);
    const std::string text = program.get<ProgramInfo::source>();
    const InfoValue options = program.build_info(device, ProgramBuildInfo::options);
    return declared_local_bytes(text, std::get<std::string>(options), kernel.name());
  } catch (const Error&) {
    return 0;  // a program without text
  }
}

}  // namespace

void KernelState::before_local_argument() const {
  has_local_memory_ = nullptr;
  if (own_local_bytes_) return;
  own_local_bytes_ = 0;
  if (is_shared()) return;  // what other code has set may be counted
  for (const Device& device : context_.devices())
    own_local_bytes_ = std::max(*own_local_bytes_, asked_local_bytes(*this, device));
}

void check_local_memory(const KernelState& kernel, const Device& device) {
  if (kernel.has_local_memory() == device.raw() && !kernel.is_shared()) [[likely]]
    return;
  const std::uint64_t arguments = kernel.set_values().local_bytes();
  std::uint64_t taken =
      std::max(asked_local_bytes(kernel, device), arguments + kernel.own_local_bytes());
  // No variables, it says; the text may say otherwise. Other platforms refuse the launch.
  if (taken == arguments && kernel.context().platform().name() == "Portable Computing Language")
    taken += read_local_bytes(kernel, device);
  const auto there = device.get<DeviceInfo::local_mem_size>();
  if (taken > there)
    raise(kernel.handle().table(), CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel",
          "kernel \"" + kernel.name() + "\": its variables and arguments take " +
              std::to_string(taken) + " bytes of local memory for each group; " + device.name() +
              " has " + std::to_string(there),
          "pass less LocalMemory, or use a buffer");
  kernel.has_local_memory() = device.raw();
}

}  // namespace treadle::opencl
