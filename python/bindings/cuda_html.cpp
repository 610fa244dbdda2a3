// SPDX-License-Identifier: MIT
#include "cuda_html.hpp"

#include "html_table.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::bindings {

std::string html_of(const cuda::Device& device) {
  using enum cuda::DeviceAttribute;
  const auto number = [&](cuda::DeviceAttribute attribute) {
    return std::to_string(device.attribute(attribute));
  };
  const auto bytes = [&](cuda::DeviceAttribute attribute) {
    return bytes_text(static_cast<std::uint64_t>(device.attribute(attribute)));
  };
  const auto [major, minor] = device.compute_capability();
  const int version = device.driver().version();
  return html_table("device " + std::to_string(device.raw()) + ": " + device.name(),
                    {{"kernels are compiled for", device.target()},
                     {"compute capability", std::to_string(major) + "." + std::to_string(minor)},
                     {"memory", bytes_text(device.total_memory())},
                     {"multiprocessors", number(multiprocessor_count)},
                     {"threads of a block, at most", number(max_threads_per_block)},
                     {"threads of a warp", number(warp_size)},
                     {"shared memory of a block", bytes(max_shared_memory_per_block)},
                     {"PCI bus id", device.pci_bus_id()},
                     {"CUDA of the driver",
                      std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)}});
}

std::string html_of(const cuda::Function& function) {
  using enum cuda::FunctionAttribute;
  const auto number = [&](cuda::FunctionAttribute attribute) {
    return std::to_string(function.attribute(attribute));
  };
  const auto bytes = [&](cuda::FunctionAttribute attribute) {
    return bytes_text(static_cast<std::uint64_t>(function.attribute(attribute)));
  };
  return html_table("kernel " + function.name(),
                    {{"device", function.context().device().name()},
                     {"parameters", parameters_text(function.parameters())},
                     {"registers of a thread", number(num_regs)},
                     {"local memory of a thread", bytes(local_size_bytes)},
                     {"shared memory of a block", bytes(shared_size_bytes)},
                     {"constant memory", bytes(const_size_bytes)},
                     {"threads of a block, at most", number(max_threads_per_block)}});
}

std::string parameters_text(const cuda::ParameterLayout& layout) {
  std::string text;
  for (const cuda::KernelParameter& parameter : layout.parameters) {
    if (!text.empty()) text += ", ";
    if (parameter.name.empty() && parameter.type.empty())
      text += std::to_string(parameter.size) + " bytes";  // the driver tells only sizes
    else
      text += parameter.type + " " + parameter.name;
  }
  return text;
}

}  // namespace treadle::bindings
