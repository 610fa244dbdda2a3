// SPDX-License-Identifier: MIT
#include "declared_kernel.hpp"

#include <utility>

namespace treadle::kernel {

DeclaredKernel::DeclaredKernel(const Program& program, const std::string& entry, std::string name,
                               std::vector<codegen::ParameterSpec> parameters)
    : arguments_(parameters, std::move(name),
                 std::vector<ElementUse>(parameters.size(), ElementUse::unknown)),
      kernel_(program.kernel(entry)) {
  kernel_.let_go_of_device();
}

void DeclaredKernel::launch(device::Stream& stream, std::span<const UserArgument> arguments,
                            const device::LaunchShape& shape, const device::Order& order) const {
  ReadArguments read = arguments_.read(arguments, {}, stream.device());
  stream.launch_arguments(kernel_, shape, read.all(), order);
}

std::vector<DeclaredKernel> declared_kernels(device::Device& device,
                                             const codegen::FamilyText& text) {
  const Program program(device.shared_from_this(), text.text, {.source_name = text.name});
  std::vector<DeclaredKernel> made;
  for (const codegen::FamilyKernel& kernel : text.kernels)
    made.emplace_back(program, kernel.name, text.name, kernel.parameters);
  return made;
}

}  // namespace treadle::kernel
