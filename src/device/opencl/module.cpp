// SPDX-License-Identifier: MIT
#include "device/opencl/module.hpp"

#include <cstdint>
#include <variant>

#include "device/launch_check.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/c_parameters.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::device {
namespace {

using Question = opencl::KernelWorkGroupInfo;

/// 0 where the platform does not tell.
std::uint64_t ask(const opencl::Kernel& kernel, const opencl::Device& device, Question question) {
  try {
    return std::get<std::uint64_t>(kernel.work_group_info(device, question));
  } catch (const DeviceError&) {
    return 0;
  }
}

/// Asked before any argument is set, so that local memory is the text's own.
KernelResources resources_of(const opencl::Kernel& kernel, const opencl::Device& device) {
  KernelResources resources;
  resources.static_local_bytes = ask(kernel, device, Question::local_mem_size);
  resources.private_bytes = ask(kernel, device, Question::private_mem_size);
  resources.preferred_group_multiple =
      static_cast<unsigned>(ask(kernel, device, Question::preferred_work_group_size_multiple));
  resources.max_group_items = static_cast<unsigned>(ask(kernel, device, Question::work_group_size));
  return resources;
}

}  // namespace

KernelList list_kernels(const opencl::Program& program) {
  KernelList list;
  for (const opencl::Kernel& kernel : program.kernels())
    for (auto& parameters = list[kernel.name()]; const auto& p : kernel.parameters())
      parameters.push_back(
          c_parameter(p.type, p.name, p.address == opencl::KernelArgAddressQualifier::local));
  return list;
}

Kernel OpenclModule::kernel(std::string_view name) {
  auto state = std::make_shared<OpenclKernel>(find(name));
  const opencl::Kernel& shell = state->kernel;
  state->device = device().shared_from_this();
  state->name = shell.name();
  state->parameters_known = true;
  const std::size_t count = shell.argument_count();
  const auto known = kernels_.find(shell.name());
  if (known != kernels_.end() && known->second.size() == count) state->parameters = known->second;
  state->parameters.resize(count);  // at least their number is known
  state->resources = resources_of(shell, *opencl_device(device()));
  return Kernel(std::move(state));
}

Global OpenclModule::find_global(std::string_view name) {
  throw InvalidArgument("OpenCL does not tell where variables of a program lie: \"" +
                        std::string(name) + "\"");
}

opencl::Kernel OpenclModule::find(std::string_view name) {
  try {
    return program_.kernel(std::string(name));
  } catch (const DeviceError& error) {
    if (error.code() != CL_INVALID_KERNEL_NAME) throw;
    raise_unknown_kernel(name, kernel_names());
  }
}

}  // namespace treadle::device
