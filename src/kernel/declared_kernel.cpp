// SPDX-License-Identifier: MIT
#include "declared_kernel.hpp"

#include <utility>

namespace treadle::kernel {

std::string with_words(std::string text,
                       std::initializer_list<std::pair<std::string_view, std::string>> words) {
  for (const auto& [word, meaning] : words)
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += meaning.size())
      text.replace(at, word.size(), meaning);
  return text;
}

DeclaredKernel::DeclaredKernel(const Program& program, const std::string& entry, std::string name,
                               std::vector<codegen::ParameterSpec> parameters)
    : arguments_(parameters, std::move(name),
                 std::vector<ElementUse>(parameters.size(), ElementUse::unknown)),
      kernel_(program.kernel(entry)) {
  kernel_.let_go_of_device();
}

void DeclaredKernel::launch(device::Stream& stream, std::span<const UserArgument> arguments,
                            std::uint64_t groups, unsigned group_size,
                            const device::Order& order) const {
  ReadArguments read = arguments_.read(arguments, {}, stream.device());
  stream.launch_arguments(kernel_,
                          {.groups = static_cast<unsigned>(groups), .group_size = group_size},
                          read.all(), order);
}

}  // namespace treadle::kernel
